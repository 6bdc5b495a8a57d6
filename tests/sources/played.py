"""What the kit needs of a kind of source: a simulator with its truth and its quirks, and an archive that reads from it.

A new kind gets a class here (docs/sources.md#adding-a-kind).
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from accounts.models import User
from collection.sources.codebuddy import reader
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import Contents, call_at, set_up, truth
from tests.collection.simulator_client import simulator_at


class Played(Protocol):
    """A running source of one kind. `secrets` may stand in no message."""

    secrets: tuple[str, ...]

    def play(self, name: str) -> None:
        """Play one of the quirks or failures that the `Player` names, until `calm`."""
        ...

    def truth(self) -> Contents:
        """Every call until now: id to amount, in parts of the unit, and wall clock in the server's zone."""
        ...

    def add(self, moment: datetime, request_id: str, amount: Decimal) -> None: ...

    def remove(self, request_id: str) -> None: ...

    def calm(self) -> None:
        """End every quirk and failure."""
        ...

    def asked(self) -> int:
        """How many requests it got."""
        ...


_SWITCHES: dict[str, tuple[str, Any]] = {
    "new calls while it is read": ("growing", 1),
    "a cap": ("window_cap", 1000),
    "amounts as text": ("string_credits", True),
    "a count as text": ("string_total", True),
    "times as numbers": ("numeric_times", "milliseconds"),
    "nothing for an empty list": ("null_when_empty", "rows"),
    "texts later": ("late_prompt_minutes", 30),
    "amounts later": ("settle_minutes", 120),
    "rows later": ("hide_minutes", 90),
}
_BUSY = ("server_error", "bad_gateway", "unavailable", "gateway_timeout")
_OVERLOADS = {"429 without a time": "", "429 with a time": "1"}


class PlayedCodeBuddy:
    """CodeBuddy's usage API (docs/upstream.md)."""

    def __init__(self, simulator: Simulator, owner: User) -> None:
        self._simulator = simulator
        self._before = vars(simulator.faults).copy()
        # A small page, so that a window has several.
        set_up(owner, simulator, page_size="20")
        self.secrets = tuple(part.partition("=")[2] for part in simulator.cookie().split("; "))

    def play(self, name: str) -> None:
        faults = self._simulator.faults
        if name in _SWITCHES:
            setattr(faults, *_SWITCHES[name])
        elif name in _OVERLOADS:
            faults.retry_after = _OVERLOADS[name]
            faults.fail("overload_429", times=1)
        else:
            faults.fail(name, times=1 if name in _BUSY else None)

    def truth(self) -> Contents:
        return truth(self._simulator)

    def add(self, moment: datetime, request_id: str, amount: Decimal) -> None:
        self._simulator.add(0, call_at(moment, request_id, credits=amount))

    def remove(self, request_id: str) -> None:
        self._simulator.remove(0, request_id)

    def calm(self) -> None:
        self._simulator.faults.clear()
        vars(self._simulator.faults).update(self._before)

    def asked(self) -> int:
        return self._simulator.request_count


class Player(NamedTuple):
    """How a kind is played, and by which names: what its contract says it may do, which leaves the result as it is; the
    forms in which it refuses a credential; answers that are none of its contract; and those after which it is asked
    again."""

    open: Callable[[User, Callable[[], datetime]], AbstractContextManager[Played]]
    quirks: tuple[str, ...]
    dead: tuple[str, ...]
    foreign: tuple[str, ...]
    busy: tuple[str, ...]


@contextmanager
def codebuddy(owner: User, now: Callable[[], datetime]) -> Iterator[Played]:
    with simulator_at(days=9, per_day=15, now=now()) as running:
        running.now = now
        yield PlayedCodeBuddy(running, owner)


PLAYERS = {
    "codebuddy": Player(
        codebuddy,
        quirks=(*_SWITCHES,),
        dead=("expired_401_html", "expired_redirect", "expired_html_200", "expired_12153"),
        foreign=(
            "other_form", "broken_json", "wrong_types", "wrong_types_rows", "wrong_types_total", "wrong_types_body",
            "empty_data", "null_data", "not_found", "redirect_loop",
        ),
        busy=(*_BUSY, *_OVERLOADS),
    ),
}  # fmt: skip
# The waits between two tries, which the kit does not sit out.
WAITS = [(reader, "WAITS", (0.0,) * len(reader.WAITS)), (reader, "MAX_RETRY_AFTER", 0.0)]
