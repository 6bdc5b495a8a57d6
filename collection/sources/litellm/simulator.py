"""A stand-in for a LiteLLM proxy: its spend log over HTTP, with the quirks of its builds (docs/sources/litellm.md)."""

import json
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import Literal

from collection.sources.over_http.simulated_api import ANSWERS, Asked, Json, SimulatedApi, Switches, json_reply
from collection.sources.over_http.simulator_server import Reply

_CLOCK = "%Y-%m-%d %H:%M:%S"
MODELS = ("openai/example-1", "anthropic/example-2", "azure/example-3")
ALIASES = ("laptop", "server", "")
CALL_TYPES = ("acompletion", "aresponses", "anthropic_messages")


@dataclass(frozen=True)
class SpendCall:
    """One call; `spend` in USD is a binary float as the proxy computes it, None where it has none."""

    request_id: str
    begun: datetime
    spend: float | None
    model: str = MODELS[0]
    alias: str = ALIASES[0]
    call_type: str = CALL_TYPES[0]
    prompt_tokens: int = 1000
    completion_tokens: int = 50
    cached: int = 900
    is_failure: bool = False


@dataclass
class Quirks(Switches):
    """What builds of the proxy differ in, and what its calls do (docs/sources/litellm.md#quirks).

    `cap`: the largest count, though pages go on. `slow_hours`: longer spans take longer than the machine before it
    waits. `most_rows`: a larger page is refused. `has_v2`: the newer route is
    there. `priced_seconds`: younger calls have no price yet. `sums`: how the daily sums of a user are given; the key
    of one user may see its own alone. `days_of_page`: how many of their days a page has. `sums_above`: by how much they
    are too large, in USD, calls and tokens each.
    """

    cap: int = 10_000
    slow_hours: float = math.inf
    most_rows: int = 1000
    has_v2: bool = True
    metadata_as_text: bool = False
    more_metadata: bool = False
    zone: str = "Z"
    priced_seconds: int = 0
    sums: Literal["of all", "of the user", "none"] = "of all"
    days_of_page: int = 1000
    sums_above: Mapping[str, float] = field(default_factory=dict)


