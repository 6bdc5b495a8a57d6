"""What one answer of the upstream says: its rows, or a failure in words. Pure functions, no network."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Literal
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

from usage.incoming import IncomingRecord

MAX_REQUEST_ID = 128
MAX_LABEL = 200
MAX_CREDITS = 1_000_000_000
MAX_TOTAL = 1_000_000_000

PASSING = {429, 500, 502, 503, 504}
GOOD_CODES = {"0", "200"}
COOKIE_CODE, USER_AGENT_CODE, PARAMETERS_CODE = "12153", "10085", "10001"
LOGIN_NAMES = {"login", "signin", "sign-in", "logon", "sso", "passport"}

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
TOO_LARGE = re.compile(rb"(?i)(cookie|header)[^<]*too large")
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
MILLIONTH = Decimal("0.000001")

PASTE_AGAIN = (
    "sign in to the service in your browser and paste the cookie again, "
    "together with that browser's user agent and from the host that api_base names"
)


class UpstreamFailure(Exception):
    """The upstream gave no usable answer. `message` is one sentence for the account's owner and holds no secret."""

    def __init__(self, outcome: Literal["cookie_expired", "api"], message: str) -> None:
        super().__init__(outcome, message)
        self.outcome = outcome
        self.message = message

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; `body` is decompressed, and empty where it was `over_cap`."""

    status: int
    location: str
    retry_after: str
    body: bytes = field(repr=False)
    over_cap: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one answer: those that could be read, and why the others could not."""

    records: list[IncomingRecord]
    total: int
    received: int
    skipped: list[str]


class UnreadableRow(ValueError):
    """Why one row is skipped, without any of its content."""


class MissingRequestId(UnreadableRow):
    """The row names no request."""


def read_answer(answer: Answer, number: int, upstream_zone: ZoneInfo, server_zone: ZoneInfo, cookie: str) -> Rows:
    """Give the rows of page `number`; raises UpstreamFailure for each row of the contract's table of failures.

    `cookie` is only there to be kept out of the message, should the upstream repeat it.
    """
    payload = _object(answer.body)
    code = _code(payload)
    refused = _refusal(answer, code, cookie)
    if refused:
        raise refused
    if payload is None:
        raise _broken("it is not a JSON object")
    if code not in GOOD_CODES:
        said = concealed(f"(code {code[:40] or 'missing'}): {_text(payload.get('msg')) or '-'}", cookie)
        raise UpstreamFailure("api", f"The upstream refused the request {said}")
    total, rows = _content(payload)
    return _rows(total, rows, number, upstream_zone, server_zone)


def is_past_the_end(answer: Answer, number: int) -> bool:
    """Tell whether the answer to page `number` only means that the pages are over."""
    return answer.status == 400 and number > 1 and _code(_object(answer.body)) == PARAMETERS_CODE


def is_worth_another_try(answer: Answer) -> bool:
    """Tell whether the answer means overload, which passes, and not a refusal under such a status."""
    return answer.status in PASSING and _code(_object(answer.body)) not in (COOKIE_CODE, USER_AGENT_CODE)


