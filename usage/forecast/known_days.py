"""The days that a forecast looks at: those that are archived, with their credits by hour."""

from dataclasses import replace
from datetime import date, timedelta

from archive_site.lib.http.parameters import Days
from usage.coverage.day_states import State, ledger
from usage.daily_series import hours_by_day
from usage.filters import RecordFilters
from usage.forecast.likely_sums import LOOKS_BACK, Hours
from usage.rollups import read_sums

_NO_CALLS = (0,) * 24


def known_days(user_id: int, filters: RecordFilters, today: date) -> dict[date, Hours]:
    """The millionths by hour of each archived day before today that a forecast looks at, under the names of the filters.

    A day without calls counts if it was asked for: of others nobody knows what they cost. So does the time before the
    first call of all.
    """
    first = read_sums.recorded_days(user_id).first
    if not first or first >= today:
        return {}
    span = Days(max(first, today - timedelta(days=LOOKS_BACK)), today - timedelta(days=1))
    hours = hours_by_day(user_id, replace(filters, days=span))
    # Whether prompts are missing does not matter here.
    archived = ledger(user_id, span, wants_prompts=False)
    return {
        date.fromisoformat(day): hours.get(day, _NO_CALLS)
        for day, state in archived.states().items()
        if state is not State.SHORT and (state is not State.UNASKED or day in archived.here)
    }
