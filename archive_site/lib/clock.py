"""The one place that turns instants into the wall clock of the server's zone, and back.

Instants are aware datetimes everywhere inside; text leaves and enters at the border only (specification 2).
"""

import re
from datetime import date, datetime, time, timedelta

from django.utils import timezone

TIMESTAMP_FORMAT = "%Y-%m-%d %H:%M:%S"
_DAY = re.compile(r"\s*(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:[T\s].*)?\Z", re.ASCII | re.DOTALL)


def now() -> datetime:
    """This instant, aware. Tests replace time here."""
    return timezone.now()


def today() -> date:
    return local_day(now())


def local_day(instant: datetime) -> date:
    """The day of the server's calendar in which an instant lies."""
    return timezone.localtime(instant).date()


def local_text(instant: datetime | None) -> str | None:
    """`YYYY-MM-DD HH:MM:SS` in the server's zone, None for None."""
    return None if instant is None else timezone.localtime(instant).strftime(TIMESTAMP_FORMAT)


def day_start(day: date) -> datetime:
    """The first instant of a day; a repeated midnight counts from its first occurrence."""
    return datetime.combine(day, time.min, timezone.get_default_timezone())


def day_end(day: date) -> datetime:
    """The last whole second of a day; in a repeated hour its second occurrence."""
    return datetime.combine(day, time(23, 59, 59), timezone.get_default_timezone()).replace(fold=1)


def parse_day(text: str) -> date | None:
    """The day that `YYYY-MM-DD` or `YYYY/MM/DD` names, a time part dropped; None when it names none (4.1)."""
    found = _DAY.match(text)
    if not found:
        return None
    try:
        return date(int(found[1]), int(found[3]), int(found[4]))
    except ValueError:
        return None


def days_between(first: date, last: date) -> int:
    """How many days a span holds, both ends counted."""
    return (last - first) // timedelta(days=1) + 1
