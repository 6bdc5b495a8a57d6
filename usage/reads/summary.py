"""The summary of a span, compared with the span before (docs/api.md#summary)."""

from dataclasses import replace

from msgspec import UNSET, UnsetType, structs

from archive_site.lib import clock
from usage.filters import RecordFilters
from usage.reads import queries
from usage.reads.queries import DayWindow
from usage.rollups.figures import Figures
from usage.rollups.figures import figures as figures_of
from usage.sum_types import Compared, Delta, PartialDay, Span, Summary


def summary(
    archive_id: int, filters: RecordFilters, comparison: Compared | UnsetType = UNSET, *, measured: bool = False
) -> Summary:
    """Totals, window, average, the span of equal length before, and the change in percent.

    `partial` is present if the window contains today: the span is unfinished, and its figures end with this minute.
    """
    window = queries.window(archive_id, filters.days)
    now = figures_of(archive_id, filters, measured=measured)
    before_days = window.before()
    before = now.nothing
    if before_days:
        before = figures_of(archive_id, replace(filters, days=before_days), measured=measured)
    before_window = DayWindow(before_days.first, before_days.last) if before_days else DayWindow(None, None)
    return Summary(
        **structs.asdict(_span(now, window)),
        prev=_span(before, before_window),
        delta=Delta(
            credits=credits_change(before, now),
            calls=percent_change(before.calls, now.calls),
            window=before_window.payload(),
        ),
        partial=_partial(window),
        comparison=comparison,
    )


def credits_change(before: Figures, now: Figures) -> float | None:
    """The change of the amount in percent; None where one of the two is not known."""
    if before.known_credits is None or now.known_credits is None:
        return None
    return percent_change(before.credits, now.credits)


def percent_change(before: float, now: float) -> float | None:
    """The change in percent, to two decimals; None where the value before is 0."""
    return round((now - before) / before * 100, 2) if before else None


def tenths_of_percent(before: int, now: int) -> int | None:
    """The change in tenths of a percent as pages show it, rounded once, half away from zero; None where the value
    before is 0. `percentChange` of the pages does the same."""
    if not before:
        return None
    size = (2000 * abs(now - before) + before) // (2 * before)
    return size if now >= before else -size


def _span(figures: Figures, window: DayWindow) -> Span:
    return Span(
        **structs.asdict(figures.totals()),
        first_day=figures.first,
        last_day=figures.last,
        days=figures.days,
        window=window.payload(),
        avg_per_call=figures.average,
    )


def _partial(window: DayWindow) -> PartialDay | UnsetType:
    today = clock.today()
    if not window.holds(today):
        return UNSET
    return PartialDay(today.isoformat(), (clock.local_text(clock.now()) or "")[11:16])
