"""What the rows of an answer say, as records in the server's terms. Pure functions, no network."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from collection.upstream.failures import (
    GOOD_CODES,
    Answer,
    UpstreamFailure,
    broken,
    code_of,
    concealed,
    payload_of,
    refusal,
)
from usage.incoming_record import IncomingRecord

MAX_REQUEST_ID = 128
MAX_LABEL = 200
MAX_CREDITS = 1_000_000_000
MAX_TOTAL = 1_000_000_000
# Twice what was ever asked for in one page, and seen to work.
MAX_ROWS = 10_000

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
MILLIONTH = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one answer: those that could be read, and why the others could not; `nameless` have no requestId."""

    records: list[IncomingRecord]
    total: int
    received: int
    skipped: list[str]
    nameless: int = 0


class UnreadableRow(ValueError):
    """Why one row is skipped, without any of its content."""


class MissingRequestId(UnreadableRow):
    """The row names no request."""


def read_answer(answer: Answer, number: int, upstream_zone: ZoneInfo, server_zone: ZoneInfo, cookie: str) -> Rows:
    """Give the rows of page `number`; raises UpstreamFailure for each row of the contract's table of failures.

    `cookie` is only there to be kept out of the message, should the upstream repeat it.
    """
    payload = payload_of(answer.body)
    code = code_of(payload)
    refused = refusal(answer, code, cookie)
    if refused:
        raise refused
    if payload is None:
        raise broken("it is not a JSON object")
    if code not in GOOD_CODES:
        said = concealed(f"(code {code[:40] or 'missing'}): {_text(payload.get('msg')) or '-'}", cookie)
        raise UpstreamFailure("api", f"The upstream refused the request {said}")
    total, rows = _content(payload)
    return _rows(total, rows, number, upstream_zone, server_zone)


def _content(payload: Mapping[str, object]) -> tuple[int, list[object]]:
    data = payload.get("data")
    if data is None:
        return 0, []
    if not isinstance(data, dict):
        raise broken("its data is not an object")
    rows, total = data.get("data"), data.get("total")
    if rows is None:
        rows = []
    if not isinstance(rows, list):
        raise broken("its rows are not a list")
    if len(rows) > MAX_ROWS:
        raise broken(f"it holds more than {MAX_ROWS:,} rows")
    if total is None and not rows:
        return 0, []
    count = _number(total)
    if count is None or not 0 <= count <= MAX_TOTAL or count != int(count):
        raise broken("its total is not a count")
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
        raise broken("none of its rows has a requestId")
    return Rows(records, total, len(rows), skipped, nameless)


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