class Proxy(SimulatedApi):
    """A proxy with one key, whose calls are its `calls`."""

    quirks: Quirks
    quirks_of = Quirks
    key_begins = "sk-"

    def prepare(self) -> None:
        self.calls = [_invented(dice, moment) for moment, dice in self.moments]
        # Two calls of one instant: pages that begin between them are where builds lose one.
        self.calls += [replace(call, request_id=f"{call.request_id}-2") for call in self.calls[::7]]

    @property
    def own_answers(self) -> Mapping[str, Reply]:
        return {
            "wrong_key": _error(401, "Authentication Error, Invalid proxy server token passed"),
            "no_right": _error(403, "Not allowed to call this route"),
            "no_database": _error(401, "No connected db. Prisma client is None"),
            "no_route": json_reply({"detail": "Not Found"}, 404),
            "total_missing": json_reply({"data": [], "page": 1}),
            "rows_are_text": json_reply({"data": "none", "total": 0, "page": 1, "page_size": 20}),
        }

    @property
    def spoilt_rows(self) -> Mapping[str, Callable[[Json], object]]:
        return {
            "row_without_id": lambda row: {**row, "request_id": None},
            "row_without_time": lambda row: {**row, "startTime": None},
            "row_bad_time": lambda row: {**row, "startTime": "yesterday"},
            "row_not_object": lambda row: row["request_id"],
            "spend_not_number": lambda row: {**row, "spend": "much"},
            "spend_too_large": lambda row: {**row, "spend": 1e9},
            "half_a_character": lambda row: {**row, "model": "half \ud83d"},
            "nul_in_client": lambda row: {**row, "metadata": {**row["metadata"], "user_api_key_alias": "a\0b"}},
        }

    def answer(self, asked: Asked, fault: str) -> Reply:
        if asked.headers.get("authorization") != f"Bearer {self.key}":
            return self.own_answers["wrong_key"]
        if asked.path == "/key/info":
            return json_reply({"key": sha256(self.key.encode()).hexdigest(), "info": {"user_id": "me", "spend": 1.5}})
        if asked.path == "/user/daily/activity" and self.quirks.sums != "none":
            return self._daily_sums(asked)
        routes = ("/spend/logs/v2", "/spend/logs/ui") if self.quirks.has_v2 else ("/spend/logs/ui",)
        if asked.method != "GET" or asked.path not in routes:
            return self.own_answers["no_route"]
        try:
            start, end = (datetime.strptime(asked.query[f"{name}_date"], _CLOCK) for name in ("start", "end"))
        except (KeyError, ValueError):
            return _error(400, "start_date and end_date must have the form YYYY-MM-DD HH:MM:SS")
        number, size = int(asked.query.get("page", 1)), int(asked.query.get("page_size", 50))
        if number < 1 or not 1 <= size <= self.quirks.most_rows:
            refused = {"loc": ["query", "page_size"], "msg": "Input should be less", "type": "less_than_equal"}
            return json_reply({"detail": [refused]}, 422)
        return self._page(start.replace(tzinfo=UTC), end.replace(tzinfo=UTC), number, size, asked, fault)

    def _page(self, start: datetime, end: datetime, number: int, size: int, asked: Asked, fault: str) -> Reply:
        if (end - start).total_seconds() > self.quirks.slow_hours * 3600:
            return ANSWERS["gateway_timeout"]
        found = [call for call in self.visible() if start <= call.begun <= end]
        found.sort(key=lambda call: call.begun, reverse=asked.query.get("sort_order") == "desc")
        rows = [self._row(call) for call in found[(number - 1) * size : number * size]]
        total = min(len(found), self.quirks.cap)
        answer = {
            "data": self.spoilt(rows, fault),
            "total": total + self.quirks.total_above,
            "page": number,
            "page_size": size,
            "total_pages": -(-total // size),
            "total_is_capped": len(found) > self.quirks.cap,
        }
        for _ in range(self.quirks.growing):
            self.calls.append(SpendCall(f"grown-{len(self.calls)}", self.now(), 0.5))
        return replace(json_reply(answer), around=(b'{"data": [{"request_id": "1", "model": "', b'"}], "total": 1}'))

    def _daily_sums(self, asked: Asked) -> Reply:
        """The sums of calls without errors by day in UTC, as they are in a table of the proxy's own."""
        if self.quirks.sums == "of the user" and asked.query.get("user_id") != "me":
            return _error(403, "Non-admin users can only view their own spend data")
        first, last = (date.fromisoformat(asked.query[f"{name}_date"]) for name in ("start", "end"))
        by_day: dict[date, list[SpendCall]] = {}
        for call in self.calls:
            day = call.begun.astimezone(UTC).date()
            if first <= day <= last and call.begun <= self.now() and not call.is_failure:
                by_day.setdefault(day, []).append(call)
        number, size = int(asked.query.get("page", 1)), self.quirks.days_of_page
        days = sorted(by_day.items(), reverse=True)
        shown = [self._day_of_sums(day, calls) for day, calls in days[(number - 1) * size : number * size]]
        about = {"page": number, "total_pages": -(-len(days) // size), "has_more": number * size < len(days)}
        return json_reply({"results": shown, "metadata": about})

    def _day_of_sums(self, day: date, calls: list[SpendCall]) -> Json:
        models = {call.model for call in calls}
        by_model = {model: [call for call in calls if call.model == model] for model in models}
        named = {model: {"metrics": _metrics(each, self.quirks.sums_above)} for model, each in by_model.items()}
        return {"date": str(day), "metrics": _metrics(calls, self.quirks.sums_above), "breakdown": {"models": named}}

    def visible(self) -> list[SpendCall]:
        """The calls that are written by now."""
        return [call for call in self.calls if call.begun <= self.listed_until]

    def _row(self, call: SpendCall) -> Json:
        quirks = self.quirks
        begun = call.begun.astimezone(UTC).replace(tzinfo=None)
        is_priced = self.now() - call.begun >= timedelta(seconds=quirks.priced_seconds)
        metadata: Json = {
            "user_api_key_alias": call.alias or None,
            "usage_object": {"prompt_tokens_details": {"cached_tokens": call.cached}},
            "cost_breakdown": None if call.spend is None else {"input_cost": call.spend},
        }
        if quirks.more_metadata:
            metadata["model_map_information"] = {f"key_{number}": "x" * 40 for number in range(90)}
        if call.is_failure:
            metadata |= {"usage_object": None, "error_information": {"error_code": "500"}}
        return {
            "request_id": call.request_id,
            "call_type": call.call_type,
            "api_key": sha256(self.key.encode()).hexdigest(),
            "spend": (call.spend or 0.0) if is_priced else 0.0,
            "total_tokens": call.prompt_tokens + call.completion_tokens,
            "prompt_tokens": call.prompt_tokens,
            "completion_tokens": call.completion_tokens,
            "startTime": begun.isoformat(timespec="milliseconds") + quirks.zone,
            "model": "" if call.is_failure else call.model,
            "model_group": call.model.partition("/")[2],
            "cache_hit": "False",
            "request_tags": ["User-Agent: example/1.0"],
            "status": "failure" if call.is_failure else "success",
            "metadata": json.dumps(metadata) if quirks.metadata_as_text else metadata,
            "messages": {},
            "response": {},
        }


def _metrics(calls: list[SpendCall], above: Mapping[str, float]) -> Json:
    metrics: Json = {
        "spend": sum(call.spend or 0.0 for call in calls),
        "prompt_tokens": sum(call.prompt_tokens for call in calls),
        "completion_tokens": sum(call.completion_tokens for call in calls),
        "cache_read_input_tokens": sum(call.cached for call in calls),
        "cache_creation_input_tokens": 0,
        "successful_requests": len(calls),
        "failed_requests": 0,
        "api_requests": len(calls),
    }
    return {name: value + above.get(name, 0) for name, value in metrics.items()}


def _invented(dice: random.Random, moment: datetime) -> SpendCall:
    call = SpendCall(
        request_id=f"chatcmpl-{dice.getrandbits(96):024x}",
        begun=moment,
        spend=dice.lognormvariate(0, 1) / 1000,
        model=dice.choice(MODELS),
        alias=dice.choice(ALIASES),
        call_type=dice.choice(CALL_TYPES),
        prompt_tokens=dice.randrange(1000, 9000),
        completion_tokens=dice.randrange(10, 900),
        cached=dice.randrange(0, 1000),
    )
    if dice.random() < 0.1:
        return replace(call, spend=None, prompt_tokens=0, completion_tokens=0, cached=0, is_failure=True)
    return call


def _error(status: int, words: str) -> Reply:
    return json_reply({"error": {"message": words, "type": "error", "param": "None", "code": str(status)}}, status)
