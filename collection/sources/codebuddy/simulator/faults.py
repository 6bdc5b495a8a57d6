"""The failures of the simulated upstream, by name: those seen at the upstream, and worse (docs/upstream.md#faults)."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from threading import Lock
from typing import Any

from collection.sources.codebuddy.simulator.answers import (
    BEYOND_FLOAT,
    Json,
    Quirks,
    html_reply,
    json_reply,
    refusal,
)
from collection.sources.codebuddy.simulator.data import repeatable
from collection.sources.over_http.simulator_server import MANNERS, Reply

LOGIN_PATH = "/auth/realms/copilot/protocol/openid-connect/auth"
LOOP_PATH = "/elsewhere"

LOGIN_PAGE = html_reply(200, "Sign in")
NOT_FOUND = html_reply(404, "404 Not Found")
UNKNOWN_COOKIE = html_reply(401, "401 Authorization Required")
COOKIE_TOO_LARGE = html_reply(400, "400 Request Header Or Cookie Too Large")
LOOP = html_reply(307, "307 Temporary Redirect", ("Location", LOOP_PATH))

WHOLE_ANSWERS: dict[str, Callable[[Quirks], Reply]] = {
    "expired_401_html": lambda _: UNKNOWN_COOKIE,
    "expired_redirect": lambda _: html_reply(302, "302 Found", ("Location", f"{LOGIN_PATH}?client_id=console")),
    "expired_html_200": lambda _: LOGIN_PAGE,
    "expired_12153": lambda _: refusal(200, 12153, "login expired"),
    "agent_refused": lambda _: refusal(403, 10085, "forbidden"),
    "cookie_too_large": lambda _: COOKIE_TOO_LARGE,
    "bad_params": lambda _: refusal(400, 10001, "invalid parameters"),
    "api_code": lambda _: refusal(200, 50012, "usage service is being maintained"),
    "not_found": lambda _: NOT_FOUND,
    "overload_429": lambda quirks: html_reply(429, "429 Too Many Requests", *_retry_after(quirks)),
    "server_error": lambda _: html_reply(500, "500 Internal Server Error"),
    "bad_gateway": lambda _: html_reply(502, "502 Bad Gateway"),
    "unavailable": lambda quirks: html_reply(503, "503 Service Temporarily Unavailable", *_retry_after(quirks)),
    "gateway_timeout": lambda _: html_reply(504, "504 Gateway Time-out"),
    "broken_json": lambda _: Reply(200, b'{"code": 0, "msg": "OK", "data": {"total": 12, "data": [{"requestId": "4f'),
    "redirect_loop": lambda _: LOOP,
    "null_data": lambda _: json_reply(200, {"code": 0, "msg": "OK", "data": None}),
    "wrong_types": lambda _: json_reply(200, {"code": 0, "msg": "OK", "data": ["a", "b"]}),
    "wrong_types_rows": lambda _: json_reply(200, {"code": 0, "msg": "OK", "data": {"total": 2, "data": "rows"}}),
    "wrong_types_total": lambda _: json_reply(200, {"code": 0, "msg": "OK", "data": {"total": "many", "data": []}}),
    "empty_data": lambda _: json_reply(200, {"code": 0, "msg": "OK", "data": {}}),
    "other_form": lambda _: json_reply(200, {"code": 0, "data": {"list": [{"requestId": "x"}], "totalCount": 1}}),
    "wrong_types_body": lambda _: json_reply(200, ["code", 0]),
}

# Faults of the last row of a page, to catch a client that checks only the first one.
LAST_ROW: dict[str, Callable[[Json], object]] = {
    "rows_without_id": lambda row: _without(row, "requestId"),
    "row_without_time": lambda row: _without(row, "requestTime"),
    "row_bad_time": lambda row: row | {"requestTime": "yesterday"},
    "row_not_object": lambda row: row["requestId"],
    "lone_surrogate": lambda row: row | {"input": "half a pair: \ud83d", "inputTrunc": "half a pair: \ud83d"},
    "nul_in_prompt": lambda row: row | {"input": "before\x00after", "inputTrunc": "before\x00after"},
    "nan_credit": lambda row: row | {"credit": float("nan")},
    "infinite_credit": lambda row: row | {"credit": BEYOND_FLOAT},
    "infinite_text_credit": lambda row: row | {"credit": "inf"},
    "huge_credit": lambda row: row | {"credit": 5_000_000_000.5},
    "negative_credit": lambda row: row | {"credit": -1.5},
}

ENDLESS = "endless_total"
TOTAL_TOO_LARGE = "total_too_large"
FAULT_NAMES = (*WHOLE_ANSWERS, *LAST_ROW, ENDLESS, TOTAL_TOO_LARGE, *MANNERS)

# Quirks that can be switched on by name, with their default values.
QUIRK_SWITCHES: dict[str, bool | float | str] = {
    "window_cap": 3000,
    "growing": 1,
    "late_prompt_minutes": 30,
    "prompts_after_requests": 5,
    "truncated_only": True,
    "bare_share": 0.1,
    "settle_minutes": 120,
    "settle_on_second": True,
    "numeric_times": "seconds",
    "string_credits": True,
    "string_total": True,
    "code": 200,
    "null_when_empty": "data",
    "hide_minutes": 90,
    "total_above": 1,
}


@dataclass
class _Rule:
    name: str
    times: int | None
    after_pages: int
    rate: float
    account: int | None
    route: str

    def concerns(self, account: int, route: str = "") -> bool:
        return (self.account is None or self.account == account) and self.route in ("", route)


@dataclass
class Faults(Quirks):
    """The switches of one simulator: the quirks as attributes, the failures by name with `fail`. Thread safe."""

    seed: int = 1
    _rules: list[_Rule] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        self._dice = repeatable(self.seed, "faults")
        self._lock = Lock()

    def fail(
        self,
        name: str,
        *,
        times: int | None = None,
        after_pages: int = 0,
        rate: float = 1.0,
        account: int | None = None,
        route: str = "",
    ) -> None:
        """Makes requests fail: `times` of them (None: until `clear`), each with probability `rate` (0 to 1), after
        `after_pages` more good pages, and only for one account and of one route beside calls if given.

        Raises ValueError for an unknown name or a rate outside 0 to 1.
        """
        if name not in FAULT_NAMES:
            raise ValueError(f"unknown fault {name!r}; known: {', '.join((*FAULT_NAMES, *QUIRK_SWITCHES))}")
        if not 0 <= rate <= 1:
            raise ValueError(f"the rate of {name} must be between 0 and 1")
        with self._lock:
            self._rules.append(_Rule(name, times, after_pages, rate, account, route))

    def clear(self) -> None:
        """Ends every failure switched on with `fail`; quirks stay."""
        with self._lock:
            self._rules.clear()

    def switch_on(self, text: str) -> None:
        """Switches on `NAME`, `NAME:RATE` (failures) or `NAME:VALUE` (quirks). Raises ValueError if it cannot."""
        name, _, value = text.partition(":")
        if name in QUIRK_SWITCHES:
            setattr(self, name, _quirk_value(name, value))
        else:
            self.fail(name, rate=_rate(name, value))

    def for_request(self, account: int, wanted: str | None, route: str = "") -> tuple[str, Quirks]:
        """The failure of this request (empty for none), and the quirks in force for it.

        `wanted` is the fault or quirk that the request names; it has precedence. Raises ValueError if unknown.
        """
        quirks = Quirks(**{quirk.name: getattr(self, quirk.name) for quirk in fields(Quirks)})
        name, _, value = (wanted or "").partition(":")
        if name in FAULT_NAMES:
            return name, quirks
        if name:
            if name not in QUIRK_SWITCHES:
                raise ValueError(f"unknown fault {name!r}")
            setattr(quirks, name, _quirk_value(name, value))
        return self._struck(account, route), quirks

    def page_served(self, account: int) -> None:
        """Counts one good page towards the `after_pages` of every waiting failure."""
        with self._lock:
            for rule in self._rules:
                if rule.concerns(account) and rule.after_pages:
                    rule.after_pages -= 1

    def _struck(self, account: int, route: str) -> str:
        with self._lock:
            for rule in self._rules:
                if not rule.concerns(account, route) or rule.after_pages or rule.times == 0:
                    continue
                if self._dice.random() >= rule.rate:
                    continue
                if rule.times is not None:
                    rule.times -= 1
                return rule.name
        return ""


def spoil_page(name: str, answer: Json) -> Json:
    """Applies the named fault to a good page; a page without rows is unchanged."""
    data = answer["data"]
    if not data or not data["data"]:
        return answer
    if name in LAST_ROW:
        data["data"][-1] = LAST_ROW[name](data["data"][-1])
    if name == TOTAL_TOO_LARGE:
        data["total"] = int(data["total"]) + 1000
    return answer


def _without(row: Json, key: str) -> Json:
    return {name: value for name, value in row.items() if name != key}


def _retry_after(quirks: Quirks) -> list[tuple[str, str]]:
    return [("Retry-After", quirks.retry_after)] if quirks.retry_after else []


def _rate(name: str, value: str) -> float:
    try:
        return float(value or 1)
    except ValueError:
        raise ValueError(f"the rate of {name} must be a number between 0 and 1") from None


def _quirk_value(name: str, value: str) -> Any:
    """The value of a quirk from text: JSON where it is JSON (`code:"0"`), else the text itself."""
    default = QUIRK_SWITCHES[name]
    if not value:
        return default
    try:
        parsed = json.loads(value)
    except json.JSONDecodeError:
        parsed = value
    if type(parsed) is not type(default) and name != "code":
        raise ValueError(f"{name} takes a value like {json.dumps(default)}")
    return parsed
