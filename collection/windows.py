"""The windows of a run, oldest first (docs/decisions/collection.md#windows-and-pages)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from archive_site.lib import clock
from archive_site.lib.stored_message import Message

SECOND = timedelta(seconds=1)
SHORTEST = timedelta(minutes=1)


@dataclass(frozen=True)
class TimeWindow:
    """A span of instants, both ends included, in whole seconds; kept in UTC, where no hour is skipped or repeated."""

    start: datetime
    end: datetime

    def joins(self, mark: datetime) -> bool:
        """Whether there is no gap between the mark and this window."""
        return self.start <= mark + SECOND

    def halves(self) -> tuple["TimeWindow", "TimeWindow"] | None:
        """The older and the newer half; None for a window of a minute or less."""
        length = self.end - self.start
        if length < SHORTEST:
            return None
        middle = self.start + timedelta(seconds=length // SECOND // 2)
        return TimeWindow(self.start, middle), TimeWindow(middle + SECOND, self.end)

    def halves_at_midnight(self) -> tuple["TimeWindow", ...]:
        """The older and the newer days; the window itself if it lies within a day."""
        first, last = clock.local_day(self.start), clock.local_day(self.end)
        if first == last:
            return (self,)
        middle = first + (last - first + timedelta(days=1)) // 2
        start = _first_second(middle)
        return TimeWindow(self.start, start - SECOND), TimeWindow(start, self.end)

    @property
    def only_day(self) -> str:
        """The day that the window lies within, as an ISO text; empty if it meets several."""
        first, last = clock.local_day(self.start), clock.local_day(self.end)
        return first.isoformat() if first == last else ""

    def meets(self, start: datetime, end: datetime) -> bool:
        return self.start <= end and start <= self.end

    @property
    def wall_clocks(self) -> tuple[str, str]:
        return clock.local_text(self.start) or "", clock.local_text(self.end) or ""

    @property
    def words(self) -> Message:
        first, last = self.wall_clocks
        return Message("window", first=first, last=last)


def windows(start: datetime, end: datetime, days: int) -> Iterator[TimeWindow]:
    """Windows of `days` days in the server's calendar from `start` to `end`, oldest first."""
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    day = clock.local_day(start)
    last = clock.local_day(end)
    while day <= last:
        until = day + timedelta(days=days - 1)
        yield TimeWindow(max(start, _first_second(day)), min(end, _last_second(until)))
        day = until + timedelta(days=1)


def last_closed_days(most: int) -> list[date]:
    """The last `most` days before today, oldest first."""
    today = clock.today()
    return [today - timedelta(days=back) for back in range(most, 0, -1)]


def whole_days(start: datetime, end: datetime) -> list[date]:
    """The days whose first and last second are in a span, oldest first."""
    first, last = clock.local_day(start), clock.local_day(end)
    span = (first + timedelta(days=number) for number in range(clock.days_between(first, last)))
    return [day for day in span if start <= clock.day_start(day) and clock.day_end(day) <= end]


def days_window(first: date, last: date) -> TimeWindow:
    """The whole days from `first` to `last`, both included."""
    return TimeWindow(_first_second(first), _last_second(last))


def _first_second(day: date) -> datetime:
    return clock.day_start(day).astimezone(UTC)


def _last_second(day: date) -> datetime:
    return clock.day_end(day).astimezone(UTC)
