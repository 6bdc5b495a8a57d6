"""How CodeBuddy's usage API is played for the kit (docs/upstream.md)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from accounts.models import User
from collection.sources.codebuddy import credential
from collection.sources.codebuddy.simulator.answers import TRUNCATED_CHARS
from collection.sources.codebuddy.simulator.simulator import SimulatedCall, Simulator
from collection.sources.codebuddy.upstream_settings import UpstreamSettings
from collection.sources.over_http import wire
from tests.collection.collector_run import call_at, server_text, set_up
from tests.collection.simulator_client import simulator_at
from tests.sources.player import A_CAP, MIB, TEXTS_LEFT_OUT, Played, Player
from tests.sources.whole_calls import Call, Calls
from usage.amounts.units import CREDITS

# Faults of the simulator that no list of its player has.
UNLISTED = {"overload_429": "`_OVERLOADS` has it with each form of its header"}
SWITCHES: dict[str, tuple[str, Any]] = {
    "new calls while it is read": ("growing", 1),
    A_CAP: ("window_cap", 1000),
    "amounts as text": ("string_credits", True),
    "a count as text": ("string_total", True),
    "a count above the rows": ("total_above", 1),
    "another code of success": ("code", 200),
    "times as numbers": ("numeric_times", "milliseconds"),
    "times in seconds": ("numeric_times", "seconds"),
    "nothing for an empty list": ("null_when_empty", "rows"),
    "nothing for an empty answer": ("null_when_empty", "data"),
    "texts later": ("late_prompt_minutes", 30),
    "texts after some requests": ("prompts_after_requests", 5),
    "beginnings of texts": ("truncated_only", True),
    TEXTS_LEFT_OUT: ("bare_share", 0.1),
    "amounts later": ("settle_minutes", 120),
    "amounts at the second look": ("settle_on_second", True),
    "rows later": ("hide_minutes", 90),
}


def _hurried(**given: Any) -> UpstreamSettings:
    return UpstreamSettings(**{**given, "timeout": 0.3})


# Each answer of these ends at a limit, far below what an instance may set or reads, so that no test waits for it.
_LIMITS: dict[str, tuple[object, str, Any]] = {
    **dict.fromkeys(("hang", "drip"), (credential, "UpstreamSettings", _hurried)),
    **dict.fromkeys(("huge_body", "gzip_bomb"), (wire, "MAX_BODY", MIB)),
}
_BUSY = ("reset", "hang", "drip", "server_error", "bad_gateway", "unavailable", "gateway_timeout")
_OVERLOADS = {
    "429 without a time": "",
    "429 with a time": "1",
    "429 with a date": "Wed, 16 Sep 2026 10:00:01 GMT",
}


class PlayedCodeBuddy:
    """CodeBuddy's usage API (docs/upstream.md)."""

    def __init__(self, simulator: Simulator, owner: User, patched: pytest.MonkeyPatch) -> None:
        self._simulator, self._patched = simulator, patched
        simulator.faults.huge_bytes = 2 * MIB
        self.archive_id = owner.pk
        self._before = vars(simulator.faults).copy()
        # A small page, so that a window has several.
        set_up(owner, simulator, page_size="20")
        self.secrets = tuple(part.partition("=")[2] for part in simulator.cookie().split("; "))

    def play(self, name: str) -> None:
        faults = self._simulator.faults
        if name in SWITCHES:
            setattr(faults, *SWITCHES[name])
        elif name in _OVERLOADS:
            faults.retry_after = _OVERLOADS[name]
            faults.fail("overload_429", times=1)
        else:
            if name in _LIMITS:
                self._patched.setattr(*_LIMITS[name])
            faults.fail(name, times=1 if name in _BUSY else None)

    def truth(self) -> Calls:
        return {call.request_id: self._given(call) for call in self._simulator.rows()}

    def _given(self, call: SimulatedCall) -> Call:
        ts, is_cut = server_text(call, self._simulator.zone), self._simulator.faults.truncated_only
        prompt = call.prompt[:TRUNCATED_CHARS] if is_cut else call.prompt
        is_beginning = is_cut and bool(prompt)
        return Call(call.amount, ts, call.model, call.client, call.agent_purpose, is_beginning, prompt)

    def add(self, moment: datetime, request_id: str, amount: Decimal) -> None:
        self._simulator.add(0, call_at(moment, request_id, credits=amount))

    def remove(self, request_id: str) -> None:
        self._simulator.remove(0, request_id)

    def calm(self) -> None:
        self._simulator.faults.clear()
        vars(self._simulator.faults).update(self._before)
        self._patched.undo()

    def ids_of(self, name: str) -> list[str]:
        return [name]

    def asked(self) -> int:
        return self._simulator.request_count


@contextmanager
def codebuddy(owner: User, now: Callable[[], datetime]) -> Iterator[Played]:
    with simulator_at(days=9, per_day=15, now=now()) as running, pytest.MonkeyPatch.context() as patched:
        running.now = now
        yield PlayedCodeBuddy(running, owner, patched)


PLAYER = Player(
    codebuddy,
    quirks=tuple(SWITCHES),
    strange={
        "lone_surrogate": {"prompt": "half a pair: \ufffd"},
        "nul_in_prompt": {"prompt": "before\ufffdafter"},
        "negative_credit": {"credits": CREDITS.parts(Decimal("-1.5"))},
    },
    dead=("expired_401_html", "expired_redirect", "expired_html_200", "expired_12153"),
    foreign=(
        "other_form", "broken_json", "wrong_types", "wrong_types_rows", "wrong_types_total", "wrong_types_body",
        "empty_data", "null_data", "not_found", "redirect_loop", "api_code", "bad_params", "agent_refused",
        "cookie_too_large", "huge_body", "gzip_bomb",
    ),
    short=("total_too_large", "endless_total"),
    odd=(
        "rows_without_id", "row_without_time", "row_bad_time", "row_not_object", "nan_credit", "infinite_credit",
        "infinite_text_credit", "huge_credit",
    ),
    busy=(*_BUSY, *_OVERLOADS),
    cap=1000,
)  # fmt: skip
