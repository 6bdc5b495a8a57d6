"""The wall clocks of a window, in a source's zone and in the server's (docs/upstream.md#times-and-zones).

Where a clock repeats an hour, a window has the wall clocks of both occurrences.
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo


def first_wall(start: datetime, zone: ZoneInfo) -> str:
    """Give the earliest wall clock that a row from `start` on may have: in a repeated hour, its first occurrence."""
    local = start.astimezone(zone)
    return _wall(local if local.fold else local - _repeated(local))


def last_wall(end: datetime, zone: ZoneInfo) -> str:
    """Give the latest wall clock that a row up to `end` may have."""
    local = end.astimezone(zone)
    return _wall(local + _repeated(local) if local.fold else local)


def walls(start: datetime, end: datetime, zone: ZoneInfo) -> tuple[str, str]:
    """Give the first and the last `ts` in a zone that calls of a span may have."""
    return first_wall(start, zone), last_wall(end, zone)


def walls_of_rows(start: datetime, end: datetime, upstream_zone: ZoneInfo, server_zone: ZoneInfo) -> tuple[str, str]:
    """Give the first and the last `ts` that the rows of a window may have, in the server's zone.

    A row in the upstream's repeated hour is read as its first occurrence, also if it was the second.
    """
    earliest = datetime.fromisoformat(first_wall(start, upstream_zone)).replace(tzinfo=upstream_zone)
    latest = datetime.fromisoformat(last_wall(end, upstream_zone)).replace(tzinfo=upstream_zone)
    return walls(min(start, earliest), max(end, latest), server_zone)


def _repeated(local: datetime) -> timedelta:
    """Give the length of the clock's repetition at a moment: an hour in autumn's repeated hour, else zero."""
    return (local.replace(fold=0).utcoffset() or timedelta()) - (local.replace(fold=1).utcoffset() or timedelta())


def _wall(local: datetime) -> str:
    return local.replace(tzinfo=None).isoformat(" ", "seconds")
