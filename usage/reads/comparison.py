"""Comparison of a span with an earlier one (docs/api.md#comparison).

Where the span ends today, the earlier one ends at the same time of its last day, so that equal parts are compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext
from msgspec import structs

from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.parameter_parsing import Days, as_text
from usage.amounts.unit_of_archive import unit_of
from usage.filters import RecordFilters
from usage.reads import queries
from usage.reads.daily_series import totals_by_day
from usage.reads.dimensions import DimSums, column_of, dims
from usage.reads.earlier_days import KINDS, earlier_days
from usage.reads.queries import DayWindow
from usage.reads.summary import credits_change, percent_change
from usage.rollups.figures import figures
from usage.sum_types import (
    Change,
    Compared,
    ComparedDays,
    ComparedDims,
    ComparedTotals,
    DimItem,
    EarlierDay,
    EarlierDims,
    EarlierItem,
    InPercent,
)

_NONE = ("", "none")


@dataclass(frozen=True)
class Asked:
    """What a span is compared with: one of `KINDS`, or else the days."""

    kind: str
    days: Days = Days()


@dataclass(frozen=True)
class Earlier:
    """The earlier span of a comparison: its filters, and the last minute of its last day if that is not whole.

    `filters` is None where the calendar does not reach back that far, or the archive is empty.
    """

    filters: RecordFilters | None
    until: str = ""

    @property
    def window(self) -> DayWindow:
        return DayWindow(self.filters.days.first, self.filters.days.last) if self.filters else DayWindow(None, None)


def requested(values: Mapping[str, object], name: str) -> Asked | None:
    """The comparison that `compare` asks for; None without one. Raises ApiError 400."""
    text = as_text(values.get(name)).strip()
    if text in _NONE:
        return None
    if text in KINDS:
        return Asked(text)
    begin, _, end = text.partition("..")
    first, last = clock.parse_day(begin), clock.parse_day(end)
    if not first or not last:
        message = gettext(
            "'compare' must be 'previous', 'month', 'year', 'none', or dates as in 2026-01-01..2026-01-31."
        )
        raise ApiError(400, "bad_request", message)
    return Asked("days", Days(min(first, last), max(first, last)))


def earlier(archive_id: int, filters: RecordFilters, asked: Asked) -> Earlier:
    """The earlier span for these filters. Reads the rollup only where a bound is missing."""
    now = clock.now()
    today = clock.local_day(now)
    window = queries.window(archive_id, filters.days)
    if not window.first or not window.last:
        return Earlier(None)
    # Days to come do not count: an unfinished span is compared with as much of the earlier one.
    last = today if window.holds(today) else window.last
    days = asked.days if asked.days.last else earlier_days(asked.kind, Days(window.first, last), today)
    if not days:
        return Earlier(None)
    return Earlier(replace(filters, days=days), (clock.local_text(now) or "")[11:16] if last == today else "")


def of_totals(archive_id: int, filters: RecordFilters, asked: Asked, *, measured: bool = False) -> Compared:
    """The comparison in an answer of totals: the earlier window, its totals, and the change from them in percent."""
    return _totals(archive_id, filters, earlier(archive_id, filters, asked), measured=measured)


def of_days(archive_id: int, filters: RecordFilters, asked: Asked, *, measured: bool = False) -> ComparedDays:
    """The comparison in a daily series: also the earlier days that have records."""
    before = earlier(archive_id, filters, asked)
    days = totals_by_day(archive_id, before.filters, before.until) if before.filters else []
    number = unit_of(archive_id).number
    listed = [EarlierDay(day, number(spent), calls, free) for day, spent, calls, free in days]
    return ComparedDays(**structs.asdict(_totals(archive_id, filters, before, measured=measured)), days=listed)


def of_dims(
    archive_id: int, filters: RecordFilters, asked: Asked, only: str, now: DimSums, *, measured: bool = False
) -> ComparedDims:
    """The comparison in sums by dimension: also the earlier items by name, each with the change of its credits and
    calls since then. `now` is the answer that is compared."""
    before = earlier(archive_id, filters, asked)
    items = {
        dim: _by_name(earlier_items, {item.name: item for item in now.lists[dim]})
        for dim, earlier_items in _earlier_items(archive_id, before, only, now, measured=measured).items()
    }
    totals = _totals(archive_id, filters, before, measured=measured)
    return ComparedDims(**structs.asdict(totals), items=EarlierDims(**items))


def _earlier_items(
    archive_id: int, before: Earlier, only: str, now: DimSums, *, measured: bool
) -> dict[str, list[DimItem]]:
    """The earlier items by dimension: the biggest ones, and those of all names that are listed now."""
    if not before.filters:
        return {dim: [] for dim in now.lists}
    found = dims(archive_id, before.filters, only, before.until, measured=measured)
    listed = dict(found.lists)
    for dim in found.others:
        names = {item.name for item in now.lists[dim]} - {item.name for item in listed[dim]}
        if names:
            of_names = before.filters.narrowed(column_of(dim), tuple(sorted(names)))
            listed[dim] = listed[dim] + dims(archive_id, of_names, dim, before.until, measured=measured).lists[dim]
    return listed


def _by_name(before: list[DimItem], now: Mapping[str, DimItem]) -> dict[str, EarlierItem]:
    return {
        item.name: EarlierItem(item.credits, item.calls, item.avg, item.free, _change(item, now.get(item.name)))
        for item in before
    }


def _change(before: DimItem, now: DimItem | None) -> InPercent:
    spent, calls = (now.credits, now.calls) if now else (0, 0)
    is_known = before.amount is not None and (now is None or now.amount is not None)
    change = percent_change(before.credits, spent) if is_known else None
    return InPercent(change, percent_change(before.calls, calls))


def _totals(archive_id: int, filters: RecordFilters, before: Earlier, *, measured: bool) -> Compared:
    now = figures(archive_id, filters, measured=measured)
    then = figures(archive_id, before.filters, before.until, measured=measured) if before.filters else now.nothing
    return Compared(
        window=before.window.payload(),
        until=before.until or None,
        totals=ComparedTotals(**structs.asdict(then.totals()), avg_per_call=then.average),
        change=Change(
            credits=credits_change(then, now),
            calls=percent_change(then.calls, now.calls),
            # Of whole numbers: the averages themselves are rounded.
            avg_per_call=percent_change(then.credits * now.calls_with_amount, now.credits * then.calls_with_amount),
        ),
    )
