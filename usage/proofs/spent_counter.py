"""The counter of all that an account has spent at its source, beside the calls of the archive: what it rises by more is
of calls that the source does not list (docs/decisions/collection.md#proofs)."""

from collections import Counter
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta

from django.db import connection

from archive_site.lib import clock
from archive_site.lib.storage.sql import fetch
from usage import horizon
from usage.measures import Status, What
from usage.models import DayProof, SpentReading
from usage.proofs.bill import ONE_DAY, WHOLE, Spent, Sum, Sums
from usage.stored_measures import places_of

# Each run reads the calls of so long again, so then all are here that are listed.
_ALL_HERE_AFTER = timedelta(hours=3)
# A call may be counted a little before or after the instant that it has.
_ABOUT = timedelta(minutes=5)
# Wall clocks tell the records apart only nearly, where the clock is set back.
_SET_BACK = timedelta(hours=1)
_NEVER = datetime.min.replace(tzinfo=UTC)
_LISTED = """
    SELECT COALESCE(SUM(r.credits), 0) FROM usage_record r JOIN usage_recordmeasures m ON m.record_id = r.id
    WHERE r.user_id = %s AND r.ts >= %s AND r.ts <= %s AND m.at > %s AND m.at <= %s AND m.status <> %s"""


def note(archive_id: int, spent: Spent) -> None:
    """Keep what the counter showed, in the caller's transaction."""
    SpentReading.objects.filter(archive_id=archive_id, read_at__gte=spent.asked_at).delete()
    last = SpentReading.objects.filter(archive_id=archive_id).order_by("-read_at").first()
    new = SpentReading(archive_id=archive_id, read_at=spent.asked_at, counter=spent.counter, spent=spent.parts)
    if last and last.counter == spent.counter:
        new.since = last.read_at
        if new.since >= _kept_since(archive_id):
            new.rise = spent.parts - last.spent
    else:
        # Of what was spent before the first reading nothing is known.
        new.missing = 0
    new.save(force_insert=True)


def judge(archive_id: int, read_until: datetime | None) -> bool:
    """Judge what the counter showed, as far as the calls until then were read, in the caller's transaction; gives
    whether other calls are missing than before."""
    rows = list(SpentReading.objects.filter(archive_id=archive_id).order_by("read_at"))
    judged_until = min(read_until or _NEVER, clock.now() - _ALL_HERE_AFTER)
    since_kept = _kept_since(archive_id)
    # What is missing may come by a later reading of its days. Of erased ones nobody knows any more what was listed.
    judged_again = [one for one in rows if one.missing != 0 and (one.since or one.read_at) >= since_kept]
    changed = [_judge(one, is_all_here=one.read_at <= judged_until) for one in judged_again]
    judged = [one.read_at for one in rows if one.missing is not None]
    if judged:
        SpentReading.objects.filter(archive_id=archive_id, missing=0, read_at__lt=max(judged)).delete()
    return any(changed)


def unjudged(archive_id: int) -> set[date]:
    """The days in UTC of which the counter shows more than the calls that are here, which may still come."""
    rows = SpentReading.objects.filter(archive_id=archive_id, missing=None)
    kept = [one for one in rows if (one.since or one.read_at) >= _kept_since(archive_id)]
    return {day for one in kept for day in _days(one.since or one.read_at, one.read_at)}


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


def _kept_since(archive_id: int) -> datetime:
    kept_from = horizon.first_day(archive_id)
    return clock.day_start(kept_from) if kept_from else _NEVER


def _judge(one: SpentReading, *, is_all_here: bool) -> bool:
    """Note how much of a rise no calls explain, if no calls can come that do; gives whether the days have other proofs
    now, or none."""
    since, before = one.since or one.read_at, one.missing or 0
    # What is about an end counts for both spans, so that less is found missing, but none that is not.
    listed = _listed(one.archive_id, since - _ABOUT, one.read_at + _ABOUT)
    missing = max(0, one.rise - listed)
    days = [str(day) for day in _days(since, one.read_at)]
    proofs = DayProof.objects.filter(bill_id=one.archive_id, day__in=days)
    if missing and not is_all_here:
        # Compared before the counter was read.
        return one.missing is None and proofs.delete()[0] > 0
    one.missing = missing
    SpentReading.objects.filter(archive_id=one.archive_id, read_at=one.read_at).update(missing=one.missing)
    if one.missing == before:
        return False
    proofs.delete()
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
