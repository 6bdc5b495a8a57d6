"""A call with all that an archive keeps of it, so that none of it is lost between a source and an archive."""

from typing import NamedTuple

from tests.collection.collector_run import contents_of
from usage.measures import Measures
from usage.models import Record
from usage.stored_measures import measures_in


class Call(NamedTuple):
    """`credits` in parts of the unit, `ts` on the wall clock of the server's zone; `is_beginning`: `prompt` goes on."""

    credits: int
    ts: str
    model: str
    client: str
    purpose: str
    is_beginning: bool
    prompt: str
    measures: Measures | None = None


# By request id.
Calls = dict[str, Call]


def calls_of(archive_id: int) -> Calls:
    """The content of an archive, with a check of all rollups."""
    known = contents_of(archive_id)
    records = Record.objects.filter(archive_id=archive_id).select_related("prompt", "recordmeasures")
    return {one.request_id: _call(one, *known[one.request_id]) for one in records}


def _call(one: Record, amount: int, ts: str) -> Call:
    prompt = one.prompt.text if hasattr(one, "prompt") else ""
    return Call(amount, ts, one.model, one.client, one.agent_purpose, one.prompt_truncated, prompt, measures_in(one))
