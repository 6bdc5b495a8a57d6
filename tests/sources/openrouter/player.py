"""How OpenRouter is played for the kit (docs/sources/openrouter.md)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings

from accounts.models import User
from collection.sources.openrouter import reader
from collection.sources.openrouter.simulator import Generation, Router
from tests.sources.keyed_player import BUSY, FOREIGN, PlayedKeyed
from tests.sources.player import A_CAP, Played, Player
from tests.sources.whole_calls import Call, Calls
from usage.amounts.units import UNITS
from usage.measures import Measures, Provenance, Status, Tokens

USD = UNITS["USD"]
CAP = 30
QUIRKS: dict[str, dict[str, Any]] = {
    A_CAP: {"limit": CAP},
    "counts as numbers": {"counts_as_numbers": True},
    "the whole last second": {"rounds_up": True},
    "long spans that take too long": {"quick_hours": 7},
    "lists that are cut early": {"cut_above": 5},
    "keys that are gone": {"keys_are_gone": True},
    "calls later": {"hidden_seconds": 270},
    "details later": {"ready_seconds": 3000},
    "amounts later": {"priced_seconds": 180},
    "new calls while it is read": {"growing": 1},
}
SHORT: dict[str, dict[str, Any]] = {
    "a count far above the rows": {"total_above": 1000},
}
OTHER_SUMS: dict[str, dict[str, Any]] = {
    "a call more in the activity": {"sums_above": {"requests": 1}},
    "more money in the activity": {"sums_above": {"usage": 0.01}},
}


class PlayedOpenRouter(PlayedKeyed):
    def __init__(self, router: Router, owner: User, patched: pytest.MonkeyPatch) -> None:
        super().__init__(router, "openrouter", {"key": router.key}, owner, patched)
        self._router = router

    def play(self, name: str) -> None:
        switches = {**QUIRKS, **SHORT, **OTHER_SUMS}
        if name in switches:
            vars(self._router.quirks).update(switches[name])
        else:
            self.play_fault(name)

    def truth(self) -> Calls:
        router = self._router
        until = router.now()
        has_labels = not router.quirks.keys_are_gone
        return {call.request_id: _given(call, has_label=has_labels) for call in router.calls if call.begun <= until}

    def add(self, moment: datetime, request_id: str, amount: Decimal) -> None:
        self._router.calls.append(Generation(request_id, moment.astimezone(UTC), str(amount)))

    def remove(self, request_id: str) -> None:
        self._router.calls = [call for call in self._router.calls if call.request_id != request_id]


def _given(call: Generation, *, has_label: bool) -> Call:
    ts = call.begun.astimezone(settings.SERVER_ZONE).replace(tzinfo=None).isoformat(" ", "seconds")
    tokens = Tokens(980, 52)
    if call.prompt_tokens is not None and call.completion_tokens is not None:
        tokens = Tokens(call.prompt_tokens - call.cached, call.completion_tokens, call.cached)
    status = Status.CANCELLED if call.is_cancelled else Status.ERROR if call.has_failed else Status.OK
    measures = Measures(Provenance.BILLED, tokens, call.begun, status)
    client = call.key if has_label else "https://app.example"
    return Call(USD.parts(Decimal(call.cost)), ts, call.model, client, call.api_type, False, "", measures)


@contextmanager
def openrouter(owner: User, now: Callable[[], datetime]) -> Iterator[Played]:
    with Router(now) as router, pytest.MonkeyPatch.context() as patched:
        patched.setattr(reader, "PAUSE", 0.0)
        yield PlayedOpenRouter(router, owner, patched)


PLAYER = Player(
    openrouter,
    quirks=tuple(QUIRKS),
    strange={"half_a_character": {"model": "half \ufffd"}},
    dead=("wrong_key", "normal_key"),
    foreign=(*FOREIGN, "rows_are_text", "no_count", "no_credits", "too_slow"),
    short=tuple(SHORT),
    odd=("row_without_id", "row_without_time", "row_bad_time", "cost_not_number", "cost_too_large"),
    busy=tuple(BUSY),
    other_sums=tuple(OTHER_SUMS),
    cap=CAP,
    asks_of_test=3,
)
