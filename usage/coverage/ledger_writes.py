"""Writes the ledger of days, in the transactions that learn something.

The rules: docs/decisions/collection.md#the-ledger-of-days.

The caller raises the archive's data version.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from django.db import connection
from django.db.models import Q

from archive_site.lib import clock
from archive_site.lib.storage.sql import execute_many, fetch
from usage.models import CoverageDay, DayTotal, Reach
from usage.source_traits import Traits, traits_of

# After a reading that changed something.
NEXT_READING = timedelta(hours=24)
# Days that were read long after their end wait in turn, so that recent days are still read in time.
OLD_READINGS_A_DAY = 5

# The source has at least the calls that it just gave.
_NOTE_CHANGES = """
    UPDATE usage_coverageday SET settled_at = NULL, next_read_at = COALESCE(next_read_at, %s),
    upstream = COALESCE((
        SELECT calls FROM usage_daytotal t WHERE t.user_id = usage_coverageday.user_id
        AND t.day = usage_coverageday.day AND calls > upstream), upstream)
    WHERE user_id = %s AND day = %s"""


@dataclass(frozen=True)
class DayReading:
    """What a reading of a whole day gave: calls, and calls with an empty prompt.

    `is_bare`: it left prompts out. `changed`: it changed the archive. `lacks_prompts`: prompts may still come.
    """

    day: date
    upstream: int
    empty: int | None
    is_bare: bool
    changed: bool
    lacks_prompts: bool = False


def note_passed(archive_id: int, days: Iterable[date]) -> None:
    """Note days that were read to their end, in parts: nothing is counted yet. Known days stay as they are."""
    wait = traits_of(archive_id).first_reading
    rows = [CoverageDay(archive_id=archive_id, day=day.isoformat(), next_read_at=_end(day) + wait) for day in days]
    CoverageDay.objects.bulk_create(rows, ignore_conflicts=True)


def note_unconfirmed(archive_id: int, days: Sequence[date], at: datetime, left: Collection[str]) -> None:
    """Note days that were read whole, but not as the source counts them: the window of those `left` is read again. The
    others are of parts that the source confirmed, and are read by themselves."""
    note_passed(archive_id, days)
    for day in days:
        text = day.isoformat()
        scheduled = _scheduled_reading(traits_of(archive_id), day, at) or (None if text in left else at)
        CoverageDay.objects.filter(archive_id=archive_id, day=text).update(settled_at=None, next_read_at=scheduled)


def read_soon(archive_id: int, days: Iterable[date], now: datetime) -> None:
    """Let days that wait for nothing, and have not settled, be read by the next run."""
    texts = [day.isoformat() for day in days]
    waiting = CoverageDay.objects.filter(archive_id=archive_id, day__in=texts, settled_at=None, next_read_at=None)
    waiting.update(next_read_at=now)


def note_readings(archive_id: int, readings: Sequence[DayReading], read_at: datetime, *, settles: bool) -> int:
    """Note days that were read whole from `read_at` on; return how many of them are settled now, and were not before.

    Without `settles` no day settles, but the counts are kept.
    """
    traits, days = traits_of(archive_id), [each.day.isoformat() for each in readings]
    known = CoverageDay.objects.filter(archive_id=archive_id, day__in=days)
    readings = _judged(archive_id, readings, read_at)
    settled = {each.day.isoformat() for each in readings if settles and _is_settling(traits, each, read_at)}
    before = known.filter(day__in=settled, settled_at__isnull=False).count()
    rows = [
        CoverageDay(
            archive_id=archive_id,
            day=each.day.isoformat(),
            upstream=each.upstream,
            checked_at=read_at,
            empty=each.empty,
            read_at=read_at,
            settled_at=read_at if each.day.isoformat() in settled else None,
            next_read_at=_next_reading(traits, each, read_at),
        )
        for each in readings
    ]
    CoverageDay.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["archive_id", "day"],
        update_fields=["upstream", "checked_at", "empty", "read_at", "settled_at", "next_read_at"],
    )
    return len(settled) - before


def note_count(archive_id: int, day: date, upstream: int, at: datetime) -> None:
    """Note how many calls of a whole day the source counts."""
    note_passed(archive_id, [day])
    CoverageDay.objects.filter(archive_id=archive_id, day=day.isoformat()).update(upstream=upstream, checked_at=at)


def note_changes(archive_id: int, days: Iterable[str]) -> None:
    """Note that the source gave something new for these days: they are not settled, and are read again."""
    again_at = connection.ops.adapt_datetimefield_value(clock.now() + NEXT_READING)
    execute_many(_NOTE_CHANGES, [(again_at, archive_id, day) for day in days])


def due(archive_id: int, now: datetime, most: int, *, besides: Collection[str] = ()) -> list[date]:
    """The days that are to be read again, oldest first, without those of `besides`.

    A day that was read under a clock that ran ahead is due: it could wait for years, or have settled too early.
    """
    is_ahead = Q(read_at__gt=now, next_read_at__gt=now + NEXT_READING) | Q(settled_at__gt=now, next_read_at=None)
    waiting = CoverageDay.objects.filter(Q(next_read_at__lte=now) | is_ahead, archive_id=archive_id).order_by("day")
    if besides:
        waiting = waiting.exclude(day__in=besides)
    return [date.fromisoformat(day) for day in waiting.values_list("day", flat=True)[:most]]


def settled(archive_id: int, first: date, last: date) -> list[date]:
    """The settled days from `first` to `last`, oldest first."""
    found = CoverageDay.objects.filter(archive_id=archive_id, day__gte=first.isoformat(), day__lte=last.isoformat())
    days = found.filter(settled_at__isnull=False).order_by("day").values_list("day", flat=True)
    return [date.fromisoformat(day) for day in days]


def postpone(archive_id: int, day: date, now: datetime) -> None:
    """Leave a day that cannot be read whole to a later run; give it up where the source may not give it any more."""
    later = now + NEXT_READING if now - _end(day) < traits_of(archive_id).text_given else None
    CoverageDay.objects.filter(archive_id=archive_id, day=day.isoformat()).update(next_read_at=later, settled_at=None)


def give_up(archive_id: int, before: date) -> None:
    """Read no day from before this one again: the source does not give it any more."""
    waiting = CoverageDay.objects.filter(archive_id=archive_id, day__lt=before.isoformat(), next_read_at__isnull=False)
    waiting.update(next_read_at=None)


def take_turns(archive_id: int, days: Iterable[date], now: datetime) -> None:
    """Let old days that are to be read again wait in turn behind those that wait already, a few for each day."""
    recent = clock.local_day(now - traits_of(archive_id).text_given).isoformat()
    old = [day.isoformat() for day in days if day.isoformat() < recent]
    waiting = CoverageDay.objects.filter(archive_id=archive_id, day__lt=recent, next_read_at__isnull=False).order_by(
        "-day"
    )
    before = waiting.exclude(day__in=old).count()
    for place, row in enumerate(waiting.filter(day__in=old), before):
        CoverageDay.objects.filter(archive_id=archive_id, day=row.day).update(
            next_read_at=now + NEXT_READING * (1 + place // OLD_READINGS_A_DAY)
        )


def known_count(archive_id: int, day: date) -> int | None:
    """How many calls the source counted on a day, when it was last counted."""
    return (
        CoverageDay.objects.filter(archive_id=archive_id, day=day.isoformat())
        .values_list("upstream", flat=True)
        .first()
    )


def reach(archive_id: int) -> str:
    """The first day within the source's reach, as far as it is known; else an empty text."""
    rows = fetch("SELECT first_day FROM usage_reach WHERE user_id = %s", [archive_id])
    return str(rows[0][0]) if rows else ""


