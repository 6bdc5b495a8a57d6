"""The counter of all that an account has spent at its source, beside the calls of the archive: what it rises by more is
of calls that the source does not list (docs/decisions/collection.md#proofs)."""

from collections import Counter
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

from django.db import connection

from archive_site.lib import clock
from archive_site.lib.storage.sql import fetch
from usage.measures import Status, What
from usage.models import DayProof, SpentReading
from usage.proofs.bill import ONE_DAY, WHOLE, Sum, Sums
from usage.stored_measures import places_of

# Each run reads the calls of so long again, so then all are here that are listed.
_ALL_HERE_AFTER = timedelta(hours=3)
# A call may be counted a little before or after the instant that it has.
_ABOUT = timedelta(minutes=5)
# Wall clocks tell the records apart only nearly, where the clock is set back.
_SET_BACK = timedelta(hours=1)
_LISTED = """
    SELECT COALESCE(SUM(r.credits), 0) FROM usage_record r JOIN usage_recordmeasures m ON m.record_id = r.id
    WHERE r.user_id = %s AND r.ts >= %s AND r.ts <= %s AND m.at > %s AND m.at <= %s AND m.status <> %s"""


def note(archive_id: int, spent: int, read_at: datetime) -> bool:
    """Keep what the counter showed at an aware instant, in parts of the unit, and judge what it showed before, in the
    caller's transaction; gives whether calls are missing that were not before."""
    rows = list(SpentReading.objects.filter(archive_id=archive_id).order_by("read_at"))
    if rows and rows[-1].read_at >= read_at:
        # The clock was set back.
        SpentReading.objects.filter(archive_id=archive_id, read_at__gte=read_at).delete()
        rows = [one for one in rows if one.read_at < read_at]
    # Of what was spent before the first reading nothing is known.
    rows.append(SpentReading(archive_id=archive_id, read_at=read_at, spent=spent, missing=None if rows else 0))
    rows[-1].save(force_insert=True)
    found = [one for before, one in pairwise(rows) if _is_judged(before, one)]
    judged = [one.read_at for one in rows if one.missing is not None]
    SpentReading.objects.filter(archive_id=archive_id, missing=0, read_at__lt=max(judged, default=read_at)).delete()
    return any(one.missing for one in found)


def missing(archive_id: int, days: Collection[date]) -> dict[date, int]:
    """By how much the counter rose more, in parts of the unit, where that may be of one of these days in UTC."""
    first, last = (datetime.combine(day, datetime.min.time(), UTC) for day in (min(days), max(days) + ONE_DAY))
    found = Counter[date]()
    rows = SpentReading.objects.filter(archive_id=archive_id, missing__gt=0, since__lt=last, read_at__gt=first)
    for one in rows:
        found.update(dict.fromkeys(_days(one.since or one.read_at, one.read_at), one.missing or 0))
    return {day: found[day] for day in days if day in found}


def with_missing(sums: Sums, parts: int) -> Sums:
    """The sums of a day's bill with what the counter has more."""
    whole = sums.get((WHOLE, What.AMOUNT), Sum(0))
    return {**sums, (WHOLE, What.AMOUNT): whole._replace(amount=whole.amount + parts)} if parts else sums


def _is_judged(before: SpentReading, one: SpentReading) -> bool:
    if one.missing is not None or one.read_at > clock.now() - _ALL_HERE_AFTER:
        return False
    # What is about an end counts for both spans, so that less is found missing, but none that is not.
    listed = _listed(one.archive_id, before.read_at - _ABOUT, one.read_at + _ABOUT)
    one.since, one.missing = before.read_at, max(0, one.spent - before.spent - listed)
    SpentReading.objects.filter(archive_id=one.archive_id, read_at=one.read_at).update(
        since=one.since, missing=one.missing
    )
    if one.missing:
        days = [str(day) for day in _days(before.read_at, one.read_at)]
        DayProof.objects.filter(bill_id=one.archive_id, day__in=days).delete()
    return True


def _listed(archive_id: int, start: datetime, end: datetime) -> int:
    """The parts that calls of a span cost. A refund gives back what the counter keeps."""
    clocks = [clock.local_text(each) for each in (start - _SET_BACK, end + _SET_BACK)]
    instants = [connection.ops.adapt_datetimefield_value(each) for each in (start, end)]
    [(parts,)] = fetch(_LISTED, [archive_id, *clocks, *instants, *places_of([Status.REFUND])])
    return int(parts)


def _days(since: datetime, until: datetime) -> list[date]:
    """The days in UTC that a span touches."""
    first, last = (each.astimezone(UTC).date() for each in (since, until))
    return [first + number * ONE_DAY for number in range((last - first).days + 1)]
