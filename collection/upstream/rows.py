"""Turning the rows of an answer into records, with times in the server's zone. Pure functions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from collection.upstream.failures import (
    GOOD_CODES,
    MAX_WORDS,
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
# Twice the largest page that was requested from the upstream with success.
MAX_ROWS = 10_000

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
MILLIONTH = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Rows:
    """The readable rows of one answer, and a message for each other; `nameless` of these have no requestId."""

    records: list[IncomingRecord]
    total: int
    received: int
    skipped: list[Message]
    nameless: int = 0


class UnreadableRow(ValueError):
    """The reason for skipping a row, without any of its content."""

    def __init__(self, why: Message):
        super().__init__(why)
        self.why = why


class MissingRequestId(UnreadableRow):
    """The row has no requestId."""


def read_answer(answer: Answer, number: int, upstream_zone: ZoneInfo, server_zone: ZoneInfo, cookie: str) -> Rows:
    """Give the rows of page `number`; raises UpstreamFailure for each case of docs/upstream.md#failures.

    `cookie` is needed only to keep it out of the message if the upstream repeats it.
    """
    payload = payload_of(answer.body)
    code = code_of(payload)
    refused = refusal(answer, code, cookie)
    if refused:
        raise refused
    if payload is None:
        raise broken(Message("answer_not_object"))
    if code not in GOOD_CODES:
        raise UpstreamFailure("api", _refused(code, _text(payload.get("msg")), cookie))
    total, rows = _content(payload)
    return _rows(total, rows, number, upstream_zone, server_zone)


def _refused(code: str, words: str, cookie: str) -> Message:
    shown = concealed(code[:40], cookie) or "missing"
    answer = concealed(words, cookie)[: MAX_WORDS - len(shown)] or "-"
    return Message("request_refused_in_words", upstream_code=shown, answer=answer)


def _content(payload: Mapping[str, object]) -> tuple[int, list[object]]:
    data = payload.get("data")
    if data is None:
        return 0, []
    if not isinstance(data, dict):
        raise broken(Message("data_not_object"))
    rows, total = data.get("data"), data.get("total")
    if rows is None:
        rows = []
    if not isinstance(rows, list):
        raise broken(Message("rows_not_list"))
    if len(rows) > MAX_ROWS:
        raise broken(Message("rows_too_many", count=f"{MAX_ROWS:,}"))
    if total is None and not rows:
        return 0, []
    count = _number(total)
    if count is None or not 0 <= count <= MAX_TOTAL or count != int(count):
        raise broken(Message("total_not_count"))
    return int(count), rows


def _rows(total: int, rows: list[object], number: int, upstream_zone: ZoneInfo, server_zone: ZoneInfo) -> Rows:
    records: list[IncomingRecord] = []
    skipped: list[Message] = []
    nameless = 0
    for place, row in enumerate(rows, 1):
        try:
            records.append(read_row(row, upstream_zone, server_zone))
        except UnreadableRow as error:
            nameless += isinstance(error, MissingRequestId)
            skipped.append(Message("row_skipped", row=place, number=number, why=error.why))
    if rows and nameless == len(rows):
        raise broken(Message("no_row_with_id"))
    return Rows(records, total, len(rows), skipped, nameless)


def read_row(row: object, upstream_zone: ZoneInfo, server_zone: ZoneInfo) -> IncomingRecord:
    """Turn one row, with numbers as numbers or text, into a record; raises UnreadableRow."""
    if not isinstance(row, dict):
        raise UnreadableRow(Message("row_not_object"))
    request_id = _text(row.get("requestId")).strip()
    if not request_id:
        raise MissingRequestId(Message("request_id_missing"))
    if len(request_id) > MAX_REQUEST_ID:
        raise UnreadableRow(Message("request_id_too_long", most=MAX_REQUEST_ID))
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
        prompt_given=row.get("input") is not None or row.get("inputTrunc") is not None,
    )


def credits_micro(value: object) -> int:
    """Give credits in whole millionths, rounded half to even; raises UnreadableRow."""
    number = _number(value)
    if number is None:
        raise UnreadableRow(Message("credit_not_number"))
    if abs(number) > MAX_CREDITS:
        raise UnreadableRow(Message("credit_too_large"))
    return int(number.quantize(MILLIONTH, ROUND_HALF_EVEN).scaleb(6))


def server_time(value: object, upstream_zone: ZoneInfo, server_zone: ZoneInfo) -> str:
    """Turn the upstream's wall clock, epoch seconds or milliseconds into `YYYY-MM-DD HH:MM:SS` in the server's zone."""
    try:
        instant = _instant(value, upstream_zone)
        return instant.astimezone(server_zone).replace(tzinfo=None).isoformat(" ", "seconds")
    except (ValueError, OverflowError):
        raise UnreadableRow(Message("time_unreadable")) from None


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
    """Read a finite number from a number or its text; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    text = str(value).strip()
    try:
        return Decimal(text) if NUMBER.fullmatch(text) else None
    except InvalidOperation:
        return None


def _text(value: object) -> str:
    """Give the text; NUL and lone surrogates, which databases cannot store, become U+FFFD."""
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
    """Read the end of the session from `session=<id>|<expiry, epoch seconds>|<hash>`, None if it has none."""
    for part in cookie.split(";"):
        name, _, value = part.partition("=")
        fields = unquote(value.strip().strip('"')).split("|")
        if name.strip() == "session" and len(fields) == 3 and re.fullmatch(r"[0-9]{10}", fields[1]):
            return datetime.fromtimestamp(int(fields[1]), UTC)
    return None
