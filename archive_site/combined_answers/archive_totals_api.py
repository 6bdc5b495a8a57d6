"""JSON view of what all archives of an account came to (docs/api.md#sums-of-archives)."""

from typing import Annotated, Any, ClassVar

from accounts import archives
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Answer, Count, about
from archive_site.lib.http.described import READS, described
from archive_site.lib.http.span_of_days import BAD_DAY, OfDays
from usage.archive_sums import ArchiveSum, ConvertedSum, SumOfUnit, archive_sums, converted_sums, sums_of_units
from usage.coverage.span_proof import SpanProof
from usage.measure_types import MeasuredSums, TokenCounts
from usage.prompt_privacy import policy as privacy
from usage.proofs.billed_days import TOKENS
from usage.rates import MONEY
from usage.reads.summary import credits_change
from usage.rollups import measured_sums
from usage.sum_types import Window

_HEADING = "Sums of archives"
_AMOUNT = "to the last digit; null where no call has a known one"


class ConvertedAmount(Answer, frozen=True):
    """An amount in the unit of a rate: an estimate, as good as the rate."""

    heading: ClassVar[str] = _HEADING

    amount: str
    unit: Annotated[str, about(f"one of {', '.join(MONEY)}")]


class EarlierAmount(MeasuredSums, frozen=True):
    heading: ClassVar[str] = _HEADING

    window: Window
    until: Annotated[str | None, about("the last minute that counts on its last day; null where that day is whole")]
    calls: Count


class DaysProved(Answer, frozen=True):
    """How far the ledger proves a span."""

    heading: ClassVar[str] = _HEADING

    over: Annotated[Count, about("days that are over")]
    compared: Annotated[Count, about("those whose calls the source counted")]
    lacking: Annotated[Count, about("those whose calls may be missing")]
    gone: Annotated[Count, about("those that the source no longer gives")]
    erased: Annotated[Count, about("those whose calls were erased")]
    differing: Annotated[Count, about("those that a second sum does not agree with")]
    whole: Annotated[bool, about("whether every call that the source lists of the days that are over is here")]


class TotalOfArchive(MeasuredSums, frozen=True):
    heading: ClassVar[str] = _HEADING

    id: int
    label: str
    kind: str
    bills: Annotated[bool, about("whether these are sums of bills: no sum of several archives has them")]
    calls: Annotated[Count | None, about("null where bills do not count them")]
    estimates: Annotated[bool, about("whether amounts come from a list of prices")]
    before: Annotated[EarlierAmount | None, about("the span before; null where it is not archived")]
    change: Annotated[float | None, about("of the amount since then, in percent, to 2 decimals")]
    proof: DaysProved
    converted: Annotated[ConvertedAmount | None, about("by the archive's rate; null without one or a known amount")]


class TotalOfUnit(Answer, frozen=True):
    heading: ClassVar[str] = _HEADING

    unit: str
    amount: Annotated[str | None, about(_AMOUNT)]
    calls: Count
    without_amount: Annotated[Count, about("calls of unknown amount")]
    archives: Annotated[list[int], about("the ids of those that count in it")]


class ConvertedTotal(Answer, frozen=True):
    heading: ClassVar[str] = _HEADING

    unit: str
    amount: str
    estimated: Annotated[bool, about("true: a sum with converted amounts is an estimate")]
    archives: Annotated[list[int], about("the ids of those in it: that have a rate to the unit, or count in it")]
    without: Annotated[list[int], about("the ids of all others")]


class TotalsOfArchives(Answer, frozen=True):
    items: Annotated[list[TotalOfArchive], about("the first archive first")]
    sums: Annotated[list[TotalOfUnit], about("of all archives of a unit; different units are never added")]
    converted: Annotated[list[ConvertedTotal], about("one for each unit that a rate converts to")]


@described(
    READS,
    _HEADING,
    "The total of each archive, and the sum of all archives with the same unit",
    errors=BAD_DAY,
)
def totals(request: AccountRequest, query: OfDays) -> TotalsOfArchives:
    own = archives.all_of(request.user.pk)
    found = archive_sums(own, query.days, wants_prompts=privacy.wants_prompts(request.user.pk))
    return TotalsOfArchives(
        items=[_total(one) for one in found],
        sums=[_of_unit(one) for one in sums_of_units(found)],
        converted=[_converted(one) for one in converted_sums(found)],
    )


def _total(one: ArchiveSum) -> TotalOfArchive:
    figures, to = one.figures, one.converted
    return TotalOfArchive(
        id=one.archive.pk,
        label=one.archive.label,
        kind=one.archive.kind,
        bills=one.billed is not None,
        calls=one.calls,
        estimates=one.estimates,
        before=_earlier(one),
        change=credits_change(one.before, figures) if one.before else None,
        proof=_proof(one.proof),
        converted=ConvertedAmount(to.unit.text(to.parts), to.unit.code) if to else None,
        **{**measured_sums.in_words(figures.unit, figures.credits, figures.calls, figures.measured), **_billed(one)},
    )


def _billed(one: ArchiveSum) -> dict[str, Any]:
    """What bills say instead of calls; tokens only where they count all of them."""
    if one.billed is None:
        return {}
    tokens = [one.billed[what] for what in TOKENS if what in one.billed]
    return {
        "amount": None if one.parts is None else one.unit.text(one.parts),
        "tokens": TokenCounts(*tokens) if len(tokens) == len(TOKENS) else None,
    }


def _earlier(one: ArchiveSum) -> EarlierAmount | None:
    if one.before is None:
        return None
    before = one.before
    return EarlierAmount(
        window=one.earlier.window.payload(),
        until=one.earlier.until or None,
        calls=before.calls,
        **measured_sums.in_words(before.unit, before.credits, before.calls, before.measured),
    )


def _proof(found: SpanProof) -> DaysProved:
    return DaysProved(
        over=found.over,
        compared=found.compared,
        lacking=found.lacking,
        gone=found.gone,
        erased=found.erased,
        differing=found.differing,
        whole=found.is_whole,
    )


def _of_unit(one: SumOfUnit) -> TotalOfUnit:
    found, parts = one.figures, one.figures.known_credits
    amount = None if parts is None else found.unit.text(parts)
    return TotalOfUnit(found.unit.code, amount, found.calls, found.without_amount, list(one.archives))


def _converted(one: ConvertedSum) -> ConvertedTotal:
    amount = one.unit.text(one.parts)
    return ConvertedTotal(one.unit.code, amount, True, list(one.archives), list(one.without))
