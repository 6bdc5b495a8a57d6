"""The statement of a month: its sums by model, what proves them, and its days (docs/api.md#pages)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage import sql
from usage.coverage.day_states import Ledger, State, ledger
from usage.filters import RecordFilters
from usage.forecast.month_end import month_of
from usage.period_summary import MOST_MODELS
from usage.reads.daily_series import totals_by_day
from usage.reads.dimensions import dims, parts_of
from usage.rollups import measured_sums
from usage.stored_measures import may_be_in
from usage.sum_types import DimItem, OtherNames
from usage.unit_of_archive import unit_of
from usage.units import Unit

# All calls of such a day that the service lists are here, if it has counted them.
_COMPLETE = {State.PROVED, State.SETTLED, State.CHECKED, State.STRIPPED, State.SURPLUS}


@dataclass(frozen=True)
class Amount:
    """What a name or a day came to; `credits` is in parts of the archive's unit."""

    name: str
    credits: int
    calls: int
    free: int


@dataclass(frozen=True)
class Day:
    """A day with its state in the ledger: `is_final` where nothing more can be fetched, `listed` are the calls that
    the service counted at `compared_at`."""

    amount: Amount
    state: State
    is_final: bool
    is_complete: bool
    listed: int | None
    compared_at: datetime | None


@dataclass(frozen=True)
class Proof:
    """How far the days that are over are compared with the service.

    `listed` and `here` are the calls of the `compared` days, `lacking` the days whose calls may be missing, `gone`
    those that the service no longer gives.
    """

    over: int
    compared: int
    listed: int
    here: int
    lacking: int
    gone: int
    last_compared: datetime | None

    @property
    def is_whole(self) -> bool:
        return self.over > self.gone and not self.lacking


@dataclass(frozen=True)
class Statement:
    """`total` is the sum of the days; `models` are the largest ones, `others` the sum of all others, named by their
    number."""

    first: date
    last: date
    made_at: datetime
    unit: Unit
    total: Amount
    models: Sequence[Amount]
    others: Amount | None
    days: Sequence[Day]
    proof: Proof

    @property
    def has_begun(self) -> bool:
        return self.first <= clock.local_day(self.made_at)

    @property
    def is_over(self) -> bool:
        return self.last < clock.local_day(self.made_at)

    @property
    def is_known(self) -> bool:
        """Whether anything of the month is archived: calls, or that a day has none."""
        return self.total.calls > 0 or any(day.is_complete for day in self.days)


def statement(archive_id: int, month: date, *, wants_prompts: bool) -> Statement:
    """The statement of the month of a day, as far as it went."""
    made_at, unit = clock.now(), unit_of(archive_id)
    first, last = month_of(month)
    filters = RecordFilters(Days(first, last))
    models, others = dims(archive_id, filters, "model", measured=may_be_in(archive_id)).largest("model", MOST_MODELS)
    days = _days(archive_id, filters, ledger(archive_id, filters.days, wants_prompts=wants_prompts))
    return Statement(
        first=first,
        last=last,
        made_at=made_at,
        unit=unit,
        total=_sum([day.amount for day in days]),
        models=[_amount(one.name, one, unit) for one in models],
        others=_amount(str(others.names), others, unit) if others else None,
        days=days,
        proof=_proof(days),
    )


def _amount(name: str, item: DimItem | OtherNames, unit: Unit) -> Amount:
    return Amount(name, parts_of(item, unit), item.calls, item.free)


def _sum(amounts: Sequence[Amount]) -> Amount:
    return Amount(
        "",
        sum(one.credits for one in amounts),
        sum(one.calls for one in amounts),
        sum(one.free for one in amounts),
    )


def _days(archive_id: int, filters: RecordFilters, known: Ledger) -> list[Day]:
    """Each day of the month until today."""
    beside = measured_sums.sums_by("day", archive_id, filters) if may_be_in(archive_id) else {}
    spent = {
        day: Amount(day, credits, calls, free - beside.get(day, measured_sums.NONE).without_amount)
        for day, credits, calls, free in totals_by_day(archive_id, filters)
    }
    return [_day(spent.get(day, Amount(day, 0, 0, 0)), state, known) for day, state in known.states().items()]


def _day(amount: Amount, state: State, found: Ledger) -> Day:
    is_final = found.is_final(amount.name, state)
    known = found.known.get(amount.name)
    counted = known.upstream if known else None
    compared_at = sql.instant(known.checked_at) if known and known.checked_at and counted is not None else None
    if is_final and state is State.UNASKED:
        state = State.UNREACHABLE
    is_complete = state in _COMPLETE and counted is not None
    return Day(amount, state, is_final, is_complete, counted, compared_at)


def _proof(days: Sequence[Day]) -> Proof:
    over = [day for day in days if day.state is not State.OPEN]
    compared = [day for day in over if day.listed is not None]
    gone = sum(day.state is State.UNREACHABLE for day in over)
    return Proof(
        over=len(over),
        compared=len(compared),
        listed=sum(day.listed or 0 for day in compared),
        here=sum(day.amount.calls for day in compared),
        lacking=sum(not day.is_complete for day in over) - gone,
        gone=gone,
        last_compared=max((day.compared_at for day in over if day.compared_at), default=None),
    )
