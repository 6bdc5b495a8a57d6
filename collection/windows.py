"""The windows of a run, oldest first (docs/decisions.md#windows-and-pages)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from archive_site.lib import clock
from archive_site.lib.stored_message import Message

DAYS = 7
SECOND = timedelta(seconds=1)
SHORTEST = timedelta(minutes=1)
# A total that is a multiple of this and reached by the rows received marks a window that the upstream capped.
CAP_STEP = 1000


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

    @property
    def words(self) -> Message:
        return Message("window", first=clock.local_text(self.start) or "", last=clock.local_text(self.end) or "")


def windows(start: datetime, end: datetime) -> Iterator[TimeWindow]:
    """Windows of seven days in the server's calendar from `start` to `end`, oldest first."""
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    day = clock.local_day(start)
    last = clock.local_day(end)
    while day <= last:
        until = day + timedelta(days=DAYS - 1)
        yield TimeWindow(max(start, _first_second(day)), min(end, _last_second(until)))
        day = until + timedelta(days=1)


def days(start: datetime, end: datetime, most: int) -> list[TimeWindow]:
    """The last `most` days of a span, oldest first, each as a separate window."""
    last = clock.local_day(end)
    first = max(clock.local_day(start), last - timedelta(days=most - 1))
    count = clock.days_between(first, last) if most else 0
    span = [first + timedelta(days=number) for number in range(count)]
    return [TimeWindow(_first_second(day), min(end.astimezone(UTC), _last_second(day))) for day in span]


def days_window(first: date, last: date) -> TimeWindow:
    """The whole days from `first` to `last`, both included."""
    return TimeWindow(_first_second(first), _last_second(last))


def is_capped(total: int, received: int) -> bool:
    return total > 0 and total % CAP_STEP == 0 and received >= total


def _first_second(day: date) -> datetime:
    return clock.day_start(day).astimezone(UTC)


def _last_second(day: date) -> datetime:
    return clock.day_end(day).astimezone(UTC)
