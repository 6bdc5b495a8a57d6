"""The days whose calls may be missing, for the notice on every page (docs/decisions/collection.md#missing-days)."""

from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from django.db.models import Count, Min, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce

from archive_site.lib import clock
from usage import horizon
from usage.coverage import left_windows
from usage.coverage.ledger_writes import reach
from usage.models import CoverageDay, DayTotal, Reach
from usage.source_traits import traits_of


@dataclass(frozen=True)
class MissingDays:
    """How many days lack calls, and the first and last of them."""

    count: int
    first: date
    last: date


def missing_days(archive_id: int, through: date) -> MissingDays | None:
    """The closed days that the source has more calls of, and those up to `through` that were skipped.

    A skipped day is one that no run has read, after the first day that one has, and within the source's reach.
    """
    days = lacking_days(archive_id, through)
    return MissingDays(len(days), days[0], days[-1]) if days else None


def lacking_days(archive_id: int, through: date) -> list[date]:
    """These days, oldest first."""
    return sorted({*_short(archive_id), *_skipped(archive_id, through)})


def _short(archive_id: int) -> list[date]:
    here = DayTotal.objects.filter(archive_id=archive_id, day=OuterRef("day")).values("calls")
    reach = Reach.objects.filter(archive_id=archive_id).values("first_day")
    short = CoverageDay.objects.filter(
        archive_id=archive_id,
        day__gte=Coalesce(Subquery(reach), Value("")),
        day__lt=clock.today().isoformat(),
        upstream__gt=Coalesce(Subquery(here), 0),
    )
    days = [date.fromisoformat(day) for day in short.order_by("day").values_list("day", flat=True)]
    if not days:
        return []
    # Nobody can fetch what the source counts, but does not give.
    unconfirmed, calls_from = left_windows.unconfirmed_days(archive_id, days[0], days[-1]), _calls_from(archive_id)
    return [day for day in days if day.isoformat() not in unconfirmed and day.isoformat() >= calls_from]


def _calls_from(archive_id: int) -> str:
    """The first day whose calls the source gives today, where it gives them for a number of days, and that were not
    erased; else empty."""
    return str(horizon.first_read(archive_id, traits_of(archive_id).reached(clock.today())) or "")


def _skipped(archive_id: int, through: date) -> list[date]:
    asked = CoverageDay.objects.filter(archive_id=archive_id, day__lte=through.isoformat())
    known = asked.aggregate(first=Min("day"), count=Count("day"))
    if not known["count"] or known["count"] == clock.days_between(date.fromisoformat(known["first"]), through):
        return []
    read = [date.fromisoformat(day) for day in asked.order_by("day").values_list("day", flat=True)]
    after = through + timedelta(days=1)
    skipped = (
        day + timedelta(days=number)
        for day, next_day in pairwise([*read, after])
        for number in range(1, (next_day - day).days)
    )
    first_given = max(reach(archive_id), _calls_from(archive_id))
    return [day for day in skipped if day.isoformat() >= first_given]
