"""The days that a forecast looks at: those that are archived, with their credits by hour."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from archive_site.lib.http.parameter_parsing import Days
from usage.coverage.ledger import State, ledger
from usage.filters import RecordFilters
from usage.forecast.likely_sums import LOOKS_BACK, Hours
from usage.reads.daily_series import hours_by_day
from usage.rollups import read_sums

_NO_CALLS = (0,) * 24


def known_days(archive_id: int, today: date) -> dict[date, Hours]:
    """The millionths by hour of each archived day before today that a forecast looks at."""
    days = archived_days(archive_id, today)
    return with_hours(days, hours_by_day(archive_id, RecordFilters(looked_at(today)))) if days else {}


def looked_at(today: date) -> Days:
    return Days(today - timedelta(days=LOOKS_BACK), today)


def with_hours(days: Iterable[date], hours: Mapping[str, Sequence[int]]) -> dict[date, Hours]:
    return {day: hours.get(str(day), _NO_CALLS) for day in days}


def archived_days(archive_id: int, today: date) -> list[date]:
    """The archived days before today that a forecast looks at.

    A day without calls counts if a run has read it: the cost of other days is unknown, as is that of the time before
    the first call.
    """
    first = read_sums.recorded_days(archive_id).first
    if not first or first >= today:
        return []
    span = Days(max(first, today - timedelta(days=LOOKS_BACK)), today - timedelta(days=1))
    # Whether prompts are missing does not matter here.
    archived = ledger(archive_id, span, wants_prompts=False)
    return [
        date.fromisoformat(day)
        for day, state in archived.states().items()
        if state is not State.SHORT and archived.is_archived(day)
    ]
