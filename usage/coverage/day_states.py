"""Reads the ledger of days: what is known of each day, and its state (docs/api.md#coverage)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from archive_site.lib import clock
from archive_site.lib.http.parameters import Days
from usage.models import CoverageDay, DayTotal, Reach
from usage.queries import DayWindow
from usage.rollups import read_sums

# Instants near the beginning of the calendar cannot be converted to other zones, so no run asks for earlier days.
EARLIEST = date(1970, 1, 1)


class State(StrEnum):
    """The states of a day, in the order in which they are tried."""

    OPEN = "open"
    UNASKED = "unasked"
    UNREACHABLE = "unreachable"
    SHORT = "short"
    SURPLUS = "surplus"
    STRIPPED = "stripped"
    SETTLED = "settled"
    CHECKED = "checked"


class Known(NamedTuple):
    """What the ledger has of a day that was asked for."""

    upstream: int | None
    checked_at: datetime | None
    empty: int | None
    settled_at: datetime | None


class Here(NamedTuple):
    """What the archive has of a day."""

    calls: int = 0
    without_prompt: int = 0


_NOTHING = Here()


@dataclass(frozen=True)
class Ledger:
    """What is needed for the states of the days of a window; days are ISO texts.

    `first_given` is the first day within the upstream's reach, as far as it is known. `wants_prompts` is false where
    the instance stores no prompts.
    """

    window: DayWindow
    known: dict[str, Known]
    here: dict[str, Here]
    today: str
    first_given: str
    wants_prompts: bool

    def state(self, day: str) -> State:
        known, here = self.known.get(day), self.here.get(day, _NOTHING)
        if day >= self.today:
            return State.OPEN
        if known is None:
            return State.UNASKED
        if day < self.first_given:
            return State.UNREACHABLE
        if known.upstream is not None and known.upstream != here.calls:
            return State.SHORT if known.upstream > here.calls else State.SURPLUS
        if self.wants_prompts and _lacks_prompts(known, here):
            return State.STRIPPED
        return State.SETTLED if known.settled_at else State.CHECKED

    def days(self) -> Iterator[str]:
        """Each day of the window, oldest first."""
        if self.window.first and self.window.last:
            for number in range(self.window.first.toordinal(), self.window.last.toordinal() + 1):
                yield date.fromordinal(number).isoformat()

    def counts(self) -> dict[str, int]:
        """How many days of the window have each state."""
        counts = dict.fromkeys(State, 0)
        for day in self.days():
            counts[self.state(day)] += 1
        return {state.value: number for state, number in counts.items()}


def ledger(user_id: int, days: Days, *, wants_prompts: bool) -> Ledger:
    """The ledger of an account for a span of days.

    A missing bound is the first day that was asked for or has records, or today. Days after today are left out.
    """
    today = clock.today()
    window = _window(user_id, days, today)
    span = [(window.first or today).isoformat(), (window.last or today).isoformat()]
    asked = CoverageDay.objects.filter(user_id=user_id, day__range=span)
    recorded = DayTotal.objects.filter(user_id=user_id, day__range=span)
    reach = Reach.objects.filter(user_id=user_id).values_list("first_day", flat=True).first()
    return Ledger(
        window,
        {day: Known(*rest) for day, *rest in asked.values_list("day", *Known._fields)},
        {day: Here(*rest) for day, *rest in recorded.values_list("day", *Here._fields)},
        today.isoformat(),
        reach or "",
        wants_prompts,
    )


def coverage(user_id: int, days: Days, *, wants_prompts: bool) -> dict[str, Any]:
    """Each day of the window with its state and counts, the number of days in each state, and the window."""
    found = ledger(user_id, days, wants_prompts=wants_prompts)
    items = []
    for day in found.days():
        known, here = found.known.get(day), found.here.get(day, _NOTHING)
        items.append(
            {
                "d": day,
                "state": found.state(day),
                "upstream": known.upstream if known else None,
                "here": here.calls,
                "without_prompt": here.without_prompt,
                "checked_at": clock.local_text(known.checked_at) if known else None,
            }
        )
    return {"days": items, "counts": found.counts(), "window": found.window.payload()}


def _lacks_prompts(known: Known, here: Here) -> bool:
    """Whether prompts are missing that the upstream did not give as empty.

    Where no call of a day has a prompt, the upstream may have left them all out, until the day is settled.
    """
    if not here.without_prompt:
        return False
    if here.without_prompt == here.calls and (known.empty is None or not known.settled_at):
        return True
    return known.empty is not None and here.without_prompt > known.empty


def _window(user_id: int, days: Days, today: date) -> DayWindow:
    first, last = days.first, days.last
    if first is None:
        asked = CoverageDay.objects.filter(user_id=user_id).order_by("day").values_list("day", flat=True).first()
        recorded = read_sums.recorded_days(user_id).first
        known = [day for day in (asked and date.fromisoformat(asked), recorded, last and min(last, today)) if day]
        first = min(known, default=today)
    last = min(last or today, today)
    first = max(first, EARLIEST)
    return DayWindow(first, last) if first <= last else DayWindow(None, None)
