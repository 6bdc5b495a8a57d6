"""A stand-in for the usage and cost of an organisation at Anthropic (docs/sources/anthropic-usage.md)."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from collection.sources.over_http.simulated_api import Asked, Json, SimulatedApi, Switches, json_reply
from collection.sources.over_http.simulator_server import Reply

USAGE, COST = "/v1/organizations/analytics/usage", "/v1/organizations/analytics/cost"
USAGE_BEFORE, COST_BEFORE = "/v1/organizations/usage_report/messages", "/v1/organizations/cost_report"
BETA = "analytics-usage-cost-2026-08-24"


@dataclass(frozen=True)
class Used:
    """The use of one model on a day in UTC; no token counts twice. `cents` is its cost."""

    day: date
    model: str
    requests: int
    input: int
    output: int
    cached: int = 0
    written: int = 0
    cents: str = "50.25"


@dataclass
class Quirks(Switches):
    """What answers may be like. `rows_of_page`: the most that a page has. `is_older`: only the older routes are there;
    `refuses_beta`: the server says so of the header. `without_requests`: they are null. `has_empty_pages`: each page is
    followed by one without rows. `sums_above`: how much more than there was. `costs_alone`: the models whose cost alone
    is listed. `currency`: that of cost.
    """

    rows_of_page: int = 1000
    is_older: bool = False
    refuses_beta: bool = False
    without_requests: bool = False
    has_empty_pages: bool = False
    costs_alone: Collection[str] = ()
    currency: str = "USD"
    sums_above: Mapping[str, int] = field(default_factory=dict)


class Organisation(SimulatedApi):
    """An organisation whose use of models is `used`."""

    quirks: Quirks
    quirks_of = Quirks
    key_begins = "sk-ant-admin01-"

    def prepare(self) -> None:
        self.used: list[Used] = []

    @property
    def own_answers(self) -> Mapping[str, Reply]:
        return {
            "wrong_key": _error(401, "invalid x-api-key"),
            "no_admin_key": _error(403, "Your API key does not have permission"),
            "old_cursor": _error(400, "Invalid page"),
            "not_for_hipaa": _error(400, "Not available for HIPAA-ready organizations"),
            "rows_are_text": json_reply({"data": "none", "has_more": False}),
            "bucket_without_rows": json_reply({"data": [{"usage": {}}], "has_more": False}),
            "no_second": json_reply(
                {"data": [{"starting_at": "soon", "usage": {"output_tokens": 1}}], "has_more": False}
            ),
        }

    def answer(self, asked: Asked, fault: str) -> Reply:
        quirks = self.quirks
        if asked.headers.get("x-api-key") != self.key or asked.headers.get("anthropic-version") != "2023-06-01":
            return self.own_answers["wrong_key"]
        rows = {USAGE: self._usage, COST: self._cost, USAGE_BEFORE: self._usage_before, COST_BEFORE: self._cost_before}
        if asked.path not in rows:
            return _error(404, "not_found_error")
        if asked.path in (USAGE, COST):
            if quirks.is_older:
                return _error(404, "not_found_error")
            if quirks.refuses_beta or asked.headers.get("anthropic-beta") != BETA:
                return _error(400, "unsupported anthropic-beta header")
        first, end = (date.fromisoformat(asked.query[name][:10]) for name in ("starting_at", "ending_at"))
        if (end - first).days > 31:
            return _error(400, "range is longer than 31 days")
        days = [first + timedelta(days=number) for number in range((end - first).days)]
        return json_reply(self._page([row for day in days for row in rows[asked.path](day)], asked.query))

    def _page(self, rows: list[Json], query: Mapping[str, str]) -> Json:
        place, is_between = int(query.get("page", "0").rstrip("e") or 0), query.get("page", "").endswith("e")
        if is_between:
            return {"data": [], "has_more": place < len(rows), "next_page": str(place)}
        size = min(int(query.get("limit", 20)), self.quirks.rows_of_page)
        following = place + size
        has_more = following < len(rows)
        cursor = f"{following}e" if self.quirks.has_empty_pages else str(following)
        return {"data": rows[place:following], "has_more": has_more, "next_page": cursor if has_more else None}

    def _of(self, day: date, without: Collection[str] = ()) -> list[Used]:
        return [one for one in self.used if one.day == day and one.model not in without]

    def _usage(self, day: date) -> Iterator[Json]:
        above = self.quirks.sums_above
        for one in self._of(day, self.quirks.costs_alone):
            requests = None if self.quirks.without_requests else one.requests + above.get("requests", 0)
            tokens = _tokens(one, above.get("output", 0))
            yield {**_bucket(day), "group": {"model": one.model}, "usage": {**tokens, "requests": requests}}

    def _cost(self, day: date) -> Iterator[Json]:
        for one in self._of(day):
            cost = {
                "amount": one.cents,
                "list_amount": "60.00",
                "currency": self.quirks.currency,
                "requests": one.requests,
            }
            yield {**_bucket(day), "group": {"model": one.model}, "cost": cost}

    def _usage_before(self, day: date) -> Iterator[Json]:
        above, listed = self.quirks.sums_above, self._of(day, self.quirks.costs_alone)
        yield {
            **_bucket(day),
            "results": [{**_tokens(one, above.get("output", 0)), "model": one.model} for one in listed],
        }

    def _cost_before(self, day: date) -> Iterator[Json]:
        currency = self.quirks.currency
        rows: list[Json] = [{"amount": one.cents, "currency": currency, "model": one.model} for one in self._of(day)]
        yield {**_bucket(day), "results": [*rows, {"amount": "5", "currency": currency, "model": None}]}


def _bucket(day: date) -> Json:
    return {"starting_at": f"{day}T00:00:00Z", "ending_at": f"{day + timedelta(days=1)}T00:00:00Z"}


def _tokens(one: Used, above: int) -> Json:
    return {
        "uncached_input_tokens": one.input,
        "cache_read_input_tokens": one.cached,
        "cache_creation": {"ephemeral_5m_input_tokens": one.written, "ephemeral_1h_input_tokens": 0},
        "output_tokens": one.output + above,
        "server_tool_use": None,
    }


def _error(status: int, words: str) -> Reply:
    return json_reply({"type": "error", "error": {"type": "error", "message": words}, "request_id": "req_1"}, status)
