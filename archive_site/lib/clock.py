"""Conversion between instants and the wall clock of the server's zone.

The code works with aware datetimes; only input and output are text:
docs/decisions/records.md#aware-instants-inside-wall-clock-at-the-border.
"""

import re
from datetime import date, datetime, time, timedelta
from typing import overload

from django.utils import timezone

# Instants near the beginning of the calendar cannot be converted to other zones, so no earlier day is asked for.
EARLIEST = date(1970, 1, 1)
_DAY = re.compile(r"\s*(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:[T\s].*)?\Z", re.ASCII | re.DOTALL)


def now() -> datetime:
    """The current instant, aware. Tests replace this function."""
    return timezone.now()


def today() -> date:
    return local_day(now())


def local_day(instant: datetime) -> date:
    """The day of an instant in the server's zone."""
    return _local(instant).date()


def local_time(instant: datetime) -> datetime:
    """What a wall clock in the server's zone shows at an instant, naive."""
    return _local(instant).replace(tzinfo=None)


@overload
def local_text(instant: datetime) -> str: ...
@overload
def local_text(instant: datetime | None) -> str | None: ...
def local_text(instant: datetime | None) -> str | None:
    """`YYYY-MM-DD HH:MM:SS` in the server's zone; None for None."""
    return None if instant is None else _local(instant).isoformat(" ")[: len("2026-09-07 23:42:00")]


def offset_text(instant: datetime) -> str:
    """`YYYY-MM-DDTHH:MM:SS+08:00`: the wall clock of the server's zone, and how far it is from UTC."""
    return _local(instant).isoformat(timespec="seconds")


def day_start(day: date) -> datetime:
    """The first instant of a day; of a repeated midnight, the first occurrence."""
    return datetime.combine(day, time.min, timezone.get_default_timezone())


def day_end(day: date) -> datetime:
    """The last whole second of a day; of a repeated hour, the second occurrence."""
    return datetime.combine(day, time(23, 59, 59), timezone.get_default_timezone()).replace(fold=1)


def parse_day(text: str) -> date | None:
    """The day of `YYYY-MM-DD` or `YYYY/MM/DD`, without a time part; None if it is no day: docs/api.md#dates."""
    found = _DAY.match(text)
    if not found:
        return None
    try:
        return date(int(found[1]), int(found[3]), int(found[4]))
    except ValueError:
        return None


def is_whole_time(text: str) -> bool:
    """Whether a text is a time as records store it: `YYYY-MM-DD HH:MM:SS`."""
    try:
        return datetime.fromisoformat(text).isoformat(" ") == text and len(text) == len("2026-09-07 23:42:00")
    except ValueError:
        return False


def days_between(first: date, last: date) -> int:
    """The number of days from `first` to `last`, both included."""
    return (last - first) // timedelta(days=1) + 1


def _local(instant: datetime) -> datetime:
    # Not `localtime`, which looks up a thread's own zone first; that takes longer than the conversion.
    return instant.astimezone(timezone.get_default_timezone())
