"""What the ledger leaves open: days that were not asked for, and how far back the source gives calls."""

from collections.abc import Iterator
from datetime import date, timedelta

from django.db.models import QuerySet

from archive_site.lib.storage.sql import fetch
from usage.coverage import left_windows
from usage.models import CoverageDay, DayTotal

ONE_DAY = timedelta(days=1)
# The first and the last day of a span.
Span = tuple[date, date]


def first_asked(archive_id: int) -> date | None:
    [(day,)] = fetch("SELECT MIN(day) FROM usage_coverageday WHERE user_id = %s", [archive_id])
    return date.fromisoformat(day) if day else None


def gaps(archive_id: int, longest: int) -> Iterator[Span]:
    """The days between the first and the last day that was asked for, newest first, in spans of up to `longest`."""
    later: date | None = None
    for text in list(_asked(archive_id).reverse().values_list("day", flat=True)):
        day = date.fromisoformat(text)
        if later:
            yield from spans_back(later - ONE_DAY, day + ONE_DAY, longest)
        later = day


def spans_back(last: date, first: date, longest: int) -> Iterator[Span]:
    """The days from `last` back to `first`, in spans of up to `longest`; none if `first` is later."""
    while first <= last:
        begin = max(first, last - (longest - 1) * ONE_DAY)
        yield begin, last
        last = begin - ONE_DAY


def empty_days_at_the_bottom(archive_id: int, most: int) -> int:
    """How many of the oldest days, in a row, are empty at the source or were given up; counted up to `most`."""
    given_up = left_windows.given_up_days(archive_id)
    first = first_asked(archive_id) or date.max
    number = 0
    for text, upstream in _asked(archive_id).values_list("day", "upstream")[:most]:
        while (day := (first + number * ONE_DAY).isoformat()) in given_up and day < text:
            number += 1
        if upstream != 0 or day != text:
            break
        number += 1
    return min(number, most)


def first_given(archive_id: int) -> date | None:
    """The first day that was asked for and has calls at the source; where it was not counted, records here."""
    counted = _asked(archive_id).filter(upstream__gt=0).values_list("day", flat=True).first()
    uncounted = _asked(archive_id).filter(upstream=None).values("day")
    recorded = DayTotal.objects.filter(archive_id=archive_id, day__in=uncounted, calls__gt=0).order_by("day")
    days = [day for day in (counted, recorded.values_list("day", flat=True).first()) if day]
    return date.fromisoformat(min(days)) if days else None


def _asked(archive_id: int) -> QuerySet[CoverageDay]:
    return CoverageDay.objects.filter(archive_id=archive_id).order_by("day")
