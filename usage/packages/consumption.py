"""What the calls of an archive cost between two instants (docs/decisions/collection.md#packages)."""

from datetime import datetime, timedelta

from archive_site.lib import clock
from archive_site.lib.storage.sql import fetch
from usage.rollups import erased_sums

# The records of the first and last day, and the sums of the days between. Of an erased day, the hours after the first
# one, and the last one whole.
_SPAN = f"user_id = %s AND ts > %s AND ts <= %s AND {erased_sums.KEPT.format('ts')}"
_OF_RECORDS = f"SELECT SUM(credits) FROM usage_record WHERE {_SPAN}"  # noqa: S608 - constants
_OF_HOURS = f"SELECT SUM(credits) FROM {erased_sums.TABLE} WHERE user_id = %s AND day = %s AND hour > %s AND hour <= %s"  # noqa: S608 - constants
_OF_DAYS = "SELECT SUM(credits) FROM usage_daytotal WHERE user_id = %s AND day > %s AND day < %s"
_PARTS = (_OF_RECORDS, _OF_HOURS, _OF_RECORDS, _OF_HOURS, _OF_DAYS)
_SPENT = f"SELECT {' + '.join(f'COALESCE(({part}), 0)' for part in _PARTS)}"

_HOUR, _SECOND = timedelta(hours=1), timedelta(seconds=1)


def spent(archive_id: int, start: datetime, end: datetime) -> int:
    """The parts that calls after `start` and up to `end` cost, by the wall clock of the server: nothing where a source
    showed a package after its end. One query."""
    if end <= start:
        return 0
    first, last = _wall_clocks(start, end)
    from_text, to_text = (each.isoformat(" ", "seconds") for each in (first, last))
    first_day, last_day = str(first.date()), str(last.date())
    if first_day == last_day:
        parts = [(from_text, to_text), (to_text, to_text)]
        hours = [(first_day, first.hour, last.hour), (last_day, last.hour, last.hour)]
    else:
        parts = [(from_text, f"{first_day} 23:59:59"), (f"{last_day} ", to_text)]
        hours = [(first_day, first.hour, 23), (last_day, -1, last.hour)]
    values: list[object] = []
    for part, of_day in zip(parts, hours, strict=True):
        values += [archive_id, *part, archive_id, archive_id, *of_day]
    [(found,)] = fetch(_SPENT, [*values, archive_id, first_day, last_day])
    return int(found)


def _wall_clocks(start: datetime, end: datetime) -> tuple[datetime, datetime]:
    """The wall clocks that calls of a span are after, and up to. Of a repeated hour that it begins or ends in they are
    those of the whole hour: the clock of a call does not say which of the two it was."""
    first, last = clock.local_time(start), clock.local_time(end)
    if _is_set_back(start, min(start + _HOUR, end)):
        first = first.replace(minute=0, second=0) - _SECOND
    if _is_set_back(max(start, end - _HOUR), end):
        last = last.replace(minute=59, second=59)
    return first, last


def _is_set_back(start: datetime, end: datetime) -> bool:
    """Whether the server's clock is set back between two instants."""
    return clock.local_time(end) - clock.local_time(start) < end - start
