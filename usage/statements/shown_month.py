"""A month that a page shows, named in its address (docs/api.md#pages)."""

from dataclasses import dataclass
from datetime import date, timedelta

from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from usage.forecast.month_end import month_of


@dataclass(frozen=True)
class ShownMonth:
    """A month from its first to its last day, seen on the day `today`."""

    first: date
    last: date
    today: date

    @classmethod
    def named(cls, text: str) -> "ShownMonth":
        """A month as in 2026-11; the present one for anything else, and for one to come."""
        today, first = clock.today(), clock.parse_day(f"{text}-01")
        is_known = first and clock.EARLIEST <= first <= today
        return cls(*month_of(first if first and is_known else today), today)

    @property
    def days(self) -> Days:
        """Its days as far as they went, today included."""
        return Days(self.first, min(self.last, self.today))

    @property
    def is_over(self) -> bool:
        return self.last < self.today

    @property
    def preceding(self) -> date | None:
        """The first day of the month before, if one may be shown."""
        before = month_of(self.first - timedelta(days=1))[0]
        return before if before >= clock.EARLIEST else None

    @property
    def following(self) -> date | None:
        return self.last + timedelta(days=1) if self.is_over else None
