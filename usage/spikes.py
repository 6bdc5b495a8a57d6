"""A day or an hour far above what is usual for an account (docs/decisions/notices.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import median

from archive_site.lib.http.parameter_parsing import Days, Paging
from usage.filters import RecordFilters
from usage.reads import list_parts
from usage.reads.daily_series import hours_by_day
from usage.reads.dimensions import dims

LOOKS_BACK = timedelta(days=28)
# Less than this does not show what is usual.
LEAST_DAYS, LEAST_HOURS = 7, 20
# A day is far above the usual from this many times the median on, and this many times a high day.
_DAY_FACTOR, _HIGH_DAY_FACTOR = 3.0, 1.5
_HOUR_FACTOR, _HIGH_HOUR_FACTOR = 5.0, 2.0
# An hour counts only with at least this part of a usual day.
_PART_OF_DAY = 0.5
_HIGH = 0.9


@dataclass(frozen=True)
class Spike:
    """What is far above the usual, in millionths; `hour` is None for the whole day. The call by its time and cost."""

    day: date
    hour: int | None
    spent: int
    usual: int
    model: str
    dearest: int
    at: str


def spikes_of(archive_id: int, days: Sequence[date]) -> list[Spike]:
    """The spikes of these days, as far as they went; none where a day is usual, too little is known, or its calls were
    erased."""
    hours = hours_by_day(archive_id, RecordFilters(Days(min(days) - LOOKS_BACK, max(days))))
    found = {day: unusual(hours.get(str(day), ()), _before(day, hours)) for day in days}
    named = (_named(archive_id, day, facts) for day, facts in found.items() if facts)
    return [spike for spike in named if spike]


def _before(day: date, hours: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
    return {other: spent for other, spent in hours.items() if str(day - LOOKS_BACK) <= other < str(day)}


def _named(archive_id: int, day: date, facts: tuple[int | None, int, int]) -> Spike | None:
    of_day = RecordFilters(Days(day, day))
    model = dims(archive_id, of_day, "model").lists["model"][0].name
    first = list_parts.page_of_records(archive_id, of_day, "credits_desc", Paging(1, 1), lean=True)
    return Spike(day, *facts, model, first[0].credits, first[0].ts) if first else None


def unusual(hours: Sequence[int], before: Mapping[str, Sequence[int]]) -> tuple[int | None, int, int] | None:
    """The hour (None: the whole day), what was spent and what is usual, of a day by hours among those before it."""
    days = sorted(total for total in map(sum, before.values()) if total)
    spans = sorted(spent for day in before.values() for spent in day if spent)
    if len(days) < LEAST_DAYS or not hours:
        return None
    usual, spent = round(median(days)), sum(hours)
    if spent > max(_DAY_FACTOR * usual, _HIGH_DAY_FACTOR * _high(days)):
        return None, spent, usual
    if len(spans) < LEAST_HOURS:
        return None
    dearest, usual_hour = max(hours), round(median(spans))
    if dearest > max(_HOUR_FACTOR * usual_hour, _HIGH_HOUR_FACTOR * _high(spans), _PART_OF_DAY * usual):
        return hours.index(dearest), dearest, usual_hour
    return None


def _high(values: Sequence[int]) -> int:
    return values[int(_HIGH * (len(values) - 1))]
