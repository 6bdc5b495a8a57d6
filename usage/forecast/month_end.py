"""What the month will have cost at its end (docs/api.md#forecast)."""

from calendar import monthrange
from datetime import date

from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from usage.api_types import BY_WEEKDAYS, NOT_KNOWN, Forecast
from usage.filters import RecordFilters
from usage.forecast.known_days import known_days
from usage.forecast.likely_sums import from_now_on
from usage.rollups.figures import figures


def month_end(archive_id: int) -> Forecast:
    """The present month with its credits so far and the range of its end; no range where too few days are archived."""
    now = clock.local_time(clock.now())
    first, last = month_of(now.date())
    month_so_far = figures(archive_id, RecordFilters(Days(first, last)))
    so_far, number = month_so_far.credits, month_so_far.unit.number
    month = f"{first:%Y-%m}"
    # The same month has the same draws, so the range moves only when the credits do.
    left = from_now_on(known_days(archive_id, now.date()), now, last, seed=month)
    low, middle, high = (number(so_far + round(value)) for value in left) if left else (None, None, None)
    return Forecast(month, number(so_far), low, middle, high, BY_WEEKDAYS if left else NOT_KNOWN)


def month_of(day: date) -> tuple[date, date]:
    """The first and the last day of the month of a day."""
    return day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1])
