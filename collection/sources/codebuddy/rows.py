"""Turning the rows of an answer into records, with times in the server's zone. Pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.answer_json import code_of, payload_of
from collection.sources.codebuddy.failures import (
    MAX_WORDS,
    Answer,
    broken,
    concealed,
    refusal,
    unknown_form,
)
from collection.sources.source import UnusableAnswer
from usage import incoming_values
from usage.importing.request_ids import is_placeholder
from usage.incoming_record import IncomingRecord
from usage.incoming_values import MissingRequestId, UnreadableRow, amount, label, number, server_time, text

MAX_TOTAL = 1_000_000_000
# Twice the largest page that was requested from the upstream with success.
MAX_ROWS = 10_000
# Without these a row has another form.
_KEYS = {"requestId", "credit", "requestTime"}
_GOOD_CODES = {0, 200}


@dataclass(frozen=True, slots=True)
class Rows:
    """The readable rows of one answer, and a message for each other; `without_id` of these have no requestId.

    Where several rows have one id, the one that counts is the last of them; `repeated` are the others. Without
    `is_counted` the answer has no count, so it proves nothing about calls that it lacks. `unread_days` are the days of
    the rows that cannot be read, in the server's zone, empty where the time is what cannot be read.
    """

    records: list[IncomingRecord]
    total: int
    received: int
    skipped: list[Message]
    without_id: int = 0
    repeated: int = 0
    is_counted: bool = True
    unread_days: tuple[str, ...] = ()


def read_answer(answer: Answer, page: int, upstream_zone: ZoneInfo, server_zone: ZoneInfo, cookie: str) -> Rows:
    """Give the rows of a page; raises SourceFailure for each case of docs/upstream.md#failures.

    `cookie` is needed only to keep it out of the message if the upstream repeats it.
    """
    payload = payload_of(answer.body)
    code = code_of(payload)
    refused = refusal(answer, code, cookie)
    if refused:
        raise refused
    if payload is None:
        raise broken(Message("answer_not_object"))
    if not code:
        raise unknown_form(Message("code_missing"), payload, cookie)
    if number(code) not in _GOOD_CODES:
        raise UnusableAnswer("api", _refused(code, text(payload.get("msg")), cookie))
    if "data" in payload and payload["data"] is None:
        return Rows([], 0, 0, [], is_counted=False)
    total, rows = _content(payload, cookie)
    found = _rows(total, rows, page, upstream_zone, server_zone)
    if rows and not found.records and (len(rows) > 1 or found.without_id or not _is_of_known_form(rows[0])):
        all_without_id = found.without_id == len(rows)
        why = Message("no_row_with_id") if all_without_id else Message("no_row_readable")
        raise unknown_form(why, payload, cookie)
    return found


def _refused(code: str, words: str, cookie: str) -> Message:
    shown = concealed(code, cookie)[:40]
    answer = concealed(words, cookie)[: MAX_WORDS - len(shown)] or "-"
    return Message("request_refused_in_words", upstream_code=shown, answer=answer)


def _content(payload: Mapping[str, object], cookie: str) -> tuple[int, list[object]]:
    """Give the count and the rows; only an answer that has both can prove that there is nothing."""
    data = payload.get("data")
    if not isinstance(data, dict):
        raise unknown_form(Message("data_not_object"), payload, cookie)
    count = number(data.get("total"))
    if count is None or not 0 <= count <= MAX_TOTAL or count != int(count):
        raise unknown_form(Message("total_not_count"), payload, cookie)
    rows = [] if count == 0 and "data" in data and data["data"] is None else data.get("data")
    if not isinstance(rows, list):
        raise unknown_form(Message("rows_not_list"), payload, cookie)
    if len(rows) > MAX_ROWS:
        raise broken(Message("rows_too_many", count=f"{MAX_ROWS:,}"))
    return int(count), rows


def _is_of_known_form(row: object) -> bool:
    return isinstance(row, dict) and row.keys() >= _KEYS


def _rows(total: int, rows: list[object], page: int, upstream_zone: ZoneInfo, server_zone: ZoneInfo) -> Rows:
    records: list[IncomingRecord] = []
    skipped: list[Message] = []
    unread_days: list[str] = []
    without_id = 0
    for place, row in enumerate(rows, 1):
        try:
            records.append(read_row(row, upstream_zone, server_zone))
        except UnreadableRow as error:
            without_id += isinstance(error, MissingRequestId)
            skipped.append(Message("row_skipped", row=place, number=page, why=error.why))
            unread_days.append(_day(row, upstream_zone, server_zone))
    repeated = len(records) - len({record.request_id for record in records})
    if repeated:
        # One answer does not show which of two values is newer: the larger one counts, in whatever order they come.
        records.sort(key=lambda record: record.rank)
    return Rows(records, total, len(rows), skipped, without_id, repeated, unread_days=tuple(unread_days))


def _day(row: object, upstream_zone: ZoneInfo, server_zone: ZoneInfo) -> str:
    """Give the day of a row that cannot be read, empty if it has none."""
    try:
        return server_time(row.get("requestTime"), upstream_zone, server_zone)[:10] if isinstance(row, dict) else ""
    except UnreadableRow:
        return ""


def read_row(row: object, upstream_zone: ZoneInfo, server_zone: ZoneInfo) -> IncomingRecord:
    """Turn one row, with numbers as numbers or text, into a record; raises UnreadableRow."""
    if not isinstance(row, dict):
        raise UnreadableRow(Message("row_not_object"))
    request_id = _request_id(row.get("requestId"))
    whole = _text(row.get("input"))
    prompt = whole or _text(row.get("inputTrunc"))
    return IncomingRecord(
        request_id=request_id,
        amount=amount(row.get("credit")),
        model=label(_text(row.get("model"))),
        client=label(_text(row.get("client"))),
        ts=server_time(row.get("requestTime"), upstream_zone, server_zone),
        prompt=prompt,
        prompt_truncated=bool(prompt and not whole),
        agent_purpose=label(_text(row.get("agentPurpose"))),
        prompt_given=row.get("input") is not None or row.get("inputTrunc") is not None,
    )


def _text(value: object) -> str:
    """Give a text; a switch is none."""
    return "" if isinstance(value, bool) else text(value)


def _request_id(value: object) -> str:
    if isinstance(value, dict | list | bool):
        raise UnreadableRow(Message("request_id_not_text"))
    found = incoming_values.request_id(value)
    if "\ufffd" in found:
        # Two ids may differ in what stands here for them.
        raise UnreadableRow(Message("request_id_damaged"))
    if is_placeholder(found):
        # What a program writes where it has no id costs its row only; a missing id breaks the answer.
        raise UnreadableRow(Message("request_id_missing"))
    return found
