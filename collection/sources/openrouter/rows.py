"""Turning generations into records, and the daily activity into bills (docs/sources/openrouter.md). Pure functions."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from collection.sources.openrouter.failures import refusal
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.refusals import usable_payload
from collection.sources.over_http.request_ids import id_of
from collection.sources.over_http.rows_of_answer import rows_and_total
from collection.sources.over_http.unusable import broken, unknown_form
from usage.amounts.units import UNITS
from usage.incoming.record import IncomingRecord
from usage.incoming.values import UnreadableRow, amount, count, instant, is_within, label, number, text, wall_clock
from usage.measures import Measures, Provenance, Status, Tokens, What
from usage.proofs.bill import MOST_MODELS, WHOLE, Bill, Sum

USD = UNITS["USD"]
UTC_ZONE = ZoneInfo("UTC")
MAX_ROWS = 10_000
# A sum of costs is cut after this many parts of a dollar, for each call.
PARTS_OF_CALL = USD.one // 1_000_000
# The id of a generation has the second in which it began.
_EPOCH = re.compile(r"gen-(\d{10})-", re.ASCII)

Json = Mapping[str, object]


class Listed(NamedTuple):
    """The generations of a span, by id with the label of the key that made each; `total` counts them.

    One that `is_cut` has more than were listed.
    """

    labels: list[tuple[str, str]]
    total: int
    is_cut: bool


class Pending(NamedTuple):
    """A listed generation whose details are not available yet."""

    request_id: str


def read_list(answer: Answer, limit: int, secrets: Iterable[str]) -> Listed:
    """Read a list of generations. Raises SourceFailure."""
    payload = _payload(answer, secrets)
    data = _object(payload["data"])
    rows, about = data.get("data"), _object(data.get("metadata"))
    rows, total = rows_and_total(rows, about.get("row_count"), payload, secrets, most=MAX_ROWS)
    labels = [(text(_object(row).get("generation_id")), text(_object(row).get("api_key_id"))) for row in rows]
    is_cut = about.get("truncated") is True or total >= limit or len(rows) >= limit
    return Listed(labels, total, is_cut)


def newest(listed: Listed) -> str:
    """The id of the newest generation, as far as ids say when they were made; empty where there is none."""
    made = [(int(found[1]) if (found := _EPOCH.match(one)) else 0, one) for one, _ in listed.labels]
    return max(made, default=(0, ""))[1]


def read_generation(answer: Answer, secrets: Iterable[str]) -> Json:
    """All that is given of a generation. Raises SourceFailure."""
    payload = _payload(answer, secrets)
    found = payload["data"]
    if not isinstance(found, dict):
        raise unknown_form(Message("data_not_object"), payload, secrets)
    return found


def made_at(row: object) -> datetime:
    """The instant at which a generation began. Raises UnreadableRow."""
    return instant(_object(row).get("created_at"), UTC_ZONE).astimezone(UTC)


def read_row(row: object, key_label: str, server_zone: ZoneInfo) -> IncomingRecord:
    """Turn a generation, with numbers as text, into a record; raises UnreadableRow."""
    if isinstance(row, Pending):
        id_of(row.request_id)
        raise UnreadableRow(Message("generation_not_given"))
    given = _object(row)
    begun, cost = made_at(row), given.get("total_cost", given.get("usage"))
    return IncomingRecord(
        request_id=id_of(given.get("id")),
        amount=0 if cost is None else amount(cost, USD),
        model=label(text(given.get("model"))),
        client=label(key_label or text(given.get("http_referer")) or text(given.get("app_id"))),
        ts=wall_clock(begun, server_zone),
        agent_purpose=label(text(given.get("api_type"))),
        measures=Measures(
            Provenance.UNKNOWN if cost is None else Provenance.BILLED, _tokens(given), begun, _status(given)
        ),
    )


def bills(answer: Answer, secrets: Iterable[str], asked_at: datetime) -> dict[date, Bill | None]:
    """The bills of the days that the daily activity has; None for a day with a row that cannot be read. Raises
    SourceFailure."""
    payload = _payload(answer, secrets)
    rows = payload["data"]
    if not isinstance(rows, list):
        raise unknown_form(Message("rows_not_list"), payload, secrets)
    sums: dict[date, Counter[tuple[str, What]]] = {}
    unread: set[date] = set()
    for row in rows:
        given = _object(row)
        spent, calls = number(given.get("usage")), count(given.get("requests"))
        try:
            day = date.fromisoformat(text(given.get("date"))[:10])
        except ValueError:
            raise broken(Message("daily_sums_unreadable")) from None
        if spent is None or calls is None or not is_within(spent, USD.most):
            unread.add(day)
            continue
        model = label(text(given.get("model")))
        found = sums.setdefault(day, Counter())
        for name in {model, WHOLE}:
            found.update({(name, What.AMOUNT): USD.parts(spent), (name, What.CALLS): calls})
        if len(found) > 2 * MOST_MODELS or found[WHOLE, What.AMOUNT] > 2**62:
            raise broken(Message("daily_sums_unreadable"))
    return {day: None if day in unread else Bill(day, _billed(sums[day]), asked_at) for day in {*sums, *unread}}


def nothing_billed(day: date, asked_at: datetime) -> Bill:
    """The bill of a day that the activity does not have."""
    return Bill(day, {(WHOLE, What.AMOUNT): Sum(0), (WHOLE, What.CALLS): Sum(0)}, asked_at)


def _payload(answer: Answer, secrets: Iterable[str]) -> Json:
    """The object that an answer with `data` is. Raises SourceFailure for any other answer."""
    return usable_payload(answer, refusal, secrets)


def _billed(sums: Counter[tuple[str, What]]) -> dict[tuple[str, What], Sum]:
    within = {model: PARTS_OF_CALL * calls for (model, what), calls in sums.items() if what is What.CALLS}
    return {
        (model, what): Sum(value, within[model] if what is What.AMOUNT else 0) for (model, what), value in sums.items()
    }


def _tokens(given: Json) -> Tokens | None:
    """The tokens of a call by its provider's count, which has the cached ones in the prompt; else by OpenRouter's."""
    prompt, output = count(given.get("native_tokens_prompt")), count(given.get("native_tokens_completion"))
    cached = count(given.get("native_tokens_cached")) or 0
    if prompt is None or output is None:
        prompt, output, cached = count(given.get("tokens_prompt")), count(given.get("tokens_completion")), 0
    if prompt is None or output is None:
        return None
    return Tokens(prompt - cached if prompt >= cached else prompt, output, cached)


def _status(given: Json) -> Status:
    if given.get("cancelled") is True:
        return Status.CANCELLED
    return Status.ERROR if given.get("finish_reason") == "error" else Status.OK


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}
