"""Which of the schedule's slots an account is owed, and what is done about them (design 6). Pure functions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from accounts.config import InstanceSettings
from archive_site.lib import clock
from collection.models import Run
from collection.schedule.times_of_day import due_at

# The queue looks at its schedules twice a minute, the first time half a minute after its start.
TICK_DRIFT = timedelta(minutes=2)


@dataclass(frozen=True)
class Slot:
    """One occurrence of a time of day: its `HH:MM`, its day in the server's calendar, the instant it is due."""

    text: str
    day: date
    due: datetime


def past_slots(times: Iterable[str], now: datetime, grace: timedelta) -> list[Slot]:
    """The occurrences that were due within `grace` before `now`, and of each time the newest one, oldest first."""
    today = clock.local_day(now)
    days = [today - timedelta(days=back) for back in range(grace // timedelta(days=1) + 3)]
    slots: list[Slot] = []
    for text in times:
        past = [slot for slot in (Slot(text, day, due_at(day, text)) for day in days) if slot.due <= now]
        slots += [slot for place, slot in enumerate(past) if place == 0 or now - slot.due <= grace]
    return sorted(slots, key=lambda slot: slot.due)


def owed(slots: Iterable[Slot], marks: Mapping[str, date], since: datetime, times_since: datetime) -> list[Slot]:
    """Those not marked yet. Nothing is owed from before `since`, when the cookie was set or the schedule switched on.

    Of a time without a mark, a new one, nothing is owed from before `times_since`, when the times were set.
    """

    def is_owed(slot: Slot) -> bool:
        if slot.text in marks:
            return slot.due >= since and slot.day > marks[slot.text]
        return slot.due >= max(since, times_since)

    return [slot for slot in slots if is_owed(slot)]


def trigger_for(
    slots: Iterable[Slot], now: datetime, settings: InstanceSettings, *, cookie_refused: bool
) -> Run.Trigger | None:
    """The one run that stands for these slots; None where they are too late, or a refused cookie waits for tomorrow.

    With a refused cookie only the first slot of a day tries.
    """
    tried = [slot for slot in slots if not cookie_refused or slot.text == settings.schedule_times[0]]
    late = [now - slot.due for slot in tried]
    if any(much <= timedelta(minutes=settings.drift_tolerance_minutes) + TICK_DRIFT for much in late):
        return Run.Trigger.SCHEDULE
    if settings.catch_up and any(much <= timedelta(hours=settings.catch_up_grace_hours) for much in late):
        return Run.Trigger.STARTUP
    return None
