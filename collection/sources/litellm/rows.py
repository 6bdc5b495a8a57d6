"""Turning the rows of a spend log into records (docs/sources/litellm.md#rows). Pure functions."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from collection.sources.litellm.failures import refusal
from collection.sources.over_http.answer_json import object_of, payload_of
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.refusals import usable_payload
from collection.sources.over_http.request_ids import id_of
from collection.sources.over_http.rows_of_answer import rows_and_total
from usage.amounts.units import UNITS
from usage.incoming.record import IncomingRecord
from usage.incoming.values import UnreadableRow, amount, count, instant, label, text, wall_clock
from usage.measures import Measures, Provenance, Status, Tokens

USD = UNITS["USD"]
UTC_ZONE = ZoneInfo("UTC")
# Enough of a key's hash to recognise it.
HASH_SHOWN = 8

Json = Mapping[str, object]


class Answered(NamedTuple):
    """The rows of one answer as they came, with the count of the window, and the rows that a page of it has."""

    rows: list[object]
    total: int
    size: int | None
    is_capped: bool


def read_answer(answer: Answer, secrets: tuple[str, ...]) -> Answered:
    """Give the rows of a page; raises SourceFailure for each case of docs/sources/litellm.md#failures."""
    payload = usable_payload(answer, refusal, secrets)
    rows, total = rows_and_total(payload.get("data"), payload.get("total"), payload, secrets)
    return Answered(rows, total, count(payload.get("page_size")), payload.get("total_is_capped") is True)


def started_at(row: object) -> datetime:
    """The instant at which a call began. Raises UnreadableRow."""
    return instant(row.get("startTime") if isinstance(row, dict) else None, UTC_ZONE).astimezone(UTC)


def read_row(row: object, server_zone: ZoneInfo) -> IncomingRecord:
    """Turn one row, with numbers as text, into a record; raises UnreadableRow."""
    if not isinstance(row, dict):
        raise UnreadableRow(Message("row_not_object"))
    request_id, begun = id_of(row.get("request_id")), started_at(row)
    metadata = object_of(row.get("metadata"))
    is_unknown = row.get("spend") is None or (row.get("status") == "failure" and not metadata.get("cost_breakdown"))
    return IncomingRecord(
        request_id=request_id,
        amount=0 if is_unknown else amount(row.get("spend"), USD),
        model=label(text(row.get("model")) or text(row.get("model_group"))),
        client=label(text(metadata.get("user_api_key_alias")) or text(row.get("api_key"))[:HASH_SHOWN]),
        ts=wall_clock(begun, server_zone),
        prompt=_prompt(row.get("messages")),
        agent_purpose=label(text(row.get("call_type"))),
        measures=Measures(
            # The proxy computes its amounts by a list of prices.
            Provenance.UNKNOWN if is_unknown else Provenance.ESTIMATED,
            _tokens(row, metadata),
            begun,
            Status.ERROR if row.get("status") == "failure" else Status.OK,
        ),
    )


def _tokens(row: Json, metadata: Json) -> Tokens | None:
    """The tokens of a call; None where it did not run, or they are no counts. A prompt's include the cached ones."""
    prompt, output = count(row.get("prompt_tokens")), count(row.get("completion_tokens"))
    if prompt is None or output is None or (row.get("status") == "failure" and not prompt + output):
        return None
    measured, more = object_of(metadata.get("usage_object")), object_of(metadata.get("additional_usage_values"))
    details = object_of(measured.get("prompt_tokens_details"))
    read = count(details.get("cached_tokens")) or count(more.get("cache_read_input_tokens")) or 0
    write = count(measured.get("cache_creation_input_tokens")) or count(more.get("cache_creation_input_tokens")) or 0
    # Where a prompt has fewer tokens than its cached ones, it was counted without them.
    return Tokens(prompt - read - write if prompt >= read + write else prompt, output, read, write)


def _prompt(messages: object) -> str:
    """The last text of the user, which comes only where the operator keeps texts."""
    if isinstance(messages, str):
        messages = _list(messages)
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == "user":
            content = message.get("content")
            parts = content if isinstance(content, list) else [{"text": content}]
            return "\n".join(filter(None, (text(part.get("text")) for part in parts if isinstance(part, dict))))
    return ""


def _list(written: str) -> object:
    found = payload_of(b'{"": ' + written.encode(errors="replace") + b"}")
    return found.get("") if found else None
