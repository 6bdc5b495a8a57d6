"""What a week or a month came to, for a page and a notice (docs/api.md#notices)."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.urls import reverse

from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days, Paging
from archive_site.lib.stored_message import Message
from usage.api_types import Forecast
from usage.coverage.missing_days import lacking_days
from usage.filters import RecordFilters
from usage.forecast.month_end import month_end, month_of
from usage.reads import comparison, queries
from usage.reads.dimensions import dims
from usage.reads.summary import tenths_of_percent
from usage.record_payloads import Listed
from usage.rollups.figures import Figures, figures
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
    """`change` of the credits against the period before, of one that is not over against as much of it, in tenths of a
    percent; `models` are the `MOST_MODELS` largest, as in `/api/dims`, and `others` the sum of all others; `missing`
    days lack calls. `forecast` is that of the present month, where the period reaches into it."""

    period: Period
    figures: Figures
    before: Figures
    change: int | None
    models: list[DimItem]
    others: OtherNames | None
    dearest: list[Listed]
    missing: int
    forecast: Forecast | None
    is_over: bool

    @property
    def change_in_words(self) -> Message | None:
        """The change as `change` of the pages says it (`static/js/shared/formats.js`)."""
        if not self.change:
            return None if self.change is None else Message("change_none")
        amount = f"{abs(self.change) / 10:,.1f}%"
        return Message("change_more", amount=amount) if self.change > 0 else Message("change_less", amount=amount)


def period_summary(archive_id: int, period: Period) -> PeriodSummary:
    """The summary of a period, as far as it went."""
    filters, today = RecordFilters(period.days), clock.today()
    now, before = figures(archive_id, filters), _figures_before(archive_id, period, today)
    through = min(period.last, today - _DAY)
    lacking = [day for day in lacking_days(archive_id, through) if period.first <= day <= through]
    models, others = dims(archive_id, filters, "model").largest("model", MOST_MODELS)
    reaches_into = month_of(today)[0] <= period.last
    return PeriodSummary(
        period=period,
        figures=now,
        before=before,
        change=tenths_of_percent(before.credits, now.credits),
        models=models,
        others=others,
        dearest=queries.page_of_records(archive_id, filters, "credits_desc", Paging(1, DEAREST), lean=False),
        missing=len(lacking),
        forecast=month_end(archive_id) if reaches_into else None,
        is_over=period.last < today,
    )


def _figures_before(archive_id: int, period: Period, today: date) -> Figures:
    """The figures of the period before; where this one is not over, until the same time of the same day of it."""
    before, last = period.before, period.before.last
    if period.first <= today <= period.last:
        last = min(before.first + (today - period.first), last)
    asked = comparison.Asked("days", Days(before.first, last))
    found = comparison.earlier(archive_id, RecordFilters(period.days), asked)
    return figures(archive_id, found.filters, found.until) if found.filters else Figures()
