"""The statement of a month: its sums by model, what proves them, and its days (docs/api.md#pages)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from msgspec import UnsetType

from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.coverage.ledger import Ledger, ledger
from usage.coverage.span_proof import KnownDay, SpanProof, known_days, proof_of
from usage.filters import RecordFilters
from usage.forecast.month_end import month_of
from usage.reads.daily_series import totals_by_day
from usage.reads.dimensions import dims, parts_of
from usage.rollups import measured_sums
from usage.statements.period_summary import MOST_MODELS
from usage.stored_measures import may_be_in
from usage.sum_types import DimItem, OtherNames


@dataclass(frozen=True)
class Amount:
    """What a name or a day came to; `credits` is in parts of the archive's unit. Of the calls, `unknown` ones have no
    amount."""

    name: str
    credits: int
    calls: int
    free: int
    unknown: int = 0

    @property
    def known_credits(self) -> int | None:
        """The sum of the known amounts; None where no call has one."""
        return None if self.calls and self.unknown == self.calls else self.credits


class Day(NamedTuple):
    """The sums of a day, and its state in the ledger."""

    amount: Amount
    known: KnownDay


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
    proof: SpanProof

    @property
    def has_begun(self) -> bool:
        return self.first <= clock.local_day(self.made_at)

    @property
    def is_over(self) -> bool:
        return self.last < clock.local_day(self.made_at)

    @property
    def is_known(self) -> bool:
        """Whether anything of the month is archived: calls, or that a day has none."""
        return self.total.calls > 0 or any(day.known.is_complete for day in self.days)


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
        proof=proof_of(day.known for day in days),
    )


def _amount(name: str, item: DimItem | OtherNames, unit: Unit) -> Amount:
    unknown = 0 if isinstance(item.without_amount, UnsetType) else item.without_amount
    return Amount(name, parts_of(item, unit), item.calls, item.free, unknown)


def _sum(amounts: Sequence[Amount]) -> Amount:
    return Amount(
        "",
        sum(one.credits for one in amounts),
        sum(one.calls for one in amounts),
        sum(one.free for one in amounts),
        sum(one.unknown for one in amounts),
    )


def _days(archive_id: int, filters: RecordFilters, known: Ledger) -> list[Day]:
    """Each day of the month until today."""
    beside = measured_sums.sums_by("day", archive_id, filters) if may_be_in(archive_id) else {}
    spent = {}
    for day, credits, calls, free in totals_by_day(archive_id, filters):
        unknown = beside.get(day, measured_sums.NONE).without_amount
        spent[day] = Amount(day, credits, calls, free - unknown, unknown)
    return [Day(spent.get(one.day, Amount(one.day, 0, 0, 0)), one) for one in known_days(known)]
