"""Turning daily sums into bills (docs/upstream.md#daily-sums). Pure functions."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.failures import secrets_of
from collection.sources.codebuddy.rows import good_payload
from collection.sources.over_http.answer_json import object_of
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.unusable import broken, unknown_form
from usage.amounts.units import CREDITS
from usage.incoming.values import count, number, text
from usage.measures import What
from usage.proofs.bill import MOST_OF_SUM, WHOLE, Bill, Sum

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
    read = [each for each in map(_sum, rows) if each]
    if rows and not read:
        raise broken(Message("daily_sums_unreadable"))
    # A row that cannot be read, or a day that stands there twice, costs itself alone.
    times = Counter(day for day, _ in read)
    for day, spent in sorted(read):
        if first <= day <= last and times[day] == 1:
            yield Bill(day, {(WHOLE, What.AMOUNT): Sum(spent, _WITHIN)}, asked_at)


def _sum(row: object) -> tuple[date, int] | None:
    """The day and the parts of a row; None where it cannot be read."""
    if not isinstance(row, dict):
        return None
    day, spent = clock.parse_day(text(row.get("date")).strip()), number(row.get("credit"))
    # A comparison is exact, while `abs` overflows where a number has a million digits.
    if day is None or spent is None or not -_MOST < spent < _MOST:
        return None
    return day, CREDITS.parts(spent)
