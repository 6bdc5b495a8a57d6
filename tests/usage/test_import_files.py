"""Files that an import reads: formats, columns, encodings, times."""

import json
from pathlib import Path

import pytest
from django.conf import settings

from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from tests.usage.import_files import HEADER, file_of, reasons_in, records_in, rows_in, values_of
from tests.usage.record_factories import archive, call
from usage.export import csv_file
from usage.filters import NEWEST_FIRST, RecordFilters
from usage.importing.unreadable_file import UnreadableFile

ROW = '"r1",1.5,"why?","glm","ide","2026-09-07 12:30:00"\r\n'
VALUES = ("r1", 1_500_000, "glm", "ide", "2026-09-07 12:30:00", "why?")


@pytest.mark.django_db
@pytest.mark.parametrize("prompt", ["=1+1", "＝SUM(A1)", "@x", "'quoted'", 'a "b"\r\nc', "", "请解释\u2028行"])
def test_an_export_is_read_as_it_was_written(alice: User, tmp_path: Path, prompt: str) -> None:
    archive(alice, call("-r1", prompt=prompt, model="+m"), call("r2"))
    exported = b"".join(csv_file.pieces(alice.pk, RecordFilters(), NEWEST_FIRST))
    first, second = sorted(records_in(file_of(tmp_path, exported)), key=lambda record: record.request_id)
    assert values_of(first) == ("-r1", 1_500_000, "+m", "ide", "2026-09-07 12:30:00", prompt)
    assert second.request_id == "r2"


@pytest.mark.django_db
def test_purposes_of_an_export_are_read(alice: User, tmp_path: Path) -> None:
    archive(alice, call("r1", agent_purpose="=plan"), call("r2"))
    exported = b"".join(csv_file.pieces(alice.pk, RecordFilters(), NEWEST_FIRST, purpose=True))
    records = records_in(file_of(tmp_path, exported))
    assert {record.request_id: record.agent_purpose for record in records} == {"r1": "=plan", "r2": ""}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_encodings_are_recognised(tmp_path: Path, encoding: str) -> None:
    assert [values_of(each) for each in records_in(file_of(tmp_path, (HEADER + ROW).encode(encoding)))] == [VALUES]


@pytest.mark.parametrize(
    "header",
    [
        "request_id;credits;prompt;model;client;ts",
        "Request ID\tCredit\tInput\tModel Name\tApp\tTimestamp",
        "请求ID,积分,提示词,模型名称,客户端,请求时间",
        "リクエストID,クレジット,プロンプト,モデル,クライアント,日時",
        "Anfrage-ID,Guthaben,Eingabe,Modell,Programm,Zeit",
    ],
)
def test_columns_are_recognised_by_name(tmp_path: Path, header: str) -> None:
    sign = next(sign for sign in ";\t," if sign in header)
    row = sign.join(["r1", "1.5", "why?", "glm", "ide", "2026-09-07 12:30:00"])
    assert [values_of(each) for each in records_in(file_of(tmp_path, f"{header}\n{row}\n"))] == [VALUES]


def test_columns_can_be_named_by_hand(tmp_path: Path) -> None:
    source = file_of(tmp_path, "a,b,c,id\nr1,1,2026-09-07 12:30:00,9\n")
    [record] = records_in(source, request_id="a", credits="b", time="c")
    assert (record.request_id, record.amount) == ("r1", 1_000_000)


def test_missing_columns_are_named_with_those_to_choose_from(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile) as refused:
        rows_in(file_of(tmp_path, "a,credits,c\nr1,1,2\n"))
    assert refused.value.message == "No column is recognised for: request_id, time. Name the columns by hand."
    assert refused.value.extra["headers"] == ["a", "credits", "c"]
    assert refused.value.extra["columns"]["credits"] == "credits"


def test_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ApiError, match="no column 'z'"):
        rows_in(file_of(tmp_path, HEADER + ROW), request_id="z")


READABLE = {"request_id": "r1", "credits": 1.5, "model": "glm", "client": "ide", "ts": VALUES[4], "prompt": "why?"}


@pytest.mark.parametrize(
    "document",
    [
        json.dumps([READABLE]),
        json.dumps({"total": 1, "items": [READABLE], "page": 1}, indent=1),
        json.dumps({"manifest": {"a": [1]}, "records": [READABLE]}),
        json.dumps({"code": 0, "data": {"total": 1, "data": [READABLE]}}),
        f"{json.dumps(READABLE)}\n\n",
    ],
)
def test_json_is_read_in_each_of_its_shapes(tmp_path: Path, document: str) -> None:
    assert [values_of(each) for each in records_in(file_of(tmp_path, document, "calls.json"))] == [VALUES]


