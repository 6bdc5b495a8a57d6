"""What each archive of an account came to, and the sums of those that may be added (docs/api.md#sums-of-archives).

Amounts of different units are never added; those that a rate converts are an estimate, beside the amounts themselves.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from accounts.models import Archive
from archive_site.lib.http.parameter_parsing import Days
from usage import rates
from usage.amounts.units import UNITS, Unit
from usage.coverage.ledger import ledger
from usage.coverage.span_proof import SpanProof, proof_of_span
from usage.filters import RecordFilters
from usage.measures import What
from usage.proofs import billed_days
from usage.proofs.billed_days import Counted
from usage.rates import Rate
from usage.reads import comparison
from usage.reads.earlier_days import PREVIOUS
from usage.rollups import measured_sums
from usage.rollups.figures import Figures, figures
from usage.source_traits import traits_for
from usage.statements.period_summary import archived_before, change_of


class Converted(NamedTuple):
    """An amount by the rate of its archive, in parts of the rate's unit."""

    parts: int
    unit: Unit


@dataclass(frozen=True)
class ArchiveSum:
    """What an archive came to in a span, and in the span before, as far as that is archived.

    `change` is that of the amount, in tenths of a percent; `rate` is that of the archive.
    `billed` is what the bills of an archive say that has no calls. Those may be in other archives: no sum has both.
    """

    archive: Archive
    figures: Figures
    earlier: comparison.Earlier
    before: Figures | None
    proof: SpanProof
    rate: Rate | None = None
    billed: Counted | None = None

    @property
    def unit(self) -> Unit:
        return self.figures.unit

    @property
    def parts(self) -> int | None:
        """The amount in parts of the unit; None where no call and no bill has a known one."""
        return self.figures.known_credits if self.billed is None else self.billed.get(What.AMOUNT)

    @property
    def calls(self) -> int | None:
        """The number of calls; None where bills do not count them."""
        return self.figures.calls if self.billed is None else self.billed.get(What.CALLS)

    @property
    def estimates(self) -> bool:
        """Whether some amount comes from a list of prices: by the source, or in the file of such a source."""
        measured = self.figures.measured or measured_sums.NONE
        return traits_for(self.archive).estimates or measured.estimated > 0

    @property
    def converted(self) -> Converted | None:
        """The amount by the rate; None without a rate or a known amount."""
        if self.rate is None or self.parts is None:
            return None
        return Converted(self.rate.converted(self.parts, self.unit), UNITS[self.rate.unit])

    @property
    def change(self) -> int | None:
        return change_of(self.before, self.figures)


@dataclass(frozen=True)
class SumOfUnit:
    """The sum of all archives of a unit."""

    figures: Figures
    archives: Sequence[int]


@dataclass(frozen=True)
class ConvertedSum:
    """The sum of the archives that have a rate to a unit, and of those that count in it, in its parts.

    `without` are those that are not in it: of other units, or without a known amount.
    """

    unit: Unit
    parts: int
    archives: Sequence[int]
    without: Sequence[int]


def archive_sums(archives: Sequence[Archive], days: Days, *, wants_prompts: bool) -> list[ArchiveSum]:
    """What each of these archives came to in a span of days; today counts as far as it went."""
    rated = rates.rates_of([one.pk for one in archives])
    return [_sum_of(one, days, rated.get(one.pk), wants_prompts=wants_prompts) for one in archives]


def sums_of_units(found: Iterable[ArchiveSum]) -> list[SumOfUnit]:
    """The sum of each unit, in the order of the archives, without bills."""
    by_unit: dict[Unit, list[ArchiveSum]] = defaultdict(list)
    for one in found:
        if one.billed is None:
            by_unit[one.unit].append(one)
    return [_sum_of_unit(unit, several) for unit, several in by_unit.items()]


def converted_sums(found: Sequence[ArchiveSum]) -> list[ConvertedSum]:
    """A sum for each unit that a rate converts to, without bills."""
    added = [one for one in found if one.billed is None]
    codes = sorted({one.converted.unit.code for one in added if one.converted})
    return [_converted_to(code, added) for code in codes]


def _sum_of_unit(unit: Unit, several: Sequence[ArchiveSum]) -> SumOfUnit:
    summed = Figures(
        credits=sum(one.figures.credits for one in several),
        calls=sum(one.figures.calls for one in several),
        unit=unit,
        measured=measured_sums.added(one.figures.measured or measured_sums.NONE for one in several),
    )
    return SumOfUnit(summed, [one.archive.pk for one in several])


def _converted_to(code: str, found: Sequence[ArchiveSum]) -> ConvertedSum:
    parts: dict[int, int] = {}
    for one in found:
        if one.unit.code == code and one.parts is not None:
            parts[one.archive.pk] = one.parts
        elif one.converted and one.converted.unit.code == code:
            parts[one.archive.pk] = one.converted.parts
    others = [one.archive.pk for one in found if one.archive.pk not in parts]
    return ConvertedSum(UNITS[code], sum(parts.values()), list(parts), others)


def _sum_of(archive: Archive, days: Days, rate: Rate | None, *, wants_prompts: bool) -> ArchiveSum:
    filters, archive_id = RecordFilters(days), archive.pk
    earlier = comparison.earlier(archive_id, filters, comparison.Asked(PREVIOUS))
    now, window = figures(archive_id, filters, measured=True), earlier.window
    known = ledger(archive_id, Days(window.first or days.first, days.last), wants_prompts=wants_prompts)
    before = archived_before(archive_id, earlier, window.first, known, measured=True)[0] if window.first else None
    return ArchiveSum(
        archive=archive,
        figures=now,
        earlier=earlier,
        before=before,
        proof=proof_of_span(known, days),
        rate=rate,
        billed=billed_days.sums_of(archive_id, days) if traits_for(archive).bills_others else None,
    )
