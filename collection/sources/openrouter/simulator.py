"""A stand-in for OpenRouter: it lists generations, gives each, and sums of days (docs/sources/openrouter.md)."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from collection.sources.over_http.simulated_api import Asked, Json, SimulatedApi, Switches, json_reply
from collection.sources.over_http.simulator_server import Reply

_CLOCK = "%Y-%m-%dT%H:%M:%SZ"
MODELS = ("example/model-1", "example/model-2:free", "other/model-3")
KEYS, API_TYPES = ("laptop", "server"), ("completions", "responses")
REACH = timedelta(days=31)
_COST = re.compile(rb'"@([^@"]+)@"')
# For faults of rows: one of this many generations has wrong details.
SPOILT = 9


@dataclass(frozen=True)
class Generation:
    """One call; `cost` in USD as OpenRouter writes it. Counts of the provider are None where it gave none.

    With an own key of a provider (`is_byok`) the cost is OpenRouter's fee; the provider bills the rest.
    """

    request_id: str
    begun: datetime
    cost: str
    model: str = MODELS[0]
    key: str = KEYS[0]
    api_type: str = API_TYPES[0]
    prompt_tokens: int | None = 1000
    completion_tokens: int | None = 50
    cached: int = 900
    is_cancelled: bool = False
    has_failed: bool = False
    is_byok: bool = False


@dataclass
class Quirks(Switches):
    """What answers may be like (docs/sources/openrouter.md#quirks).

    `limit`: the most that a list has. `ready_seconds`: of younger calls no more than a list is given.
    `priced_seconds`: younger calls cost nothing yet. `rounds_up`: a list has the whole last second.
    `quick_hours`: a longer span takes too long to list. `cut_above`: a list of more rows says that it is cut.
    `counts_as_numbers`: its count is no text. `sums_above`: by how much the activity is too large, in USD and calls.
    """

    limit: int = 10_000
    ready_seconds: int = 0
    priced_seconds: int = 0
    rounds_up: bool = False
    quick_hours: float = 1000.0
    counts_as_numbers: bool = False
    cut_above: int = 10_000
    keys_are_gone: bool = False
    sums_above: Mapping[str, float] = field(default_factory=dict)


class Router(SimulatedApi):
    """OpenRouter with one account, whose generations are its `calls`."""

    quirks: Quirks
    quirks_of = Quirks
    key_begins = "sk-or-v1-"

    def prepare(self) -> None:
        self.calls = [_invented(dice, moment) for moment, dice in self.moments]

    @property
    def own_answers(self) -> Mapping[str, Reply]:
        return {
            "wrong_key": _error(401, "User not found."),
            "normal_key": _error(403, "Only management keys can perform this operation"),
            "no_credits": _error(402, "Insufficient credits"),
            "too_slow": _error(408, "Request timed out"),
            "rows_are_text": json_reply({"data": {"data": "none", "metadata": {"row_count": 0}}}),
            "no_count": json_reply({"data": {"data": [], "metadata": {}}}),
        }

    @property
    def spoilt_rows(self) -> Mapping[str, Callable[[Json], object]]:
        return {
            "row_without_id": lambda row: {**row, "generation_id": None, "id": None},
            "row_without_time": lambda row: {**row, "created_at": None},
            "row_bad_time": lambda row: {**row, "created_at": "yesterday"},
            "cost_not_number": lambda row: {**row, "total_cost": "much"},
            "cost_too_large": lambda row: {**row, "total_cost": 1e9},
            "half_a_character": lambda row: {**row, "model": "half \ud83d"},
        }

    def answer(self, asked: Asked, fault: str) -> Reply:
        if asked.headers.get("authorization") != f"Bearer {self.key}":
            return self.own_answers["wrong_key"]
        match asked.method, asked.path:
            case "POST", "/analytics/query":
                return self._list(asked.body, fault)
            case "GET", "/generation":
                return self._generation(asked.query.get("id", ""), fault)
            case "GET", "/activity":
                return self._activity()
            case "GET", "/credits":
                return json_reply({"data": {"total_credits": 50, "total_usage": 1.5}})
        return Reply(404, b"<h1>404</h1>", "text/html")

    def _list(self, body: Any, fault: str) -> Reply:
        quirks = self.quirks
        try:
            start, end = (datetime.strptime(body["time_range"][name], _CLOCK) for name in ("start", "end"))
            limit = min(int(body["limit"]), quirks.limit)
        except (KeyError, TypeError, ValueError):
            return _error(400, "Invalid time_range")
        if body["dimensions"] != ["generation_id", "api_key_id"]:
            return _error(400, "At most 2 dimensions")
        if end - start > timedelta(hours=quirks.quick_hours):
            return self.own_answers["too_slow"]
        start, end = start.replace(tzinfo=UTC), end.replace(tzinfo=UTC) + timedelta(seconds=quirks.rounds_up)
        now, until = self.now(), self.listed_until
        found = [call for call in self.calls if max(start, now - REACH) <= call.begun < end and call.begun <= until]
        rows = [
            {
                "generation_id": call.request_id,
                "api_key_id": None if quirks.keys_are_gone else call.key,
                "total_usage": round(float(call.cost), 6),
            }
            for call in found[:limit]
        ]
        total: Any = len(rows) + quirks.total_above
        about = {
            "query_time_ms": 12,
            "row_count": total if quirks.counts_as_numbers else str(total),
            "truncated": len(found) > min(limit, quirks.cut_above),
        }
        for _ in range(quirks.growing):
            self.calls.append(Generation(f"gen-{int(now.timestamp())}-grown{len(self.calls)}", now, "0.5"))
        around = (
            b'{"data": {"data": [{"generation_id": "1", "api_key_id": "',
            b'"}], "metadata": {"row_count": "1"}}}',
        )
        data = {"data": {"data": self.spoilt(rows, fault), "metadata": about}, "cachedAt": now.isoformat()}
        return replace(json_reply(data), around=around)

    def _generation(self, request_id: str, fault: str) -> Reply:
        found = [(place, call) for place, call in enumerate(self.calls) if call.request_id == request_id]
        if not found:
            return _error(404, "Generation not found")
        place, call = found[-1]
        age = (self.now() - call.begun).total_seconds()
        if age < self.quirks.ready_seconds:
            return _error(404, "Generation not found")
        row = self._row(call, is_priced=age >= self.quirks.priced_seconds)
        found_row = self.spoilt([row], fault if place % SPOILT == 0 else "")[0]
        answer = json_reply({"data": found_row})
        # Costs are written as they are, also with an exponent.
        return replace(answer, body=_COST.sub(rb"\1", answer.body))

    def _row(self, call: Generation, *, is_priced: bool) -> Json:
        has_native = call.prompt_tokens is not None
        return {
            "id": call.request_id,
            "request_id": "req-shared",
            "session_id": "session-of-all",
            "created_at": call.begun.astimezone(UTC).isoformat(timespec="microseconds"),
            "model": call.model,
            "provider_name": "ExampleAI",
            "api_type": call.api_type,
            "total_cost": f"@{call.cost if is_priced else 0}@",
            "is_byok": call.is_byok,
            "upstream_inference_cost": 0.75 if call.is_byok else None,
            "tokens_prompt": 980,
            "tokens_completion": 52,
            "native_tokens_prompt": call.prompt_tokens,
            "native_tokens_completion": call.completion_tokens,
            "native_tokens_cached": call.cached if has_native else None,
            "native_tokens_reasoning": 0,
            "finish_reason": "error" if call.has_failed else "stop",
            "cancelled": call.is_cancelled,
            "http_referer": "https://app.example",
            "app_id": 7,
        }

    def _activity(self) -> Reply:
        """The last 30 whole days in UTC; yesterday is missing for half an hour."""
        now = self.now().astimezone(UTC)
        last = (now - timedelta(minutes=30)).date() - timedelta(days=1)
        sums: dict[tuple[str, str], list[float]] = {}  # usage, requests, what providers bill themselves
        for call in self.calls:
            day = call.begun.astimezone(UTC).date()
            if last - timedelta(days=29) <= day <= last:
                found = sums.setdefault((str(day), call.model), [0.0, 0, 0.0])
                found[0] += float(call.cost)
                found[1] += 1
                found[2] += 0.75 * call.is_byok
        above = self.quirks.sums_above
        rows = [
            {
                "date": day,
                "model": model,
                "model_permaslug": f"{model}-2026-09-01",
                "endpoint_id": "00000000-0000-4000-8000-000000000001",
                "provider_name": "ExampleAI",
                "usage": usage + above.get("usage", 0),
                "byok_usage_inference": byok,
                "requests": requests + above.get("requests", 0),
                "prompt_tokens": 1000,
                "completion_tokens": 50,
            }
            for (day, model), (usage, requests, byok) in sums.items()
        ]
        return json_reply({"data": rows})


def _invented(dice: random.Random, moment: datetime) -> Generation:
    begun = moment.astimezone(UTC) + timedelta(microseconds=dice.randrange(1000))
    has_native = dice.random() < 0.9
    call = Generation(
        request_id=f"gen-{int(begun.timestamp())}-{dice.getrandbits(60):015x}",
        begun=begun,
        cost=dice.choice([f"{dice.randrange(1, 10**8) / 10**9:.9f}", f"{dice.randrange(1, 90)}e-07"]),
        model=dice.choice(MODELS),
        key=dice.choice(KEYS),
        api_type=dice.choice(API_TYPES),
        prompt_tokens=dice.randrange(1000, 9000) if has_native else None,
        completion_tokens=dice.randrange(10, 900) if has_native else None,
        cached=dice.randrange(0, 1000),
        is_byok=dice.random() < 0.1,
    )
    if dice.random() < 0.1:
        return replace(call, is_cancelled=True)
    return replace(call, has_failed=True) if dice.random() < 0.1 else call


def _error(status: int, words: str) -> Reply:
    return json_reply({"error": {"code": status, "message": words}}, status)
