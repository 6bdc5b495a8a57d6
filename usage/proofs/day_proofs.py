"""Keeps whether the calls of an archive agree with bills, for the ledger of days
(docs/decisions/collection.md#proofs)."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, tzinfo
from enum import StrEnum

from django.db.models import Min

from archive_site.lib import clock
from archive_site.lib.storage.keyed import execute_for_keys
from archive_site.lib.storage.sql import fetch
from archive_site.lib.storage.transaction_locks import lock_archive
from usage import data_version
from usage.measures import What
from usage.models import BillRead, DayProof
from usage.proofs import spent_counter, wall_clock_sums
from usage.proofs.bill import ONE_DAY, WHOLE, Sum
from usage.proofs.comparison import Difference, differences, split
from usage.proofs.stored_bills import AGREED, sums_of
from usage.proofs.sums_of_days import BESIDE, DaysHere, sums_of_days
from usage.source_traits import traits_of

# Differences of a day that are kept: one of each model before further ones.
MOST_DIFFERENCES = 300
# Complete bills whose day was not compared since its calls changed.
_UNCOMPARED = """
    SELECT b.day FROM usage_billread b LEFT JOIN usage_dayproof p
    ON p.user_id = %s AND p.day = b.day AND p.bill_id = b.user_id
    WHERE b.user_id = %s AND b.is_complete AND p.day IS NULL ORDER BY b.day"""
_KNOWN = """
    SELECT b.day, b.is_complete, p.differences, p.uncounted FROM usage_billread b LEFT JOIN usage_dayproof p
    ON p.user_id = %s AND p.day = b.day AND p.bill_id = b.user_id
    WHERE b.user_id = %s AND b.day >= %s AND b.day <= %s"""
_FORGET = "DELETE FROM usage_dayproof WHERE {keys}"
_DAYS = range(date.min.toordinal(), date.max.toordinal() + 1)
_DAY = {"user_id": "bigint", "day": "text"}


class ProofState(StrEnum):
    """How the calls of a bill's day compare: without a bill (`missing`), with one that may still change (`waiting`)."""

    PROVED = "proved"
    DIFFERS = "differs"
    WAITING = "waiting"
    MISSING = "missing"


@dataclass(frozen=True)
class Proof:
    """What the bill of the archive `bill_id` proves of one of its days, beside the models that it does not count.

    The bill of another `is_to_come` where that is asked, and has not said twice what the day came to.
    """

    bill_id: int
    day: date
    state: ProofState
    found: str = AGREED
    uncounted: Sequence[str] = ()
    is_to_come: bool = False

    @property
    def differences(self) -> list[Difference]:
        # Read where they are shown: a ledger of years may have many.
        return [Difference(model, What(what), here, there) for model, what, here, there in json.loads(self.found)]


def uncompared(archive_id: int, bill_id: int) -> list[date]:
    """The days of complete bills that are to be compared, oldest first."""
    return [date.fromisoformat(day) for (day,) in fetch(_UNCOMPARED, [archive_id, bill_id])]


def compared(
    archive_id: int, bill_id: int, days: Sequence[date], counted: Collection[tuple[str, What]] | None
) -> list[DayProof]:
    """The calls of consecutive days of a bill, compared with it; rows that are not stored yet. `counted` is what bills
    of another archive count of the models that they name, None for an archive's own."""
    traits = traits_of(bill_id)
    bills, here, now = sums_of(bill_id, days), _sums_here(archive_id, days, traits.bill_zone), clock.now()
    missing = spent_counter.missing(bill_id, days) if counted is None else {}
    rows = []
    for day in days:
        mine, uncounted = here.sums.get(day, {}), list[str]()
        theirs = spent_counter.with_missing(bills.get(day, {}), missing.get(day, 0))
        if counted is not None:
            # In files costs have names for people.
            mine, theirs, uncounted = split(mine, theirs, counted, costs_name_models=traits.is_asked)
        found = differences(mine, theirs)
        if day in here.uncertain:
            # Calls without an instant may be of this day or of another.
            found = [Difference(WHOLE, What.CALLS, None, theirs.get((WHOLE, What.CALLS), Sum(0)).amount)]
        rows.append(
            DayProof(
                archive_id=archive_id,
                day=day.isoformat(),
                bill_id=bill_id,
                differences=json.dumps(_kept(found)) if found else AGREED,
                uncounted=json.dumps(uncounted),
                compared_at=now,
            )
        )
    return rows


def _kept(found: Sequence[Difference]) -> Sequence[Difference]:
    """The differences that are kept of a day, in their order."""
    if len(found) <= MOST_DIFFERENCES:
        return found
    seen = Counter[str]()
    turns = []
    for place, one in enumerate(found):
        turns.append((seen[one.model], place))
        seen[one.model] += 1
    return [found[place] for place in sorted(place for _, place in sorted(turns)[:MOST_DIFFERENCES])]


