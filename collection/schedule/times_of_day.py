"""The times of day at which collections are due."""

from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone

from archive_site.lib import clock


def next_run(times: list[str], after: datetime) -> datetime | None:
    """The first instant after `after` at which one of the `HH:MM` is due; None without times.

    A time that the clock skips is due at the change; one that it repeats is due at its first occurrence.
    """
    today = clock.local_day(after)
    due = (due_at(today + timedelta(days=ahead), text) for ahead in (0, 1) for text in times)
    return min((instant for instant in due if instant > after), default=None)


def due_at(day: date, text: str) -> datetime:
    """The instant at which `HH:MM` is due on a day of the server's calendar."""
    wall = datetime.combine(day, time.fromisoformat(text), timezone.get_default_timezone())
    instant = wall.astimezone(UTC)
    if instant.astimezone(wall.tzinfo).replace(tzinfo=None) == wall.replace(tzinfo=None):
        return instant
    # The clock skips this time: search for the change within the skipped length before and after it.
    skipped = (wall.utcoffset() or timedelta()) - (wall.replace(fold=1).utcoffset() or timedelta())
    return _change_after(instant - abs(skipped), instant + abs(skipped))


def _change_after(low: datetime, high: datetime) -> datetime:
    """The minute at which the offset changes between two instants."""
    zone = timezone.get_default_timezone()
    offset = low.astimezone(zone).utcoffset()
    while high - low > timedelta(minutes=1):
        middle = low + (high - low) / 2
        if middle.astimezone(zone).utcoffset() == offset:
            low = middle
        else:
            high = middle
    return high.replace(second=0, microsecond=0)
