"""How a LiteLLM proxy is played for the kit (docs/sources/litellm.md)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any

import pytest
from django.conf import settings

from accounts.models import User
from collection.sources.litellm import reader
from collection.sources.litellm.simulator import Proxy, SpendCall
from tests.sources.keyed_player import BUSY, FOREIGN, PlayedKeyed
from tests.sources.player import A_CAP, Played, Player
from tests.sources.whole_calls import Call, Calls
from usage.amounts.units import UNITS
from usage.measures import Measures, Provenance, Status, Tokens

USD = UNITS["USD"]
CAP = 30
SHORT: dict[str, dict[str, Any]] = {
    "a count far above the rows": {"total_above": 1000},
}
QUIRKS: dict[str, dict[str, Any]] = {
    A_CAP: {"cap": CAP},
    "long spans that take too long": {"slow_hours": 7},
    "pages of ten at most": {"most_rows": 10},
    "the older route alone": {"has_v2": False},
    "metadata as text": {"metadata_as_text": True},
    "metadata with what models cost": {"more_metadata": True},
    "times without a zone": {"zone": ""},
    "times with an offset": {"zone": "+00:00"},
    "rows later": {"hidden_seconds": 270},
    "amounts later": {"priced_seconds": 180},
    "new calls while it is read": {"growing": 1},
    "no daily sums": {"sums": "none"},
    "daily sums of one user": {"sums": "of the user"},
    "daily sums on several pages": {"days_of_page": 2},
}
NOT_AT_ALL: dict[str, dict[str, Any]] = {"every span takes too long": {"slow_hours": 0}}
OTHER_SUMS: dict[str, dict[str, Any]] = {
    "a call more in the daily sums": {"sums_above": {"successful_requests": 1}},
    "a token more in the daily sums": {"sums_above": {"completion_tokens": 1}},
    "a cached token more in the daily sums": {"sums_above": {"cache_read_input_tokens": 1}},
    "a little more money in the daily sums": {"sums_above": {"spend": 0.00001}},
}


class PlayedLiteLLM(PlayedKeyed):
    def __init__(self, proxy: Proxy, owner: User, patched: pytest.MonkeyPatch) -> None:
        super().__init__(proxy, "litellm", {"key": proxy.key}, owner, patched)
        self._proxy = proxy

    def play(self, name: str) -> None:
        switches = {**QUIRKS, **SHORT, **OTHER_SUMS, **NOT_AT_ALL}
        if name in switches:
            vars(self._proxy.quirks).update(switches[name])
        else:
            self.play_fault(name)

    def truth(self) -> Calls:
        until = self._proxy.now()
        return {call.request_id: _given(call, self._proxy.key) for call in self._proxy.calls if call.begun <= until}

    def add(self, moment: datetime, request_id: str, amount: Decimal) -> None:
        self._proxy.calls.append(SpendCall(request_id, moment.astimezone(UTC), float(amount)))

    def remove(self, request_id: str) -> None:
        self._proxy.calls = [call for call in self._proxy.calls if call.request_id != request_id]


def _given(call: SpendCall, key: str) -> Call:
    ts = call.begun.astimezone(settings.SERVER_ZONE).replace(tzinfo=None).isoformat(" ", "seconds")
    model = call.model.partition("/")[2] if call.is_failure else call.model
    tokens = Tokens(call.prompt_tokens - call.cached, call.completion_tokens, call.cached)
    is_unknown = call.spend is None
    measures = Measures(
        Provenance.UNKNOWN if is_unknown else Provenance.ESTIMATED,
        None if call.is_failure else tokens,
        call.begun,
        Status.ERROR if call.is_failure else Status.OK,
    )
    amount = 0 if call.spend is None else USD.parts(Decimal(repr(call.spend)))
    client = call.alias or sha256(key.encode()).hexdigest()[:8]
    return Call(amount, ts, model, client, call.call_type, False, "", measures)


@contextmanager
def litellm(owner: User, now: Callable[[], datetime]) -> Iterator[Played]:
    with Proxy(now) as proxy, pytest.MonkeyPatch.context() as patched:
        patched.setattr(reader, "PAUSE", 0.0)
        patched.setattr(reader, "MOST_ROWS_BEFORE", 10)
        yield PlayedLiteLLM(proxy, owner, patched)


PLAYER = Player(
    litellm,
    quirks=tuple(QUIRKS),
    strange={
        "half_a_character": {"model": "half \ufffd"},
        "nul_in_client": {"client": "a\ufffdb"},
    },
    dead=("wrong_key", "no_right"),
    foreign=(*FOREIGN, "no_database", "no_route", "total_missing", "rows_are_text"),
    short=("a count far above the rows",),
    odd=(
        "row_without_id", "row_without_time", "row_bad_time", "row_not_object", "spend_not_number", "spend_too_large",
    ),
    busy=tuple(BUSY),
    other_sums=tuple(OTHER_SUMS),
    cap=CAP,
    asks_of_test=2,
)  # fmt: skip
