"""Turning daily sums into bills (docs/upstream.md#daily-sums). Pure functions."""

from collections.abc import Iterator
from datetime import date, datetime

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.failures import secrets_of
from collection.sources.codebuddy.rows import good_payload
from collection.sources.over_http.answer_json import object_of
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.unusable import broken, unknown_form
from usage.incoming_values import count, number, text
from usage.measures import What
from usage.proofs.bill import MOST_OF_SUM, WHOLE, Bill, Sum
from usage.units import CREDITS

ROUTE = "get-user-daily-usage"
# They have two decimals, rounded or cut: less than the last one.
_WITHIN = CREDITS.one // 100 - 1
_MOST = MOST_OF_SUM // CREDITS.one


def read_bills(answer: Answer, first: date, last: date, asked_at: datetime, cookie: str) -> Iterator[Bill]:
    """The bills of those days from `first` to `last` that an answer has. Raises SourceFailure."""
    payload = good_payload(answer, cookie)
    data = object_of(payload.get("data"))
    rows = data.get("data")
    if not isinstance(rows, list):
        raise unknown_form(Message("rows_not_list"), payload, secrets_of(cookie))
    if count(data.get("total")) != len(rows):
        raise broken(Message("daily_sums_unreadable"))
    found = dict(_sum(row) for row in rows)
    if len(found) != len(rows):
        # A day twice.
        raise broken(Message("daily_sums_unreadable"))
    for day in sorted(found):
        if first <= day <= last:
            yield Bill(day, {(WHOLE, What.AMOUNT): Sum(found[day], _WITHIN)}, asked_at)


def _sum(row: object) -> tuple[date, int]:
    """The day and the parts of a row. Raises SourceFailure."""
    if isinstance(row, dict):
        day, spent = clock.parse_day(text(row.get("date")).strip()), number(row.get("credit"))
        # A comparison is exact, while `abs` overflows where a number has a million digits.
        if day is not None and spent is not None and -_MOST < spent < _MOST:
            return day, CREDITS.parts(spent)
    raise broken(Message("daily_sums_unreadable"))