def note_given(archive_id: int, first_day: date) -> None:
    """Note that the source gives calls of this day: it and all later days are within its reach."""
    Reach.objects.filter(archive_id=archive_id, first_day__gt=first_day.isoformat()).update(
        first_day=first_day.isoformat()
    )


def raise_reach(archive_id: int, first_day: date) -> None:
    """Note that the source gives no calls from before this day."""
    reach, _ = Reach.objects.get_or_create(archive_id=archive_id, defaults={"first_day": first_day.isoformat()})
    if reach.first_day < first_day.isoformat():
        Reach.objects.filter(archive_id=archive_id).update(first_day=first_day.isoformat())


def move(old_id: int, heir_id: int) -> None:
    """Move the ledger of an adopted archive to its heir, in the caller's transaction.

    What the source counted for one of the two archives is unknown for both together. The next runs count again.
    """
    moved = list(CoverageDay.objects.filter(archive_id=old_id).values_list("day", flat=True))
    now = clock.now()
    recent = (clock.local_day(now) - traits_of(heir_id).text_given).isoformat()
    CoverageDay.objects.filter(archive_id=heir_id).update(
        upstream=None, checked_at=None, empty=None, read_at=None, settled_at=None
    )
    CoverageDay.objects.bulk_create([CoverageDay(archive_id=heir_id, day=day) for day in moved], ignore_conflicts=True)
    CoverageDay.objects.filter(archive_id=heir_id, day__gte=recent).update(next_read_at=now)
    for model in (CoverageDay, Reach):
        model.objects.filter(archive_id=old_id).delete()


