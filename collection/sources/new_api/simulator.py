"""A stand-in for gateways of the new-api family, with their generations and quirks (docs/sources/new-api.md)."""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from collection.sources.over_http.simulated_api import Asked, Json, SimulatedApi, Switches, json_reply
from collection.sources.over_http.simulator_server import Reply

MODELS, TOKENS = ("example-1", "example-2", "example-3"), ("laptop", "server")
USE, ERROR, REFUND, TOP_UP = 2, 5, 6, 1
Generation = Literal["G1", "G2", "G3", "D"]


@dataclass(frozen=True)
class LogRow:
    """A row of the log; `ended` in whole seconds. One without an id is of a server that gives none."""

    request_id: str
    ended: datetime
    quota: int
    kind: int = USE
    model: str = MODELS[0]
    token: str = TOKENS[0]
    prompt_tokens: int = 1000
    completion_tokens: int = 50
    cached: int = 900
    is_of_plan: bool = False


@dataclass
class Quirks(Switches):
    """What servers differ in (docs/sources/new-api.md#quirks).

    `cap`: the largest count. `other`: the form of that field. `stat_above`: by how much the sum is too large,
    `stat_of_days_above`: the sums of whole days in UTC alone. `per_unit`: the quota of one unit of money, as it says.
    """

    generation: Generation = "G2"
    has_ids: bool = True
    other: Literal["text", "object"] = "text"
    cap: int = 10_000
    stat_above: int = 0
    stat_of_days_above: int = 0
    has_stat: bool = True
    has_counter: bool = True
    per_unit: object = 500_000


