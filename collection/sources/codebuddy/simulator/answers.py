"""The simulated upstream's answers to good requests: windows, pages and rows, with switchable quirks."""

import json
from binascii import crc32
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import uuid4
from zoneinfo import ZoneInfo

from collection.sources.codebuddy.simulator.data import CallLog, SimulatedCall
from collection.sources.over_http.simulator_server import Reply
from usage.amounts.units import CREDITS

Json = dict[str, Any]

# Every answer ends a session that it does not know; a client must not take it.
CLEARED_COOKIE = ("Set-Cookie", "session=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly")
# A call with a huge prompt.
AROUND = (b'{"code": 0, "msg": "OK", "data": {"total": 1, "data": [{"requestId": "0", "input": "', b'"}]}}')
CLOCK = "%Y-%m-%d %H:%M:%S"
PROMPTS_KEPT = timedelta(days=32)
TRUNCATED_CHARS = 100
# Placeholder for a number that Python's JSON encoder cannot write; `encode` replaces it by the digits.
BEYOND_FLOAT = "\x01beyond-float\x01"


@dataclass
class Quirks:
    """The upstream's quirks, all off by default (docs/upstream.md#quirks).

    `window_cap`: a window shows at most this number of rows, the oldest, and `total` is the same (seen: 3,000).
    `growing`: this number of new calls appears after each page served, so rows slide to later pages.
    `late_prompt_minutes`: younger calls have no prompt yet. `prompts_after_requests`: no call has a prompt until this
    number of requests was made. `truncated_only`: `inputTrunc` without `input`. `bare_share` (0 to 1) is the share of
    the answers that leave the prompts out.
    `settle_minutes`: younger calls show half their credits. `settle_on_second`: every call does the first time.
    `hide_minutes`: younger calls are not shown yet; `hide_share` (0 to 1) is the share of them, by request id.
    `total_above`: `total` counts this number of calls more than the window has.
    `retry_after`: the header of 429 and 503, empty for none. `drip_seconds`, `huge_bytes`: for those faults.
    """

    window_cap: int = 0
    growing: int = 0
    late_prompt_minutes: int = 0
    prompts_after_requests: int = 0
    truncated_only: bool = False
    bare_share: float = 0.0
    settle_minutes: int = 0
    settle_on_second: bool = False
    numeric_times: Literal["", "seconds", "milliseconds"] = ""
    string_credits: bool = False
    string_total: bool = False
    code: int | str = 0
    null_when_empty: Literal["", "rows", "data"] = ""
    hide_minutes: int = 0
    hide_share: float = 1.0
    total_above: int = 0
    retry_after: str = "0"
    drip_seconds: float = 1.0
    huge_bytes: int = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment of a request: the upstream's wall clock (naive), its zone, and the number of requests so far."""

    wall: datetime
    zone: ZoneInfo
    requests: int


@dataclass(frozen=True, slots=True)
class PageQuery:
    """A request's parameters; `start` and `end` are naive wall clock, both inclusive."""

    start: datetime
    end: datetime
    number: int
    size: int

    @classmethod
    def from_body(cls, body: Json | None, page_cap: int) -> "PageQuery":
        """Reads the body of a request. Raises ValueError if anything is missing or of the wrong kind."""
        body = body or {}
        texts = [body.get("startTime"), body.get("endTime")]
        numbers = [body.get("pageNum"), body.get("pageSize")]
        if not all(type(text) is str for text in texts) or not all(type(n) is int and n >= 1 for n in numbers):
            raise ValueError("invalid parameters")
        start, end = (datetime.strptime(str(text), CLOCK) for text in texts)
        return cls(start, end, int(body["pageNum"]), min(int(body["pageSize"]), page_cap))

    @property
    def drops_prompts(self) -> bool:
        """Whether the window is too long for an answer with prompts."""
        return self.end - self.start + timedelta(seconds=1) >= PROMPTS_KEPT


def json_reply(status: int, answer: object, *headers: tuple[str, str]) -> Reply:
    """A JSON answer, encoded as the upstream encodes it."""
    return Reply(status, encode(answer), headers=(CLEARED_COOKIE, *headers), around=AROUND)


def html_reply(status: int, title: str, *headers: tuple[str, str]) -> Reply:
    """A page of the gateway in front of the upstream."""
    page = (
        f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n</body>\r\n"
    )
    return Reply(status, f"{page}</html>\r\n".encode(), "text/html; charset=utf-8", (CLEARED_COOKIE, *headers))


