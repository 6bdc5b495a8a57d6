"""Reading what payers say of days, for people (docs/api.md#bills)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from archive_site.lib.http.parameter_parsing import Days
from usage.measures import What
from usage.models import BillDay, BillRead
from usage.proofs.bill import WHOLE

TOKENS = (What.TOKENS_IN, What.TOKENS_OUT, What.CACHE_READ, What.CACHE_WRITE)
# What is counted; what a bill does not say is absent.
Counted = Mapping[What, int]
ByModel = Mapping[str, Counted]


@dataclass(frozen=True)
class SumsOfDay:
    """The sums of a day by model; amounts are parts of the archive's unit."""

    by_model: ByModel

    @property
    def models(self) -> list[tuple[str, Counted]]:
        """The sums of each model, the largest amount first."""
        return dearest_first((model, counted) for model, counted in self.by_model.items() if model != WHOLE)

    @property
    def whole(self) -> Counted:
        """The sums of the day: those that the bill says, else those of its models."""
        return {
            **added(each for model, each in self.by_model.items() if model != WHOLE),
            **self.by_model.get(WHOLE, {}),
        }


@dataclass(frozen=True)
class BilledDay(SumsOfDay):
    """A day whose bill was read, last at `read_at`; `is_complete`: it changes no more, as far as is known."""

    day: str
    read_at: datetime
    is_complete: bool


def dearest_first(sums: Iterable[tuple[str, Counted]]) -> list[tuple[str, Counted]]:
    """Sums of models, the largest amount first, then the most calls and tokens."""

    def rank(one: tuple[str, Counted]) -> tuple[int, int, int, str]:
        name, counted = one
        return (
            -counted.get(What.AMOUNT, 0),
            -counted.get(What.CALLS, 0),
            -sum(counted.get(what, 0) for what in TOKENS),
            name,
        )

    return sorted(sums, key=rank)


def added(several: Iterable[Counted]) -> Counted:
    """The sums of several models or days."""
    sums = Counter[What]()
    for counted in several:
        for what, amount in counted.items():
            sums[what] += amount
    return dict(sums)


def number_of(archive_id: int, days: Days) -> int:
    """How many days of a span have a bill."""
    return BillRead.objects.filter(archive_id=archive_id, **_within(days)).count()


def billed_days(archive_id: int, days: Days, *, skip: int = 0, most: int | None = None) -> list[BilledDay]:
    """The days of a span that have a bill, the newest first."""
    read = BillRead.objects.filter(archive_id=archive_id, **_within(days)).order_by("-day")
    listed = list(read[skip : None if most is None else skip + most])
    if not listed:
        return []
    sums = dict(_sums_by_day(archive_id, {"day__gte": listed[-1].day, "day__lte": listed[0].day}))
    return [BilledDay(sums.get(one.day, {}), one.day, one.read_at, one.is_complete) for one in listed]


def sums_of(archive_id: int, days: Days) -> Counted:
    """The sums of a span of days. Only one day is in memory at once."""
    return added(SumsOfDay(by_model).whole for _, by_model in _sums_by_day(archive_id, _within(days)))


def _sums_by_day(archive_id: int, within: Mapping[str, str]) -> Iterator[tuple[str, ByModel]]:
    """The sums of each day that has some, by model."""
    found = BillDay.objects.filter(archive_id=archive_id, **within).order_by("day")
    rows = found.values_list("day", "model", "what", "amount").iterator()
    for day, of_day in groupby(rows, key=itemgetter(0)):
        by_model: dict[str, dict[What, int]] = defaultdict(dict)
        for _, model, what, amount in of_day:
            by_model[model][What(what)] = amount
        yield day, by_model


def _within(days: Days) -> dict[str, str]:
    bounds = {"day__gte": days.first, "day__lte": days.last}
    return {name: day.isoformat() for name, day in bounds.items() if day}
