"""The upstream simulator: a real HTTP server on loopback, with repeatable data and switchable faults.

Tests and the demo collect from it; it does not need Django (docs/upstream.md#simulator).
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from threading import Lock
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from collection.sources.codebuddy.simulator import daily_sums, faults
from collection.sources.codebuddy.simulator.answers import (
    Json,
    Moment,
    PageQuery,
    Quirks,
    answer_page,
    json_reply,
    refusal,
)
from collection.sources.codebuddy.simulator.data import CallLog, SimulatedCall, generate_calls, invent_call, repeatable
from collection.sources.codebuddy.simulator.faults import FAULT_NAMES, QUIRK_SWITCHES, Faults
from collection.sources.codebuddy.simulator.packages import ORDERS, ROUTES, Shelf, usual_orders, usual_packages
from collection.sources.over_http.simulator_server import MANNERS, Reply, RunningSimulator

__all__ = ["FAULT_NAMES", "QUIRK_SWITCHES", "Faults", "SeenRequest", "SimulatedCall", "Simulator"]

COOKIE_BYTES = 8192
COOKIE_DAYS = 8
REQUESTS_REMEMBERED = 5000


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """One received request; `at` is the real, aware time. Header names have the spelling of the client."""

    method: str
    path: str
    headers: dict[str, str] = field(repr=False)
    body: Json | None
    at: datetime


class Simulator(RunningSimulator):
    """The simulated upstream. The cookie of a request selects the account.

    The data covers `days` days that end at `until` (aware; default: `now()`), about `per_day` calls per day. Calls
    later than `now()` are not visible yet, so with `until` in the future the accounts grow as time passes.
    """

    path = "/billing/meter/get-user-request-usage"

    def __init__(
        self,
        *,
        accounts: int = 1,
        days: int = 90,
        per_day: int = 50,
        seed: int = 1,
        host: str = "127.0.0.1",
        port: int = 0,
        zone: str = "Asia/Shanghai",
        now: Callable[[], datetime] | None = None,
        until: datetime | None = None,
        page_cap: int = 5000,
    ) -> None:
        """Generates the data; `start` opens the port (0: any free one). Raises ValueError if `host` is not loopback."""
        super().__init__(host, port)
        self.now = now or (lambda: datetime.now(UTC))
        self.zone = ZoneInfo(zone)
        self.page_cap = page_cap
        self.user_agent: str | None = None
        self._faults = Faults(seed=seed)
        self.request_count = 0
        self._seed = seed
        start = self.now()
        until = until or start
        self._cookie_end = (int(max(start, until).timestamp()) // 86400 + COOKIE_DAYS) * 86400
        self._logs = [
            CallLog(generate_calls(f"{seed}/{index}", days, per_day, until, self.zone)) for index in range(accounts)
        ]
        first = (until - timedelta(days=days)).astimezone(self.zone).replace(tzinfo=None, microsecond=0)
        usual = [usual_packages(index, first, per_day) for index in range(accounts)]
        self.shelves = [Shelf(packages, usual_orders(packages)) for packages in usual]
        self.daily_sums = [daily_sums.DailySums() for _ in range(accounts)]
        self.faults_beside = Faults(seed=seed)
        self._sessions = {self._session(index): index for index in range(accounts)}
        self._grown = count()
        self._seen: deque[SeenRequest] = deque(maxlen=REQUESTS_REMEMBERED)
        self._seen_beside: deque[SeenRequest] = deque(maxlen=REQUESTS_REMEMBERED)
        self._lock = Lock()

    @property
    def faults(self) -> Faults:
        return self._faults

    @property
    def requests_seen(self) -> list[SeenRequest]:
        """The newest requests for calls, at most 5,000, oldest first."""
        with self._lock:
            return list(self._seen)

    @property
    def requests_beside(self) -> list[SeenRequest]:
        """The newest requests for packages of credits, orders and daily sums, oldest first."""
        with self._lock:
            return list(self._seen_beside)

    def is_beside_calls(self, path: str) -> bool:
        """Whether a path is one for packages of credits, orders or daily sums."""
        base = self.path.rpartition("/")[0]
        beside = [f"{base}/{route}" for route in (*ROUTES, daily_sums.ROUTE)]
        return urlsplit(path).path in {*beside, f"{base.rpartition('/')[0]}/pay/{ORDERS}"}

    def cookie(self, account: int = 0) -> str:
        """The cookie header of an account as a browser sends it; its session id begins with `sim` and the number."""
        session = self._session(account)
        other = repeatable(self._seed, account, "other cookie").getrandbits(160)
        return (
            f"session={session}|{self._cookie_end}|{self._signature(session, self._cookie_end)}; session_2={other:040x}"
        )

    def user_id(self, account: int = 0) -> str:
        """The id of an account's user."""
        return f"{repeatable(self._seed, account, 'user').getrandbits(128):032x}"

    def token(self, account: int = 0, *, days: int = 90) -> str:
        """The access token of a device login, which ends in this many days."""
        claims = {"sub": self.user_id(account), "exp": int(self.now().timestamp()) + days * 86400}
        parts = [
            urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "RS256"}, claims)
        ]
        return ".".join([*parts, self._signature(parts[1], 0)])

    def rows(self, account: int = 0) -> list[SimulatedCall]:
        """The true calls: all until now, oldest first, without the effect of quirks."""
        return self._logs[account].between(datetime.min, self._wall())

    def add(self, account: int, *calls: SimulatedCall) -> None:
        """Adds calls to an account's data."""
        for call in calls:
            self._logs[account].add(call)

    def remove(self, account: int, request_id: str) -> None:
        """Removes a call from an account's data."""
        self._logs[account].remove(request_id)

    def respond(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> Reply:
        """The answer to one request, with the checks of the gateway first and then those of the upstream itself."""
        body = _json_object(raw)
        is_beside = self.is_beside_calls(path)
        with self._lock:
            self.request_count += not is_beside
            seen = self._seen_beside if is_beside else self._seen
            seen.append(SeenRequest(method, path, headers, body, datetime.now(UTC)))
        lower = {name.lower(): value for name, value in headers.items()}
        place = urlsplit(path).path
        if place == faults.LOOP_PATH:
            return faults.LOOP
        if place == faults.LOGIN_PATH:
            return faults.LOGIN_PAGE
        if method != "POST" or not (place == self.path or is_beside):
            return faults.NOT_FOUND
        if len(lower.get("cookie", "")) > COOKIE_BYTES:
            return faults.COOKIE_TOO_LARGE
        token = lower.get("authorization", "").removeprefix("Bearer ")
        account = self._holder(token) if token else self._account(lower.get("cookie", ""))
        if account is None:
            return faults.UNKNOWN_COOKIE
        if token and not is_beside and not lower.get("x-enterprise-id"):
            return refusal(400, 10001, "invalid parameters")
        if self.user_agent is not None and lower.get("user-agent") != self.user_agent:
            return refusal(403, 10085, "forbidden")
        if is_beside:
            return self._beside_calls(account, place.rpartition("/")[2], body or {}, lower)
        try:
            fault, quirks = self.faults.for_request(account, lower.get("x-simulate-fault"))
        except ValueError as error:
            return refusal(400, 10001, str(error))
        if fault in faults.WHOLE_ANSWERS:
            return faults.WHOLE_ANSWERS[fault](quirks)
        return self._page(account, body, fault, quirks)

    def _beside_calls(self, account: int, route: str, body: Json, headers: dict[str, str]) -> Reply:
        fault, quirks = self.faults_beside.for_request(account, None, route)
        if fault in faults.WHOLE_ANSWERS:
            return faults.WHOLE_ANSWERS[fault](quirks)
        moment = Moment(self._wall(), self.zone, self.request_count)
        if route == daily_sums.ROUTE:
            answer = self.daily_sums[account].answer(body, headers, self.rows(account), moment.wall)
        else:
            answer = self.shelves[account].answer(route, body, headers, self.rows(account), moment)
        return replace(answer, manner=fault) if fault else answer

    def _page(self, account: int, body: Json | None, fault: str, quirks: Quirks) -> Reply:
        moment = Moment(self._wall(), self.zone, self.request_count)
        try:
            query = PageQuery.from_body(body, self.page_cap)
        except ValueError:
            return refusal(400, 10001, "invalid parameters")
        answer = answer_page(self._logs[account], query, quirks, moment, endless=fault == faults.ENDLESS)
        if answer is None:
            return refusal(400, 10001, "invalid parameters")
        if fault in MANNERS:
            return replace(json_reply(200, answer), manner=fault)
        if fault:
            return json_reply(200, faults.spoil_page(fault, answer))
        self.faults.page_served(account)
        self._grow(account, quirks.growing)
        return json_reply(200, answer)

    def _grow(self, account: int, calls: int) -> None:
        for _ in range(calls):
            dice = repeatable(self._seed, account, "grown", next(self._grown))
            self.add(account, invent_call(dice, self._wall().replace(second=0, microsecond=0)))

    def _wall(self) -> datetime:
        return self.now().astimezone(self.zone).replace(tzinfo=None)

    def _session(self, account: int) -> str:
        return f"sim{account:05d}-{sha256(f'{self._seed}/{account}'.encode()).hexdigest()[:24]}"

    def _signature(self, session: str, end: int) -> str:
        return sha256(f"{self._seed}/{session}/{end}".encode()).hexdigest()[:40]

    def _holder(self, token: str) -> int | None:
        """The account of a token, or None if it is unknown, forged or expired."""
        _, _, rest = token.partition(".")
        claims, _, signature = rest.partition(".")
        if signature != self._signature(claims, 0):
            return None
        said = json.loads(urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
        if said["exp"] <= self.now().timestamp():
            return None
        return next((account for account in self._sessions.values() if self.user_id(account) == said["sub"]), None)

    def _account(self, cookie: str) -> int | None:
        """The account of a cookie, or None if it is unknown, forged or expired."""
        session, _, rest = _cookie_value(cookie, "session").partition("|")
        end, _, signature = rest.partition("|")
        if session not in self._sessions or not end.isdecimal() or signature != self._signature(session, int(end)):
            return None
        return self._sessions[session] if datetime.fromtimestamp(int(end), UTC) > self.now() else None


def _json_object(raw: bytes) -> Json | None:
    try:
        body = json.loads(raw)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _cookie_value(header: str, name: str) -> str:
    for part in header.split(";"):
        found, _, value = part.strip().partition("=")
        if found == name:
            return value
    return ""
