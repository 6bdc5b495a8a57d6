"""What an archive is asked: one function per question. Sums read the rollups, lists the records."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, Max, Min, QuerySet, Sum
from django.db.models.functions import Substr

from archive_site.lib import clock
from archive_site.lib.parameters import Days, Paging
from usage.models import DayGroup, Record
from usage.payloads import credits

ORDERS: Mapping[str, tuple[str, ...]] = {
    "ts_desc": ("-ts", "-request_id"),
    "ts_asc": ("ts", "request_id"),
    "credits_desc": ("-credits", "-ts", "-request_id"),
    "credits_asc": ("credits", "ts", "request_id"),
    "model_asc": ("model", "ts", "request_id"),
    "client_asc": ("client", "ts", "request_id"),
}
NEWEST_FIRST = "ts_desc"


@dataclass(frozen=True)
class Filters:
    """Which records: a span of days, an exact model and client, a substring of the prompt."""

    days: Days = Days()
    model: str | None = None
    client: str | None = None
    text: str = ""


@dataclass(frozen=True)
class Figures:
    """Sums over a span of days, from the rollup. `first` and `last` are days that have records."""

    credits: int
    calls: int
    free: int
    models: int
    clients: int
    first: str | None
    last: str | None
    days: int

    def totals(self) -> dict[str, Any]:
        return {
            "credits": credits(self.credits),
            "calls": self.calls,
            "free": self.free,
            "paid": self.calls - self.free,
            "models": self.models,
            "clients": self.clients,
        }


@dataclass(frozen=True)
class Window:
    """The days an answer speaks of: those asked for, the archive's own where unbounded, none when empty."""

    first: date | None
    last: date | None

    @property
    def length(self) -> int | None:
        return clock.days_between(self.first, self.last) if self.first and self.last else None

    def before(self) -> Days | None:
        """The equally long span just before, as far as the calendar goes."""
        if not self.first or not self.length or self.first.toordinal() <= self.length:
            return None
        return Days(self.first - timedelta(days=self.length), self.first - timedelta(days=1))

    def payload(self) -> dict[str, Any]:
        return {
            "from": self.first.isoformat() if self.first else None,
            "to": self.last.isoformat() if self.last else None,
            "days": self.length,
        }


def figures(user_id: int, filters: Filters) -> Figures:
    """The sums of an account over the filters' days, model and client."""
    row = _groups(user_id, filters).aggregate(
        credits=Sum("credits", default=0),
        calls=Sum("calls", default=0),
        free=Sum("free", default=0),
        models=Count("model", distinct=True),
        clients=Count("client", distinct=True),
        first=Min("day"),
        last=Max("day"),
        days=Count("day", distinct=True),
    )
    return Figures(**row)


def window(user_id: int, days: Days) -> Window:
    """The window of an answer; asks the rollup only where a bound is missing."""
    if days.first and days.last:
        return Window(days.first, days.last)
    found = DayGroup.objects.filter(user_id=user_id).aggregate(first=Min("day"), last=Max("day"))
    first = days.first or _date(found["first"])
    last = days.last or _date(found["last"])
    if first and last and first > last:
        # The one bound asked for lies outside the archive: the window is that day.
        first = last = days.first or days.last
    return Window(first, last)


def months(user_id: int) -> list[str]:
    """The months that have records, `YYYY-MM`, oldest first."""
    month = DayGroup.objects.filter(user_id=user_id).annotate(month=Substr("day", 1, 7))
    return list(month.values_list("month", flat=True).distinct().order_by("month"))


def page_of_records(user_id: int, filters: Filters, order: str, paging: Paging, *, lean: bool) -> list[Record]:
    """One page of records: first their ids in order, then only the rows of that page with their prompts."""
    ids = list(
        _records(user_id, filters)
        .order_by(*ORDERS.get(order, ORDERS[NEWEST_FIRST]))
        .values_list("pk", flat=True)[paging.offset : paging.offset + paging.size]
    )
    rows = Record.objects.filter(pk__in=ids)
    found = {record.pk: record for record in (rows if lean else rows.select_related("prompt"))}
    return [found[pk] for pk in ids if pk in found]


def count_records(user_id: int, filters: Filters) -> int:
    """How many records the filters find; the rollup knows unless a text is searched for."""
    if filters.text:
        return _records(user_id, filters).count()
    return int(_groups(user_id, filters).aggregate(calls=Sum("calls", default=0))["calls"])


def record(user_id: int, request_id: str) -> Record | None:
    return Record.objects.select_related("prompt").filter(user_id=user_id, request_id=request_id).first()


def _groups(user_id: int, filters: Filters) -> QuerySet[DayGroup]:
    return DayGroup.objects.filter(user_id=user_id, **_conditions(filters))


def _records(user_id: int, filters: Filters) -> QuerySet[Record]:
    found = Record.objects.filter(user_id=user_id)
    if filters.days.first:
        found = found.filter(ts__gte=f"{filters.days.first} 00:00:00")
    if filters.days.last:
        found = found.filter(ts__lte=f"{filters.days.last} 23:59:59")
    if filters.model is not None:
        found = found.filter(model=filters.model)
    if filters.client is not None:
        found = found.filter(client=filters.client)
    if filters.text:
        found = found.filter(prompt__text__contains=filters.text)
    return found


def _conditions(filters: Filters) -> dict[str, str]:
    first, last = filters.days.first, filters.days.last
    conditions = {
        "day__gte": first.isoformat() if first else None,
        "day__lte": last.isoformat() if last else None,
        "model": filters.model,
        "client": filters.client,
    }
    return {name: value for name, value in conditions.items() if value is not None}


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
