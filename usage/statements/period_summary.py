"""What a week or a month came to, for a page and a notice (docs/api.md#notices)."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

from django.urls import reverse

from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days, Paging
from archive_site.lib.stored_message import Message
from usage import horizon
from usage.api_types import Forecast
from usage.coverage.ledger import Ledger, State, ledger
from usage.coverage.missing_days import lacking_days
from usage.filters import RecordFilters
from usage.forecast.month_end import month_end, month_of
from usage.models import ErasedSums
from usage.reads import comparison, list_parts
from usage.reads.dimensions import dims
from usage.reads.summary import tenths_of_percent
from usage.record_payloads import Listed
from usage.rollups import read_sums
from usage.rollups.figures import Figures, figures
from usage.stored_measures import may_be_in
from usage.sum_types import DimItem, OtherNames

WEEK, MONTH = "week", "month"
PERIODS = (WEEK, MONTH)
DEAREST = 5
MOST_MODELS = 200
_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)


@dataclass(frozen=True)
class Period:
    """A calendar week, from Monday on, or a calendar month."""

    kind: str
    first: date
    last: date

    @classmethod
    def of(cls, kind: str, day: date) -> "Period":
        """The period that a day is in."""
        if kind == WEEK:
            monday = day - timedelta(days=day.weekday())
            return cls(kind, monday, monday + _WEEK - _DAY)
        return cls(kind, *month_of(day))

    @property
    def days(self) -> Days:
        return Days(self.first, self.last)

    @property
    def before(self) -> "Period":
        return Period.of(self.kind, self.first - _DAY)

    @property
    def after(self) -> "Period":
        return Period.of(self.kind, self.last + _DAY)

    @property
    def path(self) -> str:
        return reverse("summary", args=[self.kind, self.first])


@dataclass(frozen=True)
class PeriodSummary:
    """`before` are the figures of the period before, and of as much of it where this one is not over; None where these
    days are not archived, or begin before the archive. `change` is that of the credits, in tenths of a percent.
    `models` are the `MOST_MODELS` largest, as in `/api/dims`, and `others` the sum of all others. `missing` days lack
    calls; of the `gaps`, and of the `gaps_before` in the period before, nothing is archived; `is_archived` is false
    where that is so of all days. Calls of the period before `erased_before` were erased: only sums know them.
    `forecast` is that of the present month, where the period reaches into it."""

    period: Period
    figures: Figures
    before: Figures | None
    change: int | None
    models: list[DimItem]
    others: OtherNames | None
    dearest: list[Listed]
    missing: int
    gaps: int
    gaps_before: int
    is_archived: bool
    erased_before: str
    forecast: Forecast | None
    is_over: bool

    @property
    def change_in_words(self) -> Message:
        """The change as the overview says it (`static/js/pages/overview/figures.js`)."""
        if not self.is_archived:
            return Message("change_not_archived")
        return change_in_words(self.before, self.change)


def change_of(before: Figures | None, now: Figures) -> int | None:
    """The change of the amount, in tenths of a percent; None where one of them is not known."""
    if before is None or before.known_credits is None or now.known_credits is None:
        return None
    return tenths_of_percent(before.credits, now.credits)


def change_in_words(before: Figures | None, tenths: int | None) -> Message:
    """The change from a period before, in tenths of a percent; `before` is None where that is not archived."""
    if before is None:
        return Message("change_too_early")
    if tenths is None:
        return Message("change_unknown")
    if not tenths:
        return Message("change_none")
    amount = f"{abs(tenths) / 10:,.1f}%"
    return Message("change_more", amount=amount) if tenths > 0 else Message("change_less", amount=amount)


def period_summary(archive_id: int, period: Period) -> PeriodSummary:
    """The summary of a period, as far as it went."""
    filters, today, measured = RecordFilters(period.days), clock.today(), may_be_in(archive_id)
    known = ledger(archive_id, Days(period.before.first, period.last), wants_prompts=False)
    now = figures(archive_id, filters, measured=measured)
    before, gaps_before = _before(archive_id, period, today, known, measured=measured)
    gaps = _gaps(period.days, known)
    through = min(period.last, today - _DAY)
    lacking = [day for day in lacking_days(archive_id, through) if period.first <= day <= through]
    models, others = dims(archive_id, filters, "model", measured=measured).largest("model", MOST_MODELS)
    paging = Paging(1, DEAREST)
    reaches_into = month_of(today)[0] <= period.last
    return PeriodSummary(
        period=period,
        figures=now,
        before=before,
        change=change_of(before, now),
        models=models,
        others=others,
        dearest=list_parts.page_of_records(archive_id, filters, "credits_desc", paging, lean=False, measured=measured),
        missing=len({str(day) for day in lacking} - gaps),
        gaps=len(gaps),
        gaps_before=gaps_before,
        erased_before=_erased_before(archive_id, period.days),
        is_archived=now.calls > 0 or any(map(known.is_archived, known.within(period.days))),
        forecast=month_end(archive_id) if reaches_into else None,
        is_over=period.last < today,
    )


def _erased_before(archive_id: int, days: Days) -> str:
    """The day before which calls of these days were erased; empty where none was."""
    kept_from = horizon.calls_from(archive_id)
    erased = ErasedSums.objects.filter(archive_id=archive_id, day__gte=days.first, day__lte=days.last)
    return kept_from if kept_from > str(days.first) and erased.exists() else ""


def _before(
    archive_id: int, period: Period, today: date, known: Ledger, *, measured: bool
) -> tuple[Figures | None, int]:
    """The figures of the period before, and how many of its days are not archived; where this one is not over, until
    the same time of the same day of it."""
    days = period.before.days
    if period.first <= today <= period.last:
        days = replace(days, last=min(period.before.first + (today - period.first), period.before.last))
    found = comparison.earlier(archive_id, RecordFilters(period.days), comparison.Asked("days", days))
    return archived_before(archive_id, found, period.before.first, known, measured=measured)


def archived_before(
    archive_id: int, found: comparison.Earlier, first: date, known: Ledger, *, measured: bool = False
) -> tuple[Figures | None, int]:
    """The figures of an earlier span, and how many of its days are not archived; None where none is, or where the
    archive begins after its `first` day."""
    begin = read_sums.recorded_days(archive_id).first
    if not found.filters or (begin and begin > first):
        return None, 0
    then = figures(archive_id, found.filters, found.until, measured=measured)
    archived = sum(map(known.is_archived, known.noted(found.filters.days)))
    return (then if then.calls or archived else None), known.length_of(found.filters.days) - archived


def _gaps(days: Days, known: Ledger) -> set[str]:
    """The days that are over and not archived, without those that the source no longer gives."""
    states = {day: known.state(day) for day in known.within(days) if not known.is_archived(day)}
    return {day for day, state in states.items() if state is not State.OPEN and not known.is_final(day, state)}
