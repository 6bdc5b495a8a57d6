"""Reads the ledger of days: what is known of each day, and its state (docs/api.md#coverage)."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import NamedTuple

from accounts import archives
from archive_site.lib import clock
from archive_site.lib.http.answer_types import as_json
from archive_site.lib.http.json_views import JsonText
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage import sql
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.coverage import left_windows, unasked
from usage.coverage.ledger_writes import reach
from usage.horizon import CALLS_FROM
from usage.measures import What
from usage.models import CoverageDay
from usage.proofs import day_proofs
from usage.proofs.comparison import Difference
from usage.proofs.day_proofs import Proof
from usage.reads.queries import DayWindow
from usage.record_payloads import json_text
from usage.rollups import read_sums
from usage.source_traits import Traits, traits_of


class State(StrEnum):
    """The states of a day, in the order in which they are tried."""

    OPEN = "open"
    # Only of archives that have erased some.
    ERASED = "erased"
    UNASKED = "unasked"
    UNREACHABLE = "unreachable"
    UNCONFIRMED = "unconfirmed"
    SHORT = "short"
    SURPLUS = "surplus"
    STRIPPED = "stripped"
    # Only of archives that have bills.
    PROVED = "proved"
    SETTLED = "settled"
    CHECKED = "checked"


class Known(NamedTuple):
    """What the ledger has of a day that was asked for; `checked_at` as text."""

    upstream: int | None
    checked_at: str | None
    empty: int | None
    is_settled: bool


class Here(NamedTuple):
    """What the archive has of a day."""

    calls: int = 0
    without_prompt: int = 0


class SecondSums(NamedTuple):
    """What bills prove of each day of a window, with the unit of each archive of bills; `of_settled`: of settled days
    alone."""

    proofs: Mapping[date, Collection[Proof]]
    units: Mapping[int, Unit]
    of_settled: bool

    def of(self, day: str) -> Collection[Proof]:
        return self.proofs[date.fromisoformat(day)]

    def proves(self, day: str, *, is_settled: bool) -> bool:
        return (is_settled or not self.of_settled) and day_proofs.is_proved(self.of(day))

    def json(self, day: str) -> str:
        return json_text([_of_proof(proof, self.units[proof.bill_id]) for proof in self.of(day)])


_NOTHING = Here()
# The first day within the source's reach, the first whose calls are kept, and whether the archive has bills of its own.
_REACH = f"""
    SELECT (SELECT first_day FROM usage_reach WHERE user_id = %s), {CALLS_FROM},
    EXISTS (SELECT 1 FROM usage_billread WHERE user_id = %s)"""  # noqa: S608 - constants
# A window reaches back this far beyond the first day that is known of an archive.
_SHOWN_BEFORE = timedelta(days=1000)


@dataclass(frozen=True)
class Ledger:
    """What is needed for the states of the days of a window; days are ISO texts.

    `first_given` is the first day within the source's reach, as far as it is known, `calls_from` the first whose calls
    it gives today where it gives them for a number of days, else empty, `prompts_from` the first whose prompts it
    surely gives. The calls of days before `kept_from` were erased here; it is empty where none were. `wants_prompts` is
    false where the instance or the account keeps no prompts. `second_sums` are there of an archive with bills: of one
    that `is_of_files`, whose days nobody asks for, they alone say something.
    """

    window: DayWindow
    known: dict[str, Known]
    here: dict[str, Here]
    unconfirmed: set[str]
    today: str
    first_given: str
    calls_from: str
    prompts_from: str
    wants_prompts: bool
    second_sums: SecondSums | None = None
    kept_from: str = ""
    is_of_files: bool = False

    def state(self, day: str) -> State:
        known, here = self.known.get(day), self.here.get(day, _NOTHING)
        if day >= self.today:
            return State.OPEN
        if day < self.kept_from:
            return State.ERASED
        if known is None:
            is_proved = self.is_of_files and self.second_sums and self.second_sums.proves(day, is_settled=True)
            return State.PROVED if is_proved else State.UNASKED
        if day < self.first_given:
            return State.UNREACHABLE
        if day in self.unconfirmed:
            return State.UNCONFIRMED
        if known.upstream is not None and known.upstream != here.calls:
            return State.SHORT if known.upstream > here.calls else State.SURPLUS
        if self.wants_prompts and _lacks_prompts(known, here):
            return State.STRIPPED
        if self.second_sums and self.second_sums.proves(day, is_settled=known.is_settled):
            return State.PROVED
        return State.SETTLED if known.is_settled else State.CHECKED

    def is_final(self, day: str, state: State) -> bool:
        """Whether nothing more can be fetched of a day: all is here, or the source gives no more."""
        if day < max(self.first_given, self.calls_from, self.kept_from):
            return True
        known = self.known.get(day)
        if state is State.STRIPPED:
            # Without a count, calls may be missing beside the prompts.
            return day < self.prompts_from and known is not None and known.upstream is not None
        return bool(known and known.is_settled) and state in (State.PROVED, State.SETTLED, State.SURPLUS)

    def is_archived(self, day: str) -> bool:
        """Whether a day has calls, or is known to have none: it was read, of today a part at least.

        The pages have the same rule (`isBlank` in `static/js/charts/ledger_days.js`).
        """
        if self.here.get(day, _NOTHING).calls:
            return True
        state = self.state(day)
        if state is State.OPEN:
            # Today was reached once the day before was read to its end.
            return self.state(str(date.fromisoformat(day) - timedelta(days=1))) is not State.UNASKED
        if state is State.ERASED:
            # Of one without calls nothing is known unless the source counted them.
            return day in self.known and self.known[day].upstream is not None
        return state not in (State.UNASKED, State.UNREACHABLE)

    def day_json(self, day: str, state: State) -> str:
        known, here = self.known.get(day), self.here.get(day, _NOTHING)
        upstream = checked_at = "null"
        if known and known.upstream is not None and known.checked_at:
            upstream, checked_at = str(known.upstream), f'"{clock.local_text(sql.instant(known.checked_at))}"'
        proofs = f',"proofs":{self.second_sums.json(day)}' if self.second_sums else ""
        return (
            f'{{"d":"{day}","state":"{state}","upstream":{upstream},"here":{here.calls},'
            f'"without_prompt":{here.without_prompt},"checked_at":{checked_at},'
            f'"final":{str(self.is_final(day, state)).lower()}{proofs}}}'
        )

    def days(self) -> Iterator[str]:
        """Each day of the window, oldest first."""
        if self.window.first and self.window.last:
            for number in range(self.window.first.toordinal(), self.window.last.toordinal() + 1):
                yield date.fromordinal(number).isoformat()

    def within(self, days: Days) -> list[str]:
        """These days, as far as they are in the window, oldest first."""
        return [day for day in self.days() if days.may_hold(date.fromisoformat(day))]

    def noted(self, days: Days) -> list[str]:
        """Those of these days in the window that have calls or were asked for, and today, oldest first: of all others
        nothing is known."""
        found = {day for day in (*self.known, *self.here, self.today) if self.window.holds(date.fromisoformat(day))}
        return sorted(day for day in found if days.may_hold(date.fromisoformat(day)))

    def length_of(self, days: Days) -> int:
        """How many of these days are in the window."""
        first, last = self.window.first, self.window.last
        if not first or not last:
            return 0
        return max(0, (min(days.last or last, last) - max(days.first or first, first)).days + 1)

    @property
    def last_erased(self) -> date | None:
        """The last day whose calls were erased."""
        return date.fromisoformat(self.kept_from) - timedelta(days=1) if self.kept_from else None

    def states(self) -> dict[str, State]:
        """The state of each day of the window, oldest first."""
        return {day: self.state(day) for day in self.days()}

    def counts(self) -> dict[str, int]:
        """How many days of the window have each state; those that were not asked for are counted without a look."""
        found = Counter(self.state(day) for day in (self.days() if self.is_of_files else self.known))
        del found[State.UNASKED]
        days = self.window.length or 0
        if days and self.window.holds(date.fromisoformat(self.today)):
            found[State.OPEN] = 1
        if self.kept_from:
            found[State.ERASED] = self.length_of(Days(None, self.last_erased))
        found[State.UNASKED] = days - found.total()
        return self.named(found)

    def named(self, counts: Mapping[State, int]) -> dict[str, int]:
        """Numbers of days by the states that days of the archive can have."""
        absent = {State.PROVED: not self.second_sums, State.ERASED: not self.kept_from}
        states = [state for state in State if not absent.get(state)]
        return {state.value: counts.get(state, 0) for state in states}


def ledger(archive_id: int, days: Days, *, wants_prompts: bool) -> Ledger:
    """The ledger of an account for a span of days.

    A missing bound is the first day that was asked for or has records, or today. Days after today are left out, and
    those long before any that is known.
    """
    today, traits = clock.today(), traits_of(archive_id)
    window = _window(archive_id, days, today)
    first, last = window.first or today, window.last or today
    span = [archive_id, first.isoformat(), last.isoformat()]
    rows = "WHERE user_id = %s AND day >= %s AND day <= %s"
    columns = "day, upstream, CAST(checked_at AS TEXT), empty, settled_at IS NOT NULL"
    known = sql.fetch(f"SELECT {columns} FROM usage_coverageday {rows}", span)  # noqa: S608 - constants
    here = sql.fetch(f"SELECT day, calls, without_prompt FROM usage_daytotal {rows}", span)  # noqa: S608 - a constant
    [(reached, kept_from, has_bills)] = sql.fetch(_REACH, [archive_id] * 3)
    return Ledger(
        window,
        {row[0]: Known(*row[1:]) for row in known},
        {row[0]: Here(*row[1:]) for row in here},
        left_windows.unconfirmed_days(archive_id, first, last),
        today.isoformat(),
        reached or "",
        str(traits.reached(today) or ""),
        (today - traits.text_given).isoformat(),
        wants_prompts and traits.gives_texts,
        _second_sums(archive_id, _bills_of(archive_id, traits, has_bills=has_bills), first, last, traits),
        kept_from,
        not traits.is_asked,
    )


def first_reachable(archive_id: int) -> date | None:
    """The first day that was asked for and that the source still gives; without any, the first day with records."""
    within = CoverageDay.objects.filter(archive_id=archive_id, day__gte=reach(archive_id)).order_by("day")
    day = within.values_list("day", flat=True).first()
    return (
        date.fromisoformat(day) if day else unasked.first_asked(archive_id) or read_sums.recorded_days(archive_id).first
    )


def coverage_json(archive_id: int, days: Days, *, wants_prompts: bool) -> JsonText:
    """Each day of the window with its state and counts, the number of days in each state, and the window."""
    found = ledger(archive_id, days, wants_prompts=wants_prompts)
    states = found.states()
    # Text, because ten years as objects take several times as long.
    items = ",".join(found.day_json(day, state) for day, state in states.items())
    counts, window = json_text(found.named(Counter(states.values()))), json_text(as_json(found.window.payload()))
    return JsonText(f'{{"days":[{items}],"counts":{counts},"window":{window}}}')


def _bills_of(archive_id: int, traits: Traits, *, has_bills: bool) -> list[int]:
    """The archives whose bills may prove days of an archive. Where there are packages not every account gets bills."""
    is_billed = traits.bills_itself and (has_bills or not traits.packages)
    return [archive_id] * is_billed + archives.bills_of(archive_id)


def _second_sums(archive_id: int, bill_ids: list[int], first: date, last: date, traits: Traits) -> SecondSums | None:
    """What bills prove of these days; None of an archive without any."""
    if not bill_ids:
        return None
    proofs = day_proofs.proofs_of(archive_id, bill_ids, first, last, traits.bill_zone)
    return SecondSums(proofs, {bill_id: unit_of(bill_id) for bill_id in bill_ids}, traits.packages)


def _of_proof(proof: Proof, unit: Unit) -> dict[str, object]:
    differences = [_of_difference(one, unit) for one in proof.differences]
    return {
        "bill": proof.bill_id,
        "day": str(proof.day),
        "state": proof.state.value,
        "differences": differences,
        "uncounted": [*proof.uncounted],
    }


def _of_difference(one: Difference, unit: Unit) -> dict[str, object]:
    here, there = (
        amount if amount is None else unit.text(amount) if one.what is What.AMOUNT else str(amount)
        for amount in (one.here, one.there)
    )
    return {"model": one.model, "what": one.what.value, "here": here, "there": there}


def _lacks_prompts(known: Known, here: Here) -> bool:
    """Whether prompts are missing that the source did not give as empty.

    Where no call of a day has a prompt, the source may have left them all out, until the day is settled.
    """
    if not here.without_prompt:
        return False
    if here.without_prompt == here.calls and (known.empty is None or not known.is_settled):
        return True
    return known.empty is not None and here.without_prompt > known.empty


def _window(archive_id: int, days: Days, today: date) -> DayWindow:
    last = min(days.last or today, today)
    first = max(days.first or _first_known(archive_id, last), clock.EARLIEST)
    if last - first > _SHOWN_BEFORE:
        # Nothing is known of the days before, however many are asked for.
        first = max(first, _first_known(archive_id, last) - _SHOWN_BEFORE)
    return DayWindow(first, last) if first <= last else DayWindow(None, None)


def _first_known(archive_id: int, last: date) -> date:
    """The first day that was asked for or has records, from 1970 on; the last one of a window if it is earlier."""
    beginnings = (unasked.first_asked(archive_id), read_sums.recorded_days(archive_id).first, last)
    return max(min(day for day in beginnings if day), clock.EARLIEST)