def _judged(archive_id: int, readings: Sequence[DayReading], read_at: datetime) -> list[DayReading]:
    """The readings, compared with the records and with the reading before.

    Prompts may come late, so only a late reading says what is really empty; a day that lacks prompts is not done while
    the source gives them. Neither is one that suddenly lost calls: only the next reading shows whether they are gone.
    """
    days = [each.day.isoformat() for each in readings]
    known = {row.day: row for row in CoverageDay.objects.filter(archive_id=archive_id, day__in=days)}
    here = {row.day: row for row in DayTotal.objects.filter(archive_id=archive_id, day__in=days)}
    traits, judged = traits_of(archive_id), []
    for each in readings:
        before = known.get(each.day.isoformat()) or CoverageDay()
        kept = here.get(each.day.isoformat()) or DayTotal(calls=0, without_prompt=0)
        lost = each.upstream < kept.calls and each.upstream != before.upstream
        lacks = False
        if read_at >= _end(each.day) + traits.text_given:
            each = replace(each, empty=before.empty)
        elif each.is_bare:
            was_late = before.read_at is not None and before.read_at >= _end(each.day) + traits.last_reading
            each = replace(each, empty=max(each.empty or 0, before.empty or 0 if was_late else 0))
            lacks = kept.without_prompt > (each.empty or 0)
        judged.append(replace(each, changed=each.changed or lost, lacks_prompts=lacks))
    return judged


def _end(day: date) -> datetime:
    return clock.day_start(day + timedelta(days=1))


def _is_settling(traits: Traits, reading: DayReading, read_at: datetime) -> bool:
    is_done = not reading.changed and not reading.lacks_prompts
    return is_done and read_at >= _end(reading.day) + traits.last_reading


def _scheduled_reading(traits: Traits, day: date, read_at: datetime) -> datetime | None:
    """When each day is read again; None after the last time."""
    times = (_end(day) + traits.first_reading, _end(day) + traits.last_reading)
    return next((at for at in times if read_at < at), None)


def _next_reading(traits: Traits, reading: DayReading, read_at: datetime) -> datetime | None:
    scheduled = _scheduled_reading(traits, reading.day, read_at)
    if reading.changed and read_at >= _end(reading.day) + traits.first_reading:
        return min(read_at + NEXT_READING, scheduled) if scheduled else read_at + NEXT_READING
    if scheduled:
        return scheduled
    # Ever later: where the source gives no prompts at all, every day lacks them, and recent days come last.
    return read_at + (read_at - _end(reading.day)) if reading.lacks_prompts else None
