"""Turning the rows of a gateway's log into records (docs/sources/new-api.md#rows). Pure functions."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from collection.sources.new_api.failures import refusal
from collection.sources.over_http.answer_json import object_of, payload_of
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.held_windows import KEY, Listed, with_fields
from collection.sources.over_http.refusals import usable_payload
from collection.sources.over_http.request_ids import id_of
from collection.sources.over_http.rows_of_answer import rows_and_total
from usage.amounts.units import UNITS
from usage.incoming.record import IncomingRecord
from usage.incoming.values import UnreadableRow, amount, count, instant, is_within, label, number, text, wall_clock
from usage.measures import Measures, Provenance, Status, Tokens

QUOTA = UNITS["quota"]
UTC_ZONE = ZoneInfo("UTC")
# Of these a row's own key is made, where the server gives none.
_KEYED = (
    "created_at", "type", "model_name", "token_name", "quota", "prompt_tokens", "completion_tokens", "use_time",
    "is_stream", "other",
)  # fmt: skip
_KEPT = (*_KEYED, "request_id")
_STATUSES = {5: Status.ERROR, 6: Status.REFUND}

Json = Mapping[str, object]


def read_answer(answer: Answer, secrets: Iterable[str]) -> Listed:
    """Give the rows of a page, whose list has no count in the dialect.

    Raises SourceFailure for each case of docs/sources/new-api.md#failures.
    """
    payload = usable_payload(answer, refusal, secrets)
    data = payload.get("data")
    if isinstance(data, list):
        return Listed(with_fields(data, _KEPT), None, len(answer.body))
    given = object_of(data)
    if given.get("items") is None and count(given.get("total")) == 0:
        return Listed([], 0, len(answer.body))
    items, total = rows_and_total(given.get("items"), given.get("total"), payload, secrets)
    return Listed(with_fields(items, _KEPT), total, len(answer.body))


def sum_in(answer: Answer) -> int | None:
    """The sum of quota of an answer about sums; None where the server gives none."""
    payload = payload_of(answer.body) if answer.status == 200 else None
    data = payload.get("data") if payload and payload.get("success") is True else None
    return whole(data.get("quota")) if isinstance(data, dict) else None


def quota_of(row: object) -> int:
    """What a row took, 0 where that cannot be read."""
    return (whole(row.get("quota")) if isinstance(row, dict) else None) or 0


def type_of(row: object) -> int | None:
    return whole(row.get("type")) if isinstance(row, dict) else None


def second_of(row: object) -> str:
    """The second in which a call ended, as the row has it; empty where it has none."""
    return text(row.get("created_at")) if isinstance(row, dict) else ""


def held_by(row: Json) -> object:
    """What a row's own key is made of, the same in each form of `other`."""
    values = {**row, "other": object_of(row.get("other")) or row.get("other")}
    return [values.get(name) for name in _KEYED]


def unit_in(answer: Answer) -> int | None:
    """How much quota the gateway counts as one unit of its money; None where it does not say."""
    payload = payload_of(answer.body) if answer.status == 200 else None
    data = payload.get("data") if payload else None
    found = whole(data.get("quota_per_unit")) if isinstance(data, dict) else None
    return found if found and found > 0 else None


def ended_at(row: object) -> datetime:
    """The instant at which a call ended. Raises UnreadableRow."""
    return instant(second_of(row), UTC_ZONE).astimezone(UTC)


def read_row(row: object, server_zone: ZoneInfo) -> IncomingRecord:
    """Turn one row, with numbers as text, into a record; raises UnreadableRow."""
    if not isinstance(row, dict):
        raise UnreadableRow(Message("row_not_object"))
    ended = ended_at(row)
    other = object_of(row.get("other"))
    is_included = other.get("billing_source") == "subscription"
    given, own = text(row.get("request_id")).strip(), text(row.get(KEY))
    return IncomingRecord(
        request_id=id_of(row.get("request_id") if given else own),
        earlier_id=own if given else "",
        amount=amount(row.get("quota"), QUOTA),
        model=label(text(row.get("model_name"))),
        client=label(text(row.get("token_name"))),
        ts=wall_clock(ended, server_zone),
        agent_purpose=label(text(other.get("request_path"))),
        measures=Measures(
            Provenance.INCLUDED if is_included else Provenance.BILLED,
            _tokens(row, other),
            ended,
            _STATUSES.get(type_of(row) or 0, Status.OK),
        ),
    )


def _tokens(row: Json, other: Json) -> Tokens | None:
    """The tokens of a call as they came: whether a prompt has the cached ones depends on the service behind."""
    taken, output = count(row.get("prompt_tokens")), count(row.get("completion_tokens"))
    if taken is None or output is None:
        return None
    written = count(other.get("cache_creation_tokens"))
    parts = [count(other.get(f"cache_creation_tokens_{span}")) or 0 for span in ("5m", "1h")]
    return Tokens(taken, output, count(other.get("cache_tokens")) or 0, written or sum(parts))


def whole(value: object) -> int | None:
    """A whole number; None for anything else."""
    found = number(value)
    return int(found) if found is not None and is_within(found, 10**15 - 1) and found == int(found) else None
