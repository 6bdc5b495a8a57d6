"""Days by calendar month, `YYYY-MM`."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from archive_site.lib.http.parameter_parsing import Days


def first_day(month: str) -> date:
    return date.fromisoformat(f"{month}-01")


def last_day(month: str) -> date:
    return (first_day(month) + timedelta(days=31)).replace(day=1) - timedelta(days=1)


def without(first: date, last: date, covered: Iterable[tuple[date, date]]) -> Iterator[Days]:
    """The spans from `first` to `last` that none of these covers; they are within it, in order, and do not overlap."""
    start = first
    for begin, end in covered:
        if start < begin:
            yield Days(start, begin - timedelta(days=1))
        start = end + timedelta(days=1)
    if start <= last:
        yield Days(start, last)