def _refusal(answer: Answer, code: str, cookie: str) -> UpstreamFailure | None:
    """Name the failure that status, code or form of the answer tell, None where its JSON is to be read."""
    looks_like_html = answer.body[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    if code == COOKIE_CODE or answer.status == 401 or (answer.status == 200 and looks_like_html):
        return UpstreamFailure("cookie_expired", f"The upstream did not accept the cookie: {PASTE_AGAIN}.")
    if code == USER_AGENT_CODE:
        return _user_agent_refused()
    if answer.status == 200:
        return None
    if 300 <= answer.status < 400:
        return _redirected(answer, cookie)
    if answer.status == 431 or (answer.status == 400 and TOO_LARGE.search(answer.body)):
        return _cookie_too_large()
    return UpstreamFailure("api", concealed(_plain_refusal(answer.status, code), cookie))


def _user_agent_refused() -> UpstreamFailure:
    return UpstreamFailure(
        "api",
        "The upstream refused the user agent, not the cookie: "
        "user_agent must be exactly that of the browser which signed in (code 10085).",
    )


def _cookie_too_large() -> UpstreamFailure:
    return UpstreamFailure(
        "api",
        "The cookie is too large for the upstream, which takes about 8 KB: paste it with the cookies session and "
        "session_2 and leave out the others, first of all those of analytics (such as _ga, _gid, Hm_lvt).",
    )


def _redirected(answer: Answer, cookie: str) -> UpstreamFailure:
    try:
        target = urlsplit(answer.location)
        host = target.hostname or "itself"
    except ValueError:
        return _broken(f"HTTP {answer.status} leads to no readable address")
    names = {segment.partition(".")[0] for segment in target.path.lower().split("/")} | {host.partition(".")[0]}
    if "/auth/realms/" in target.path or names & LOGIN_NAMES:
        return UpstreamFailure("cookie_expired", f"The upstream asks for a new sign-in: {PASTE_AGAIN}.")
    leads = f"leads to {concealed(host, cookie)}" if answer.location else "leads nowhere"
    return UpstreamFailure("api", f"The upstream's answer {leads} (HTTP {answer.status}): check api_base and api_path.")


def _plain_refusal(status: int, code: str) -> str:
    if status in (404, 405):
        return f"The upstream knows no such address (HTTP {status}): check api_path and the host in api_base."
    if status == 400 and code == PARAMETERS_CODE:
        return "The upstream calls the parameters of the request invalid (code 10001)."
    if status == 403:
        return (
            "The upstream forbids the request (HTTP 403): check user_agent, and that this machine is not blocked there."
        )
    return f"The upstream refused the request (HTTP {status}{f', code {code[:40]}' if code else ''})."


def _broken(why: str) -> UpstreamFailure:
    return UpstreamFailure("api", f"The upstream's answer is broken: {why}.")


def concealed(text: str, cookie: str) -> str:
    """Give text on one line, at most 200 characters, without any value of the cookie."""
    for pair in cookie.split(";"):
        value = pair.partition("=")[2] or pair
        for part in re.split(r"[|,=\s]+", f"{value.strip()}|{unquote(value)}"):
            if len(part) >= 6:
                text = re.sub(re.escape(part), "…", text, flags=re.IGNORECASE)
    return " ".join(text.split())[:MAX_LABEL]


def _object(body: bytes) -> dict[str, object] | None:
    """Read a JSON object; its numbers stay text, so that no size of number can break a page."""
    try:
        found = json.loads(
            body.decode("utf-8-sig", "replace"), strict=False, parse_float=str, parse_int=str, parse_constant=str
        )
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _code(payload: Mapping[str, object] | None) -> str:
    code = payload.get("code") if payload else None
    return code.strip() if isinstance(code, str) else ""


def _content(payload: Mapping[str, object]) -> tuple[int, list[object]]:
    data = payload.get("data")
    if data is None:
        return 0, []
    if not isinstance(data, dict):
        raise _broken("its data is not an object")
    rows, total = data.get("data"), data.get("total")
    if rows is None:
        rows = []
    if not isinstance(rows, list):
        raise _broken("its rows are not a list")
    if total is None and not rows:
        return 0, []
    count = _number(total)
    if count is None or not 0 <= count <= MAX_TOTAL or count != int(count):
        raise _broken("its total is not a count")
    return int(count), rows


def _rows(total: int, rows: list[object], number: int, upstream_zone: ZoneInfo, server_zone: ZoneInfo) -> Rows:
    records: list[IncomingRecord] = []
    skipped: list[str] = []
    nameless = 0
    for place, row in enumerate(rows, 1):
        try:
            records.append(read_row(row, upstream_zone, server_zone))
        except UnreadableRow as error:
            nameless += isinstance(error, MissingRequestId)
            skipped.append(f"row {place} of page {number}: {error}")
    if rows and nameless == len(rows):
        raise _broken("none of its rows has a requestId")
    return Rows(records, total, len(rows), skipped)


def read_row(row: object, upstream_zone: ZoneInfo, server_zone: ZoneInfo) -> IncomingRecord:
    """Turn one row, its numbers as numbers or as text, into a record in the server's terms; raises UnreadableRow."""
    if not isinstance(row, dict):
        raise UnreadableRow("it is not an object")
    request_id = _text(row.get("requestId")).strip()
    if not request_id:
        raise MissingRequestId("requestId is missing")
    if len(request_id) > MAX_REQUEST_ID:
        raise UnreadableRow(f"requestId is longer than {MAX_REQUEST_ID} characters")
    whole = _text(row.get("input"))
    prompt = whole or _text(row.get("inputTrunc"))
    return IncomingRecord(
        request_id=request_id,
        credits_micro=credits_micro(row.get("credit")),
        model=_text(row.get("model"))[:MAX_LABEL],
        client=_text(row.get("client"))[:MAX_LABEL],
        ts=server_time(row.get("requestTime"), upstream_zone, server_zone),
        prompt=prompt,
        prompt_truncated=bool(prompt and not whole),
        agent_purpose=_text(row.get("agentPurpose"))[:MAX_LABEL],
    )


def credits_micro(value: object) -> int:
    """Give credits in whole millionths, rounded half to even; raises UnreadableRow."""
    number = _number(value)
    if number is None:
        raise UnreadableRow("credit is not a finite number")
    if abs(number) > MAX_CREDITS:
        raise UnreadableRow("credit is above 1e9 in size")
    return int(number.quantize(MILLIONTH, ROUND_HALF_EVEN).scaleb(6))


def server_time(value: object, upstream_zone: ZoneInfo, server_zone: ZoneInfo) -> str:
    """Turn the upstream's wall clock, epoch seconds or milliseconds into `YYYY-MM-DD HH:MM:SS` in the server's zone."""
    try:
        instant = _instant(value, upstream_zone)
        return instant.astimezone(server_zone).replace(tzinfo=None).isoformat(" ", "seconds")
    except (ValueError, OverflowError):
        raise UnreadableRow("requestTime cannot be read") from None


def _instant(value: object, upstream_zone: ZoneInfo) -> datetime:
    epoch = _number(value)
    if epoch is None:
        text = _text(value).strip()
        if len(text) < len("2026-09-07 23:42"):
            raise ValueError("no time of day")
        told = datetime.fromisoformat(text)
        return told if told.tzinfo else told.replace(tzinfo=upstream_zone)
    if 10**12 <= epoch < 10**14:
        epoch /= 1000
    if not 10**9 <= epoch < 10**11:
        raise ValueError("neither seconds nor milliseconds of this age")
    return datetime.fromtimestamp(int(epoch), UTC)


def _number(value: object) -> Decimal | None:
    """Read a finite number from a number or its text, None where there is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    text = str(value).strip()
    try:
        return Decimal(text) if NUMBER.fullmatch(text) else None
    except InvalidOperation:
        return None


def _text(value: object) -> str:
    """Give text as it is, but for what no database stores: NUL and lone surrogates become U+FFFD."""
    text = value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""
    if text.isascii():
        return text.replace("\x00", "\ufffd")
    return UNSTORABLE.sub("\ufffd", text) if "\x00" in text or not _encodable(text) else text


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def session_expiry(cookie: str) -> datetime | None:
    """Read the end of the session from `session=<id>|<expiry, epoch seconds>|<hash>`, None where it tells none."""
    for part in cookie.split(";"):
        name, _, value = part.partition("=")
        fields = unquote(value.strip().strip('"')).split("|")
        if name.strip() == "session" and len(fields) == 3 and re.fullmatch(r"[0-9]{10}", fields[1]):
            return datetime.fromtimestamp(int(fields[1]), UTC)
    return None
