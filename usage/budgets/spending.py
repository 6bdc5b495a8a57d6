"""What is spent of the budgets of an account, and when the rest will be (docs/api.md#budgets)."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache

from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import fetch
from usage import api_types
from usage.amounts.unit_of_archive import unit_of
from usage.budgets.periods import period_of
from usage.budgets.stored_budgets import thresholds_of
from usage.filters import RecordFilters
from usage.forecast.known_days import archived_days, looked_at, with_hours
from usage.forecast.likely_sums import runs_out
from usage.models import Budget
from usage.reads.daily_series import hours_by_day
from usage.rollups import read_sums

_DIGITS = 2


def spendings(archive_id: int, budgets: Sequence[Budget], now: datetime) -> list[api_types.Budget]:
    """Budgets of an account with what is spent of each in its present period; `now` is local and naive.

    `left` is below 0 where more is spent. `pace` is the spent part of the credits by the part of the period that is
    over: at 1 they last exactly to its end. `percent` is rounded down: no threshold is reached too early.
    """
    periods = [period_of(budget, now.date()) for budget in budgets]
    asked = [
        RecordFilters(days, budget.model or None, budget.client or None)
        for budget, days in zip(budgets, periods, strict=True)
    ]
    habits, number = _Habits(archive_id, now), unit_of(archive_id).number
    return [
        api_types.Budget(
            id=budget.pk,
            period=budget.period,
            credits=number(budget.credits),
            model=budget.model,
            client=budget.client,
            thresholds=thresholds_of(budget),
            spent=number(spent),
            left=number(budget.credits - spent),
            percent=spent * 10**_DIGITS * 100 // budget.credits / 10**_DIGITS,
            ends_at=clock.local_text(clock.day_end(days.last or now.date())),
            runs_out_at=_text(habits.runs_out(budget, days, budget.credits - spent)),
            first_day=budget.first_day,
            begins_on=str(days.first),
            pace=round(spent / budget.credits / _part_over(days, now), _DIGITS),
        )
        for budget, days, spent in zip(budgets, periods, _spent(archive_id, asked), strict=True)
    ]


def _spent(archive_id: int, asked: Sequence[RecordFilters]) -> list[int]:
    """The parts of each of these filters, by one query."""
    if not asked:
        return []
    sources = [read_sums.source(archive_id, filters, "day") for filters in asked]
    query = " UNION ALL ".join(
        f"SELECT {place} AS place, COALESCE(SUM(credits), 0) FROM {source.rows}"  # noqa: S608 - constant parts, bound values
        for place, source in enumerate(sources)
    )
    found = fetch(f"{query} ORDER BY place", [value for source in sources for value in source.values])
    return [int(spent) for _, spent in found]


class _Habits:
    """How an account's days usually go; budgets of the same names share what is read for them."""

    def __init__(self, archive_id: int, now: datetime):
        self._now = now
        self._archived = cache(lambda: archived_days(archive_id, now.date()))
        self._hours = cache(
            lambda model, client: hours_by_day(archive_id, RecordFilters(looked_at(now.date()), model, client))
        )

    def runs_out(self, budget: Budget, days: Days, left: int) -> datetime | None:
        """The end of the hour in which the budget is used up, in the past or as the account's days usually go."""
        if left <= 0:
            return self._ran_out(budget, days)
        archived = self._archived()
        known = with_hours(archived, self._of(budget)) if archived else {}
        return runs_out(known, self._now, days.last or self._now.date(), left)

    def _ran_out(self, budget: Budget, days: Days) -> datetime:
        spent = 0
        for day, hours in sorted(self._of(budget).items()):
            for hour, of_hour in enumerate(hours if day >= str(days.first) else ()):
                spent += of_hour
                if spent >= budget.credits:
                    return min(datetime.fromisoformat(day) + timedelta(hours=hour + 1), self._now)
        # Calls that are dated after now.
        return self._now

    def _of(self, budget: Budget) -> Mapping[str, Sequence[int]]:
        return self._hours(budget.model or None, budget.client or None)


def _part_over(days: Days, now: datetime) -> float:
    """The part of a period that is over: at least the first minute."""
    first, last = days.first or now.date(), days.last or now.date()
    begun = datetime.combine(first, datetime.min.time())
    whole = timedelta(days=clock.days_between(first, last))
    return max(now - begun, timedelta(minutes=1)) / whole


def _text(instant: datetime | None) -> str | None:
    return instant.isoformat(" ", "seconds") if instant else None
