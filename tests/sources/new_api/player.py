"""How gateways of the new-api family are played for the kit (docs/sources/new-api.md)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings

from accounts.models import User
from collection.sources.new_api import reader
from collection.sources.new_api.rows import read_row
from collection.sources.new_api.simulator import ERROR, REFUND, TOP_UP, USE, Gateway, LogRow
from collection.sources.over_http.answer_json import payload_of
from collection.sources.over_http.simulated_api import json_reply
from tests.sources.keyed_player import BUSY, FOREIGN, PlayedKeyed
from tests.sources.player import A_CAP, Played, Player
from tests.sources.whole_calls import Call, Calls
from usage.measures import Measures, Provenance, Status, Tokens

CAP = 30
STATUSES = {USE: Status.OK, ERROR: Status.ERROR, REFUND: Status.REFUND}
QUIRKS: dict[str, dict[str, Any]] = {
    A_CAP: {"cap": CAP},
    "the first generation, without ids": {"generation": "G1", "has_ids": False},
    "the newest generation": {"generation": "G3"},
    "the newest generation, without ids": {"generation": "G3", "has_ids": False},
    "the one-api dialect": {"generation": "D"},
    "the one-api dialect, without ids": {"generation": "D", "has_ids": False},
    "more as an object": {"other": "object"},
    "no sums": {"has_stat": False},
    "new calls while it is read": {"growing": 1},
}
SHORT: dict[str, dict[str, Any]] = {
    "a count far above the rows": {"total_above": 1000},
    "a sum above the rows": {"stat_above": 1},
    "the one-api dialect without sums": {"generation": "D", "has_stat": False},
}
OTHER_SUMS: dict[str, dict[str, Any]] = {
    "a quota more in the sums of days": {"stat_of_days_above": 1},
}


class PlayedNewApi(PlayedKeyed):
    def __init__(self, gateway: Gateway, owner: User, patched: pytest.MonkeyPatch) -> None:
        super().__init__(gateway, "new-api", {"user_id": gateway.user_id, "token": gateway.token}, owner, patched)
        self._gateway = gateway

    def play(self, name: str) -> None:
        switches = {**QUIRKS, **SHORT, **OTHER_SUMS}
        if name == A_CAP:
            self._patched.setattr(reader, "MOST_COUNTED", CAP)
        if name in switches:
            vars(self._gateway.quirks).update(switches[name])
        else:
            self.play_fault(name)

    def truth(self) -> Calls:
        until = self._gateway.now()
        rows = sorted((row for row in self._gateway.rows if row.ended <= until), key=lambda row: row.ended)
        calls = [row for row in rows if row.kind != TOP_UP]
        if self._gateway.quirks.has_ids:
            return {row.request_id: _given(row) for row in calls}
        # As the answer has them, in the order of their seconds.
        shown = payload_of(json_reply({"rows": [self._gateway._row(row, 0) for row in calls]}).body) or {}
        keyed = reader.FORM.with_keys(shown["rows"])  # type: ignore[arg-type]
        keys = [read_row(row, settings.SERVER_ZONE).request_id for row in keyed]
        return {key: _given(row) for key, row in zip(keys, calls, strict=True)}

    def add(self, moment: datetime, request_id: str, amount: Decimal) -> None:
        self._gateway.rows.append(LogRow(request_id, moment.astimezone(UTC).replace(microsecond=0), int(amount)))

    def use_without_log(self, moment: datetime, quota: int) -> None:
        self._gateway.unlogged.append(LogRow("", moment.astimezone(UTC).replace(microsecond=0), quota))

    def show_the_counter(self, *, is_shown: bool = True) -> None:
        self._gateway.quirks.has_counter = is_shown

    def list_what_was_unlogged(self) -> None:
        self._gateway.rows += self._gateway.unlogged
        self._gateway.unlogged = []

    def remove(self, request_id: str) -> None:
        self._gateway.rows = [row for row in self._gateway.rows if row.request_id != request_id]


def _given(row: LogRow) -> Call:
    ts = row.ended.astimezone(settings.SERVER_ZONE).replace(tzinfo=None).isoformat(" ", "seconds")
    provenance = Provenance.INCLUDED if row.is_of_plan else Provenance.BILLED
    tokens = Tokens(row.prompt_tokens, row.completion_tokens, row.cached)
    measures = Measures(provenance, tokens, row.ended, STATUSES[row.kind])
    return Call(row.quota, ts, row.model, row.token, "/v1/chat/completions", False, "", measures)


@contextmanager
def new_api(owner: User, now: Callable[[], datetime]) -> Iterator[Played]:
    with Gateway(now) as gateway, pytest.MonkeyPatch.context() as patched:
        patched.setattr(reader, "PAUSE", 0.0)
        yield PlayedNewApi(gateway, owner, patched)


PLAYER = Player(
    new_api,
    quirks=tuple(QUIRKS),
    strange={"half_a_character": {"model": "half \ufffd"}},
    dead=(
        "wrong_token", "wrong_token_in_english", "no_credential", "banned", "token_expired", "user_disabled",
        "session_revoked",
    ),
    foreign=(*FOREIGN, "database_error", "one_hub", "rows_are_text", "total_missing", "echo"),
    short=tuple(SHORT),
    odd=("row_without_time", "row_bad_time", "row_not_object", "quota_not_number"),
    busy=tuple(BUSY),
    other_sums=tuple(OTHER_SUMS),
    cap=CAP,
    asks_of_test=2,
)  # fmt: skip