def test_rows_of_the_upstream_are_read_as_the_collector_reads_them(tmp_path: Path) -> None:
    row = {
        "requestId": "r1", "credit": "0.1", "model": "glm", "client": "ide", "requestTime": "2026-09-07 12:30:00",
        "inputTrunc": "why", "agentPurpose": "conversation",
    }  # fmt: skip
    excerpt, whole = records_in(
        file_of(tmp_path, json.dumps({"data": {"data": [row, {**row, "requestId": "r2", "input": "why?"}]}}))
    )
    # Berlin is six hours behind Shanghai in summer.
    assert (excerpt.ts, excerpt.prompt, excerpt.prompt_truncated) == ("2026-09-07 06:30:00", "why", True)
    assert (whole.prompt, whole.prompt_truncated, whole.agent_purpose) == ("why?", False, "conversation")


def test_a_prompt_of_the_short_form_is_an_excerpt(tmp_path: Path) -> None:
    short = {"id": "r1", "c": 1.5, "m": "glm", "cl": "ide", "t": VALUES[4], "px": "why?"}
    [record] = records_in(file_of(tmp_path, json.dumps({"records": [short]})))
    assert values_of(record) == VALUES
    assert record.prompt_truncated


@pytest.mark.parametrize(
    ("cell", "zone", "ts"),
    [
        ("2026-09-07 12:30:00", "", "2026-09-07 12:30:00"),
        ("2026-09-07 12:30:00", "Asia/Shanghai", "2026-09-07 06:30:00"),
        ("2026/9/7 2:05", "", "2026-09-07 02:05:00"),
        ("2026-09-07T12:30:00.123Z", "Asia/Shanghai", "2026-09-07 14:30:00"),
        ("1788777000", "", "2026-09-07 12:30:00"),
        ("1788777000000", "Asia/Shanghai", "2026-09-07 12:30:00"),
    ],
)
def test_times_become_those_of_the_server(tmp_path: Path, cell: str, zone: str, ts: str) -> None:
    assert settings.TIME_ZONE == "Europe/Berlin"
    [record] = records_in(file_of(tmp_path, f"id,credits,time\nr1,1,{cell}\n"), zone)
    assert record.ts == ts


def test_an_unknown_zone_is_refused(tmp_path: Path) -> None:
    for zone in ("Mars/Base", "../etc/passwd", "\0"):
        with pytest.raises(ApiError, match="is not a known time zone"):
            rows_in(file_of(tmp_path, HEADER + ROW), zone)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (",1,2026-09-07 12:30:00", "requestId is missing"),
        (f"{'r' * 129},1,2026-09-07 12:30:00", f"id '{'r' * 40}…': requestId is longer than 128 characters"),
        ("r1,much,2026-09-07 12:30:00", "credits 'much': credit is not a finite number"),
        ("r1,NaN,2026-09-07 12:30:00", "credits 'NaN': credit is not a finite number"),
        ("r1,1e999,2026-09-07 12:30:00", "credits '1e999': credit is above 1e6 in size"),
        (f"r1,{'9' * 5000},2026-09-07 12:30:00", f"credits '{'9' * 40}…': credit is above 1e6 in size"),
        ("r1,=1+1,2026-09-07 12:30:00", "credits '=1+1': credit is not a finite number"),
        ("r1,1,yesterday", "time 'yesterday': requestTime cannot be read"),
        ("r1,1,2026-02-30 12:30:00", "time '2026-02-30 12:30:00': requestTime cannot be read"),
        ("r1,1,0001-01-01 00:00:00", "time '0001-01-01 00:00:00': requestTime cannot be read"),
        ("r1,1", "it has 2 of 3 columns"),
        ("r\0,1,2026-09-07 12:30:00", "it holds a NUL character"),
    ],
)
def test_a_row_that_cannot_be_read_has_a_reason(tmp_path: Path, row: str, reason: str) -> None:
    good = "r0,1,2026-09-07 12:30:00"
    source = file_of(tmp_path, f"id,credits,time\n{good}\n{row}\n{good}\n")
    assert reasons_in(source) == [(3, reason)]


@pytest.mark.parametrize("end", ['"hello\n', '"cut o', '"closed" and more\n'])
def test_a_quote_that_does_not_end_is_said(tmp_path: Path, end: str) -> None:
    good = "r0,1,2026-09-07 12:30:00,why"
    source = file_of(tmp_path, f"id,credits,time,prompt\n{good}\nr1,1,2026-09-07 12:30:00,{end}")
    [(row, reason)] = reasons_in(source)
    assert (row, reason.partition(";")[0]) == (3, "its quotes are wrong, or a field is too long")


def test_a_json_row_without_id_is_unreadable(tmp_path: Path) -> None:
    source = file_of(tmp_path, json.dumps([READABLE, {"credits": 1}, 7, {**READABLE, "request_id": None}]))
    assert [reason for _, reason in reasons_in(source)] == [
        "it lacks the request id, the credits or the time", "it is not an object", "requestId is missing",
    ]  # fmt: skip


def test_a_line_that_is_no_json_is_unreadable(tmp_path: Path) -> None:
    line = json.dumps(READABLE)
    assert reasons_in(file_of(tmp_path, f"{line}\n{{broken\n{'[' * 100_000}\n{line}\n")) == [
        (2, "it is not valid JSON"), (3, "it is nested too deep"),
    ]  # fmt: skip
