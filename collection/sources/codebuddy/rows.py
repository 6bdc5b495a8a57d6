"""Turning the rows of an answer into records, with times in the server's zone. Pure functions."""

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.failures import code_of, refusal, secrets_of
from collection.sources.over_http.answer_json import payload_of
from collection.sources.over_http.concealment import MAX_WORDS, concealed
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.request_ids import id_of
from collection.sources.over_http.rows_of_answer import Rows, read_rows
from collection.sources.over_http.unusable import broken, unknown_form
from collection.sources.source import UnusableAnswer
from usage.incoming.record import IncomingRecord
from usage.incoming.values import UnreadableRow, amount, label, number, server_time, text

MAX_TOTAL = 1_000_000_000
# Twice the largest page that was requested from the upstream with success.
MAX_ROWS = 10_000
# Without these a row has another form.
_KEYS = {"requestId", "credit", "requestTime"}
_GOOD_CODES = {0, 200}


def read_answer(answer: Answer, page: int, upstream_zone: ZoneInfo, server_zone: ZoneInfo, cookie: str) -> Rows:
    """Give the rows of a page; raises SourceFailure for each case of docs/upstream.md#failures.

    `cookie` is needed only to keep it out of the message if the upstream repeats it.
    """
    payload = good_payload(answer, cookie)
    if "data" in payload and payload["data"] is None:
        return Rows([], 0, 0, [], is_counted=False)
    total, rows = _content(payload, cookie)
    found = read_rows(
        total,
        rows,
        page,
        lambda row: read_row(row, upstream_zone, server_zone),
        lambda row: _time_of(row, upstream_zone, server_zone)[:10],
    )
    if rows and not found.records and (len(rows) > 1 or found.without_id or not _is_of_known_form(rows[0])):
        all_without_id = found.without_id == len(rows)
        why = Message("no_row_with_id") if all_without_id else Message("no_row_readable")
        raise unknown_form(why, payload, secrets_of(cookie))
    return found


def good_payload(answer: Answer, cookie: str) -> Mapping[str, object]:
    """The JSON of an answer that is no refusal; raises SourceFailure for each case of docs/upstream.md#failures."""
    payload = payload_of(answer.body)
    code = code_of(payload)
    refused = refusal(answer, code, cookie)
    if refused:
        raise refused
    if payload is None:
        raise broken(Message("answer_not_object"))
    if not code:
        raise unknown_form(Message("code_missing"), payload, secrets_of(cookie))
    if number(code) not in _GOOD_CODES:
        raise UnusableAnswer("api", _refused(code, text(payload.get("msg")), cookie))
    return payload


def _refused(code: str, words: str, cookie: str) -> Message:
    shown = concealed(code, secrets_of(cookie))[:40]
    answer = concealed(words, secrets_of(cookie))[: MAX_WORDS - len(shown)] or "-"
    return Message("request_refused_in_words", upstream_code=shown, answer=answer)


def _content(payload: Mapping[str, object], cookie: str) -> tuple[int, list[object]]:
    """Give the count and the rows; only an answer that has both can prove that there is nothing."""
    data = payload.get("data")
    if not isinstance(data, dict):
        raise unknown_form(Message("data_not_object"), payload, secrets_of(cookie))
    count = number(data.get("total"))
    if count is None or not 0 <= count <= MAX_TOTAL or count != int(count):
        raise unknown_form(Message("total_not_count"), payload, secrets_of(cookie))
    rows = [] if count == 0 and "data" in data and data["data"] is None else data.get("data")
    if not isinstance(rows, list):
        raise unknown_form(Message("rows_not_list"), payload, secrets_of(cookie))
    if len(rows) > MAX_ROWS:
        raise broken(Message("rows_too_many", count=f"{MAX_ROWS:,}"))
    return int(count), rows


def _is_of_known_form(row: object) -> bool:
    return isinstance(row, dict) and row.keys() >= _KEYS


def _time_of(row: object, upstream_zone: ZoneInfo, server_zone: ZoneInfo) -> str:
    return server_time(row.get("requestTime") if isinstance(row, dict) else None, upstream_zone, server_zone)


def read_row(row: object, upstream_zone: ZoneInfo, server_zone: ZoneInfo) -> IncomingRecord:
    """Turn one row, with numbers as numbers or text, into a record; raises UnreadableRow."""
    if not isinstance(row, dict):
        raise UnreadableRow(Message("row_not_object"))
    request_id = id_of(row.get("requestId"))
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