def _sums_here(archive_id: int, days: Sequence[date], zone: tzinfo) -> DaysHere:
    if zone is UTC:
        return sums_of_days(archive_id, days[0], days[-1])
    return DaysHere(wall_clock_sums.sums_of_days(archive_id, days, zone), set())


def store(archive_id: int, rows: Collection[DayProof], version: Sequence[str]) -> bool:
    """Store comparisons, in the caller's transaction, unless the archive has changed since it had `version`; gives
    whether they are stored."""
    lock_archive(archive_id)
    if data_version.state(archive_id) != version:
        return False
    DayProof.objects.bulk_create(rows, ignore_conflicts=True)
    data_version.raise_version(archive_id)
    return True


def forget(archive_id: int, days: Iterable[str]) -> None:
    """Let calls of these days be compared again, in the transaction that changes them."""
    numbers = {date.fromisoformat(day).toordinal() + beside for day in days for beside in (-1, 0, 1)}
    near = [(archive_id, str(date.fromordinal(number))) for number in sorted(numbers) if number in _DAYS]
    execute_for_keys(_FORGET, _DAY, near)


def differing(archive_id: int, bill_id: int, first: date, last: date) -> int:
    """How many days of a bill differ."""
    found = DayProof.objects.filter(archive_id=archive_id, bill_id=bill_id, day__range=(str(first), str(last)))
    return found.exclude(differences=AGREED).count()


def forget_bill(bill_id: int) -> None:
    """Let nothing be proved by the bills of an archive, in the caller's transaction."""
    DayProof.objects.filter(bill_id=bill_id).delete()


def proofs_of(
    archive_id: int, bill_ids: Collection[int], first: date, last: date, own_zone: tzinfo = UTC
) -> dict[date, list[Proof]]:
    """What bills prove of each day of an archive from `first` to `last`: by each bill's days that it touches. Those of
    its own bills are of `own_zone`."""
    known: dict[tuple[int, str], tuple[bool, str | None, str | None]] = {}
    for bill_id in bill_ids:
        span = [str(first - BESIDE), str(last + BESIDE)]
        for day, is_complete, found, uncounted in fetch(_KNOWN, [archive_id, bill_id, *span]):
            known[bill_id, day] = is_complete, found, uncounted
    begun = _first_asked([bill_id for bill_id in bill_ids if bill_id != archive_id])
    proofs: dict[date, list[Proof]] = defaultdict(list)
    for number in range(first.toordinal(), last.toordinal() + 1):
        day = date.fromordinal(number)
        for bill_id in bill_ids:
            # Those of others are of days in UTC.
            for touched in _touched(day, own_zone if bill_id == archive_id else UTC):
                bill = known.get((bill_id, str(touched)))
                is_to_come = not (bill and bill[0]) and bill_id in begun and begun[bill_id] <= str(touched)
                proofs[day].append(replace(_proof(bill_id, touched, bill), is_to_come=is_to_come))
    return proofs


def _first_asked(bill_ids: Collection[int]) -> dict[int, str]:
    """The first day that was read of the bills of others, as far as these are asked for."""
    asked = [bill_id for bill_id in bill_ids if traits_of(bill_id).is_asked]
    if not asked:
        return {}
    days = BillRead.objects.filter(archive_id__in=asked).order_by().values_list("archive_id")
    return dict(days.annotate(first=Min("day")))


def is_proved(proofs: Collection[Proof]) -> bool:
    """Whether bills agree that count all models of each of their days that a day touches, and none differs or is still
    to come."""
    left: dict[date, list[set[str]]] = {proof.day: [] for proof in proofs}
    for proof in proofs:
        if proof.state is ProofState.DIFFERS or proof.is_to_come:
            return False
        if proof.state is ProofState.PROVED:
            left[proof.day].append(set(proof.uncounted))
    # A model is counted by one of them at least.
    return bool(left) and all(uncounted and not set.intersection(*uncounted) for uncounted in left.values())


def _proof(bill_id: int, day: date, known: tuple[bool, str | None, str | None] | None) -> Proof:
    if known is None:
        return Proof(bill_id, day, ProofState.MISSING)
    is_complete, found, uncounted = known
    if found is None or not is_complete:
        return Proof(bill_id, day, ProofState.WAITING)
    if found == AGREED:
        return Proof(bill_id, day, ProofState.PROVED, uncounted=json.loads(uncounted or "[]"))
    return Proof(bill_id, day, ProofState.DIFFERS, found)


def _touched(day: date, zone: tzinfo) -> list[date]:
    """The days of a zone that a day of the archive touches."""
    first, last = (moment.astimezone(zone).date() for moment in (clock.day_start(day), clock.day_end(day)))
    return [first + number * ONE_DAY for number in range((last - first).days + 1)]
