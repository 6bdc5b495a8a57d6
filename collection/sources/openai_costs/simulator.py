"""A stand-in for the usage and costs of an organisation at OpenAI (docs/sources/openai-costs.md)."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from collection.sources.over_http.simulated_api import Asked, Json, SimulatedApi, Switches, json_reply
from collection.sources.over_http.simulator_server import Reply

USAGE, COSTS = "/v1/organization/usage/completions", "/v1/organization/costs"


@dataclass(frozen=True)
class Used:
    """The use of one model on a day in UTC; the input has the cached and the written tokens. `cost` is in USD."""

    day: date
    model: str
    requests: int
    input: int
    output: int
    cached: int = 0
    written: int = 0
    cost: str = "0.5"


@dataclass
class Quirks(Switches):
    """What answers may be like. `days_of_page`: the most that a page has. `costs_as_text`: amounts are texts.
    `without_written`: answers do not say what was written into the cache. `begins_late`: the first bucket begins within
    its day. `ends_with_cursor`: the last page has a cursor, too. `sums_above`: how much more than there was.
    `costs_alone`: the models whose costs alone are listed. `currency`: that of costs.
    """

    days_of_page: int = 31
    costs_as_text: bool = False
    without_written: bool = False
    begins_late: bool = False
    ends_with_cursor: bool = False
    costs_alone: Collection[str] = ()
    currency: str = "usd"
    sums_above: Mapping[str, int] = field(default_factory=dict)


class Organisation(SimulatedApi):
    """An organisation whose use of models is `used`."""

    quirks: Quirks
    quirks_of = Quirks
    key_begins = "sk-admin-"

    def prepare(self) -> None:
        self.used: list[Used] = []

    @property
    def own_answers(self) -> Mapping[str, Reply]:
        return {
            "wrong_key": _error(401, "Incorrect API key provided"),
            "no_admin_key": _error(403, "You have insufficient permissions for this operation."),
            "old_cursor": _error(400, "Invalid page token"),
            "rows_are_text": json_reply({"object": "page", "data": "none", "has_more": False}),
            "bucket_without_rows": json_reply({"object": "page", "data": [{"start_time": 1}], "has_more": False}),
            "no_second": json_reply(
                {"data": [{"start_time": "soon", "results": [{"input_tokens": 1}]}], "has_more": False}
            ),
        }

    def answer(self, asked: Asked, fault: str) -> Reply:
        if asked.headers.get("authorization") != f"Bearer {self.key}":
            return self.own_answers["wrong_key"]
        if asked.method != "GET" or asked.path not in (USAGE, COSTS):
            return _error(404, "Invalid URL")
        rows = self._usage if asked.path == USAGE else self._costs
        return json_reply(self._page(asked.query, rows))

    def _page(self, query: Mapping[str, str], rows: Callable[[date], Iterator[Json]]) -> Json:
        first, end = (datetime.fromtimestamp(int(query[name]), UTC).date() for name in ("start_time", "end_time"))
        days = [first + timedelta(days=number) for number in range((end - first).days)]
        place = int(query.get("page") or 0)
        shown = days[place : place + min(int(query["limit"]), self.quirks.days_of_page)]
        has_more = place + len(shown) < len(days)
        buckets = [
            {
                "object": "bucket",
                "start_time": _second(day) + (3600 if self.quirks.begins_late and day == first else 0),
                "end_time": _second(day + timedelta(days=1)),
                "results": list(rows(day)),
            }
            for day in shown
        ]
        cursor = str(place + len(shown)) if has_more or self.quirks.ends_with_cursor else None
        return {"object": "page", "data": buckets, "has_more": has_more, "next_page": cursor}

    def _of(self, day: date, without: Collection[str] = ()) -> list[Used]:
        return [one for one in self.used if one.day == day and one.model not in without]

    def _usage(self, day: date) -> Iterator[Json]:
        above = self.quirks.sums_above
        for one in self._of(day, self.quirks.costs_alone):
            row = {
                "object": "organization.usage.completions.result",
                "input_tokens": one.input + above.get("input", 0),
                "input_cached_tokens": one.cached,
                "output_tokens": one.output,
                "num_model_requests": one.requests + above.get("requests", 0),
                "model": one.model,
                "batch": False,
            }
            yield row if self.quirks.without_written else {**row, "input_cache_write_tokens": one.written}

    def _costs(self, day: date) -> Iterator[Json]:
        for one in self._of(day):
            value: Any = one.cost if self.quirks.costs_as_text else float(one.cost)
            yield self._cost(f"{one.model}, input_tokens", value)
        yield self._cost("credit", "-0.05")

    def _cost(self, line_item: str, value: Any) -> Json:
        return {
            "object": "organization.costs.result",
            "amount": {"value": value, "currency": self.quirks.currency},
            "line_item": line_item,
            "quantity": None,
        }


def _second(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


def _error(status: int, words: str) -> Reply:
    return json_reply({"error": {"message": words, "type": "invalid_request_error", "code": None}}, status)
