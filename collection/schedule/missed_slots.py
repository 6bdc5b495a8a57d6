"""The slots that an account has missed, and the run that covers them. Pure functions.

The rules: docs/decisions/scheduling.md#slots.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from accounts.config import InstanceSettings
from archive_site.lib import clock
from collection.models import Run
from collection.schedule.times_of_day import due_at

# The queue checks its schedules twice a minute, for the first time half a minute after its start.
TICK_DRIFT = timedelta(minutes=2)


@dataclass(frozen=True)
class Slot:
    """One occurrence of a time of day: its `HH:MM`, its day in the server's calendar, the instant when it is due."""

    text: str
    day: date
    due: datetime


def past_slots(times: Iterable[str], now: datetime, grace: timedelta) -> list[Slot]:
    """The occurrences due within `grace` before `now`, and the newest one of each time, oldest first."""
    today = clock.local_day(now)
    days = [today - timedelta(days=back) for back in range(grace // timedelta(days=1) + 3)]
    slots: list[Slot] = []
    for text in times:
        past = [slot for slot in (Slot(text, day, due_at(day, text)) for day in days) if slot.due <= now]
        slots += [slot for place, slot in enumerate(past) if place == 0 or now - slot.due <= grace]
    return sorted(slots, key=lambda slot: slot.due)


def owed(slots: Iterable[Slot], marks: Mapping[str, date], since: datetime, times_since: datetime) -> list[Slot]:
    """The slots without a mark, from `since` on, when the credential was set or the schedule was switched on.

    A time without any mark is new: its slots count only from `times_since` on, when the times were set.
    """

    def is_owed(slot: Slot) -> bool:
        if slot.text in marks:
            return slot.due >= since and slot.day > marks[slot.text]
        return slot.due >= max(since, times_since)

    return [slot for slot in slots if is_owed(slot)]


def trigger_for(
    slots: Iterable[Slot], now: datetime, settings: InstanceSettings, *, is_refused: bool
) -> Run.Trigger | None:
    """The trigger of the one run that covers these slots; None if they are all too late.

    With a refused credential only the first slot of a day counts.
    """
    tried = [slot for slot in slots if not is_refused or slot.text == settings.schedule_times[0]]
    late = [now - slot.due for slot in tried]
    if any(much <= timedelta(minutes=settings.drift_tolerance_minutes) + TICK_DRIFT for much in late):
        return Run.Trigger.SCHEDULE
    if settings.catch_up and any(much <= timedelta(hours=settings.catch_up_grace_hours) for much in late):
        return Run.Trigger.STARTUP
    return None
