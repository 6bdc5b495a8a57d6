"""Sums of calls whose wall clock alone is known, by the days of another zone."""

from collections.abc import Sequence
from datetime import date, timedelta, tzinfo

from archive_site.lib import clock
from archive_site.lib.storage.sql import fetch
from usage.measures import What
from usage.proofs.bill import ONE_DAY, WHOLE, end_of
from usage.proofs.comparison import SumsHere

_HOUR = timedelta(hours=1)
_SUM = "SELECT COALESCE(SUM(credits), 0) FROM usage_record WHERE user_id = %s AND ts >= %s AND ts < %s"


def sums_of_days(archive_id: int, days: Sequence[date], zone: tzinfo) -> dict[date, SumsHere]:
    """What the calls of each of these days of a zone cost, none of which touches a repeated hour. A query for each."""
    return {day: {(WHOLE, What.AMOUNT): _sum(archive_id, day, zone)} for day in days}


def touches_repeated_hour(day: date, zone: tzinfo) -> bool:
    """Whether the server's clock is set back within a day of a zone, or beside it: calls of the repeated hour may be of
    another day."""
    near = (clock.local_time(moment) for moment in (end_of(day - ONE_DAY, zone) - _HOUR, end_of(day, zone) + _HOUR))
    first, last = near
    return last - first < ONE_DAY + 2 * _HOUR


def _sum(archive_id: int, day: date, zone: tzinfo) -> int:
    bounds = (clock.local_time(end_of(each, zone)).isoformat(" ", "seconds") for each in (day - ONE_DAY, day))
    [(found,)] = fetch(_SUM, [archive_id, *bounds])
    return int(found)