class Gateway(SimulatedApi):
    """A gateway with one account, whose log has `rows`."""

    quirks: Quirks
    quirks_of = Quirks

    def prepare(self) -> None:
        self.token = self.key[:32]
        self.user_id = "7"
        self.content = ""
        # Calls while the log was off.
        self.unlogged: list[LogRow] = []
        self.rows = [_invented(dice, moment) for moment, dice in self.moments]
        # Equal rows of one second, which only their place tells apart.
        self.rows += [replace(row, request_id=f"{row.request_id}-2") for row in self.rows[::7]]
        self.rows += [LogRow(f"top-up-{place}", row.ended, 500_000, TOP_UP) for place, row in enumerate(self.rows[:3])]

    @property
    def own_answers(self) -> Mapping[str, Reply]:
        return {
            "wrong_token": _failed("access token 无效"),
            "wrong_token_in_english": _failed("Unauthorized, invalid access token"),
            "no_credential": _failed("未登录且未提供 access token", 401),
            "banned": _failed("用户已被封禁"),
            "token_expired": json_reply({"success": False, "code": "AUTH_TOKEN_EXPIRED", "message": "expired"}, 401),
            "user_disabled": json_reply({"success": False, "code": "AUTH_USER_DISABLED", "message": "disabled"}, 403),
            "session_revoked": json_reply({"success": False, "code": "AUTH_SESSION_REVOKED", "message": "x"}, 500),
            "database_error": _failed("Error 1205: Lock wait timeout exceeded"),
            "one_hub": json_reply({"success": True, "data": {"data": [], "page": 1, "size": 10, "total_count": 3}}),
            "rows_are_text": json_reply({"success": True, "data": {"items": "none", "total": 0}}),
            "total_missing": json_reply({"success": True, "data": {"items": []}}),
            "echo": _failed(f"database is locked for {self.token}"),
        }

    @property
    def spoilt_rows(self) -> Mapping[str, Callable[[Json], object]]:
        return {
            "row_without_time": lambda row: {**row, "created_at": None},
            "row_bad_time": lambda row: {**row, "created_at": "yesterday"},
            "row_not_object": lambda row: row["model_name"],
            "quota_not_number": lambda row: {**row, "quota": "much"},
            "half_a_character": lambda row: {**row, "model_name": "half \ud83d"},
        }

    def answer(self, asked: Asked, fault: str) -> Reply:
        quirks = self.quirks
        if asked.path == "/api/status":
            return json_reply({"success": True, "message": "", "data": {"quota_per_unit": quirks.per_unit}})
        if asked.headers.get("authorization") != self.token:
            return self.own_answers["wrong_token"]
        if quirks.generation in ("G1", "G2") and asked.headers.get("new-api-user") != self.user_id:
            return _failed("无权进行此操作，未提供 New-Api-User", 401)
        if asked.path == "/api/user/self":
            # The counter stands above what the log has left, and knows of calls that it never had.
            used = 500_000 + sum(row.quota for row in (*self.rows, *self.unlogged) if _is_used(row, self.now()))
            data = {"id": 7, "username": "me", "quota": 1000} | ({"used_quota": used} if quirks.has_counter else {})
            return json_reply({"success": True, "message": "", "data": data})
        if asked.method != "GET" or asked.path not in ("/api/log/self", "/api/log/self/stat"):
            return Reply(404, b"404 page not found", "text/plain")
        start, end = (int(asked.query.get(f"{name}_timestamp", 0)) for name in ("start", "end"))
        kind = int(asked.query.get("type", 0))
        now = int(self.now().timestamp())
        found = [row for row in self.rows if start <= int(row.ended.timestamp()) <= min(end, now)]
        found = [row for row in found if kind in (0, row.kind)]
        if asked.path.endswith("/stat"):
            is_day = (start % 86_400, end % 86_400) == (0, 86_399) and end - start < 86_400
            return self._stat(found, self.quirks.stat_of_days_above if is_day else 0)
        # Newest first, by the order in which they were written.
        found = [row for _, row in sorted(enumerate(found), key=lambda one: (one[1].ended, one[0]), reverse=True)]
        return self._page(found, asked, fault)

    def _page(self, found: list[LogRow], asked: Asked, fault: str) -> Reply:
        quirks, number = self.quirks, int(asked.query.get("p", 0))
        is_dialect = quirks.generation == "D"
        size = 10 if is_dialect else min(100, int(asked.query.get("page_size", 0)))
        begin = max(0, number - (not is_dialect)) * size
        rows = self.spoilt([self._row(row, place) for place, row in enumerate(found[begin : begin + size])], fault)
        total = min(len(found), quirks.cap) + quirks.total_above
        data: Any = rows if is_dialect else {"page": number, "page_size": size, "total": total, "items": rows}
        for _ in range(quirks.growing):
            self.rows.append(LogRow(f"grown-{len(self.rows)}", self.now().replace(microsecond=0), 5))
        around = b'{"success": true, "data": {"total": 1, "items": [{"model_name": "', b'"}]}}'
        return replace(json_reply({"success": True, "message": "", "data": data}), around=around)

    def _stat(self, found: list[LogRow], above: int) -> Reply:
        if not self.quirks.has_stat:
            return Reply(404, b"404 page not found", "text/plain")
        quota = sum(row.quota for row in found if row.kind == USE) + self.quirks.stat_above + above
        return json_reply({"success": True, "message": "", "data": {"quota": quota, "rpm": 0, "tpm": 0}})

    def _row(self, row: LogRow, place: int) -> Json:
        other: Json = {"model_ratio": 1, "cache_tokens": row.cached, "request_path": "/v1/chat/completions"}
        if row.is_of_plan:
            other["billing_source"] = "subscription"
        shown: Json = {
            "id": place,
            "created_at": int(row.ended.timestamp()),
            "type": row.kind,
            "content": self.content,
            "username": "me",
            "token_name": row.token,
            "model_name": row.model,
            "quota": row.quota,
            "prompt_tokens": row.prompt_tokens,
            "completion_tokens": row.completion_tokens,
            "use_time": 4,
            "is_stream": True,
            "group": "default",
            "other": json.dumps(other) if self.quirks.other == "text" else other,
        }
        return {**shown, "request_id": row.request_id} if self.quirks.has_ids else shown


def _is_used(row: LogRow, now: datetime) -> bool:
    return row.kind == USE and row.ended <= now


def _invented(dice: random.Random, moment: datetime) -> LogRow:
    ended = moment.astimezone(UTC).replace(microsecond=0)
    row = LogRow(
        request_id=f"ex{dice.getrandbits(60):015x}",
        ended=ended,
        quota=dice.randrange(1, 90_000),
        model=dice.choice(MODELS),
        token=dice.choice(TOKENS),
        prompt_tokens=dice.randrange(1000, 9000),
        completion_tokens=dice.randrange(10, 900),
        cached=dice.randrange(0, 1000),
        is_of_plan=dice.random() < 0.2,
    )
    if dice.random() < 0.1:
        return replace(row, kind=ERROR, quota=0, completion_tokens=0)
    return replace(row, kind=REFUND, quota=-row.quota) if dice.random() < 0.1 else row


def _failed(words: str, status: int = 200) -> Reply:
    return json_reply({"success": False, "message": words}, status)
