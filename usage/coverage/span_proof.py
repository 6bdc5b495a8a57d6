"""What the ledger knows of each day of a span, and how far that proves the span
(docs/decisions/collection.md#the-ledger-of-days)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage import sql
from usage.coverage.ledger import Ledger, State
from usage.proofs.day_proofs import ProofState

# All calls of such a day that the service lists are here, if it has counted them.
_COMPLETE = {State.PROVED, State.SETTLED, State.CHECKED, State.STRIPPED, State.SURPLUS}


@dataclass(frozen=True)
class KnownDay:
    """A day with its state in the ledger and its calls here: `is_final` where nothing more can be fetched, `listed` are
    the calls that the service counted at `compared_at`; `differs` where a second sum does not agree."""

    day: str
    here: int
    state: State
    is_final: bool
    is_complete: bool
    listed: int | None
    compared_at: datetime | None
    differs: bool


@dataclass(frozen=True)
class SpanProof:
    """How far the days that are over are compared with the service.

    `listed` and `here` are the calls of the `compared` days, `lacking` the days whose calls may be missing, `gone`
    those that the service no longer gives, `erased` those whose calls were erased here, `differing` those whose second
    sum does not agree.
    """

    over: int
    compared: int
    listed: int
    here: int
    lacking: int
    gone: int
    erased: int
    differing: int
    last_compared: datetime | None

    @property
    def is_whole(self) -> bool:
        return self.over > self.gone and not (self.erased or self.lacking or self.differing)


def known_days(ledger: Ledger) -> list[KnownDay]:
    """Each day of a ledger's window until today, oldest first."""
    return [_known_day(ledger, day, state) for day, state in ledger.states().items()]


def proof_of_span(ledger: Ledger, days: Days) -> SpanProof:
    """How far a ledger proves these days. Days without calls that were never asked for are counted, not looked at."""
    noted = ledger.noted(days)
    found = proof_of(_known_day(ledger, day, ledger.state(day)) for day in noted)
    others, erased = ledger.length_of(days) - len(noted), _unnoted_before(ledger, days, ledger.kept_from)
    passed = _unnoted_before(ledger, days, max(ledger.first_given, ledger.calls_from, ledger.kept_from))
    return replace(
        found,
        over=found.over + others,
        lacking=found.lacking + others - passed,
        gone=found.gone + passed - erased,
        erased=found.erased + erased,
    )


def _unnoted_before(ledger: Ledger, days: Days, first: str) -> int:
    """How many of these days before another one nothing is known of."""
    if not first:
        return 0
    end = date.fromisoformat(first) - timedelta(days=1)
    before = Days(days.first, min(days.last or end, end))
    return ledger.length_of(before) - len(ledger.noted(before))


def proof_of(days: Iterable[KnownDay]) -> SpanProof:
    """How far these days prove what the archive has of them."""
    over = [day for day in days if day.state is not State.OPEN]
    compared = [day for day in over if day.listed is not None]
    gone, erased = (sum(day.state is state for day in over) for state in (State.UNREACHABLE, State.ERASED))
    return SpanProof(
        over=len(over),
        compared=len(compared),
        listed=sum(day.listed or 0 for day in compared),
        here=sum(day.here for day in compared),
        lacking=sum(not day.is_complete for day in over) - gone - erased,
        gone=gone,
        erased=erased,
        differing=sum(day.differs for day in over),
        last_compared=max((day.compared_at for day in over if day.compared_at), default=None),
    )


def _known_day(ledger: Ledger, day: str, state: State) -> KnownDay:
    is_final, known, here = ledger.is_final(day, state), ledger.known.get(day), ledger.here.get(day)
    counted = known.upstream if known else None
    compared_at = sql.instant(known.checked_at) if known and known.checked_at and counted is not None else None
    if is_final and state is State.UNASKED:
        state = State.UNREACHABLE
    is_complete = state in _COMPLETE and counted is not None
    proofs = ledger.second_sums.of(day) if ledger.second_sums else ()
    differs = any(proof.state is ProofState.DIFFERS for proof in proofs)
    return KnownDay(day, here.calls if here else 0, state, is_final, is_complete, counted, compared_at, differs)