def refusal(status: int, code: int, message: str) -> Reply:
    """A JSON refusal of the upstream itself."""
    return json_reply(status, {"code": code, "msg": message, "requestId": uuid4().hex})


def encode(answer: object) -> bytes:
    """JSON as bytes. Lone surrogates are written as escapes, as the upstream sends them."""
    try:
        text = json.dumps(answer, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        text = json.dumps(answer).encode()
    return text.replace(json.dumps(BEYOND_FLOAT).encode(), b"1e400")


def answer_page(log: CallLog, query: PageQuery, quirks: Quirks, moment: Moment, *, endless: bool) -> Json | None:
    """The JSON of one page, rows newest first, or None if the page is past the end.

    `endless` repeats the last page for ever instead, with a `total` that is never reached.
    """
    with log.lock:
        calls = _visible(log.between(query.start, min(query.end, moment.wall)), quirks, moment)
        total = len(calls)
        last = max(1, -(-total // query.size))
        if query.number > last and not endless:
            return None
        newest = total - (min(query.number, last) - 1) * query.size
        page = calls[max(0, newest - query.size) : newest]
        rows = [_row(call, log, query, quirks, moment) for call in reversed(page)]
    total += quirks.total_above
    if endless:
        total = (query.number + 1) * query.size
    return _envelope(rows, total, quirks)


def _visible(calls: list[SimulatedCall], quirks: Quirks, moment: Moment) -> list[SimulatedCall]:
    if quirks.hide_minutes:
        share = quirks.hide_share * 1000
        calls = [
            call
            for call in calls
            if not _younger(call, quirks.hide_minutes, moment) or crc32(call.request_id.encode()) % 1000 >= share
        ]
    return calls[: quirks.window_cap] if quirks.window_cap else calls


def _envelope(rows: list[Json], total: int, quirks: Quirks) -> Json:
    data: Json | None = {"total": str(total) if quirks.string_total else total, "data": rows}
    if not rows and quirks.null_when_empty:
        data = None if quirks.null_when_empty == "data" else {"total": total, "data": None}
    return {"code": quirks.code, "msg": "OK", "requestId": uuid4().hex, "data": data}


def _row(call: SimulatedCall, log: CallLog, query: PageQuery, quirks: Quirks, moment: Moment) -> Json:
    row: Json = {
        "requestId": call.request_id,
        "credit": _credit(call, log, quirks, moment),
        "model": call.model,
        "client": call.client,
        "requestTime": _time(call, quirks, moment),
    }
    is_bare = query.drops_prompts or crc32(str(moment.requests).encode()) % 1000 < quirks.bare_share * 1000
    if not is_bare and moment.wall - call.time < PROMPTS_KEPT:
        row |= _prompt(call, quirks, moment)
    return row


def _credit(call: SimulatedCall, log: CallLog, quirks: Quirks, moment: Moment) -> int | float | str:
    unsettled = quirks.settle_on_second and call.request_id not in log.served
    log.served.add(call.request_id)
    credits = call.credits
    if unsettled or _younger(call, quirks.settle_minutes, moment):
        credits = CREDITS.decimal(call.amount // 2)
    if quirks.string_credits:
        return format(credits, "f")
    return int(credits) if credits == credits.to_integral_value() else float(credits)


def _time(call: SimulatedCall, quirks: Quirks, moment: Moment) -> str | int:
    if not quirks.numeric_times:
        return call.time.isoformat(" ", "seconds")
    seconds = int(call.time.replace(tzinfo=moment.zone).timestamp())
    return seconds * 1000 if quirks.numeric_times == "milliseconds" else seconds


def _prompt(call: SimulatedCall, quirks: Quirks, moment: Moment) -> Json:
    late = _younger(call, quirks.late_prompt_minutes, moment) or moment.requests <= quirks.prompts_after_requests
    prompt = "" if late else call.prompt
    texts = {"inputTrunc": prompt[:TRUNCATED_CHARS], "input": prompt, "agentPurpose": call.agent_purpose}
    if quirks.truncated_only:
        del texts["input"]
    return texts


def _younger(call: SimulatedCall, minutes: int, moment: Moment) -> bool:
    return moment.wall - call.time < timedelta(minutes=minutes)
