"""A call with all that an archive keeps of it, so that none of it is lost between a source and an archive."""

from typing import NamedTuple

from tests.collection.collector_run import contents_of
from usage.models import Record


class Call(NamedTuple):
    """`credits` in parts of the unit, `ts` on the wall clock of the server's zone; `is_beginning`: `prompt` goes on."""

    credits: int
    ts: str
    model: str
    client: str
    purpose: str
    is_beginning: bool
    prompt: str


# By request id.
Calls = dict[str, Call]


def calls_of(archive_id: int) -> Calls:
    """The content of an archive, with a check of all rollups."""
    known = contents_of(archive_id)
    fields = ("model", "client", "agent_purpose", "prompt_truncated", "prompt__text")
    rows = Record.objects.filter(archive_id=archive_id).values_list("request_id", *fields)
    return {
        request_id: Call(*known[request_id], model, client, purpose, is_beginning, prompt or "")
        for request_id, model, client, purpose, is_beginning, prompt in rows
    }
