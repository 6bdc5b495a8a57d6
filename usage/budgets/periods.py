"""The days of the period of a budget that a day is in."""

from calendar import monthrange
from datetime import date, timedelta

from archive_site.lib.http.parameter_parsing import Days
from usage.models import Budget

_WEEK = timedelta(days=7)
_DAY = timedelta(days=1)


def period_of(budget: Budget, day: date) -> Days:
    """The first and the last day; a week begins on Monday, a month on the budget's day of the month."""
    if budget.period == Budget.Period.DAY:
        return Days(day, day)
    if budget.period == Budget.Period.WEEK:
        monday = day - timedelta(days=day.weekday())
        return Days(monday, monday + _WEEK - _DAY)
    first = _beginning(day, budget.first_day)
    if first > day:
        first = _beginning(day.replace(day=1) - _DAY, budget.first_day)
    return Days(first, _beginning(_next_month(first), budget.first_day) - _DAY)


def _beginning(month: date, first_day: int) -> date:
    """The day of this day's month on which a period begins: the last one where the month is shorter."""
    return month.replace(day=min(first_day, monthrange(month.year, month.month)[1]))


def _next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)
