"""Files whose form is odd: empty answers, other lists, lines before the names, files put together or cut."""

import json
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from collection.transfer.import_run import preview
from tests.usage.import_files import file_of, reasons_in, records_in, rows_in
from usage.importing.file_format import Options, calls_of
from usage.importing.unreadable_file import UnreadableFile

NAMES = "request_id,credits,time\n"
NOON = "2026-11-20 12:30:00"
FIRST, SECOND = f"a1,1,{NOON}\n", f"a2,2,{NOON}\n"
ROW = {"requestId": "a1", "credit": 1, "requestTime": NOON}
FULL = {"code": 0, "msg": "OK", "requestId": "q1", "data": {"total": 1, "data": [ROW]}}


def lines(*values: Any) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def ids_in(tmp_path: Path, content: str) -> list[str]:
    return [record.request_id for record in records_in(file_of(tmp_path, content))]


@pytest.mark.parametrize(
    "empty",
    [
        {"code": 0, "data": None},
        {"code": 0, "requestId": "q2", "data": None},
        {"code": 200, "data": {}},
        {"code": 0, "data": []},
        {"code": "0", "data": {"total": 0, "data": None}},
        {"page": 3, "items": None},
        [],
    ],
)
def test_an_empty_answer_beside_full_ones_is_no_row(tmp_path: Path, empty: object) -> None:
    assert ids_in(tmp_path, json.dumps([empty, FULL])) == ["a1"]
    assert ids_in(tmp_path, json.dumps({"rows": [FULL, empty]})) == ["a1"]
    assert ids_in(tmp_path, lines(empty, FULL) + lines(empty)) == ["a1"]


@pytest.mark.parametrize("other", [{"code": 500, "data": None}, {"credits": 5, "time": NOON, "data": None}, {"a": 1}])
def test_what_failed_or_lacks_a_field_is_no_empty_answer(tmp_path: Path, other: object) -> None:
    assert reasons_in(file_of(tmp_path, lines(other, FULL))) == [
        (1, "it lacks the request id, the credits or the time")
    ]


@pytest.mark.parametrize(
    "document",
    [
        {"items": ["page 1"], "data": [ROW]},
        {"items": [{"page": 1}], "data": [ROW]},
        {"list": [1, 2], "records": [{"x": 1}], "data": {"items": ["x"], "data": [ROW]}},
        {"rows": [["page"]], "data": {"data": [ROW]}},
    ],
)
def test_the_list_that_has_calls_is_read(tmp_path: Path, document: object) -> None:
    assert ids_in(tmp_path, json.dumps(document)) == ["a1"]
    assert ids_in(tmp_path, json.dumps([document, {**FULL, "data": []}])) == ["a1"]
    assert ids_in(tmp_path, lines(document, document)) == ["a1", "a1"]


@pytest.mark.parametrize("rows", [[ROW], {"total": 1, "data": [ROW]}])
def test_an_answer_that_looks_like_a_call_is_the_calls_in_it(tmp_path: Path, rows: object) -> None:
    answer = {**ROW, "requestId": "q", "credit": 9, "data": rows}
    assert ids_in(tmp_path, lines(answer, answer)) == ["a1", "a1"]
    assert ids_in(tmp_path, json.dumps([answer])) == ["a1"]


def test_a_call_with_a_list_of_something_else_is_a_call(tmp_path: Path) -> None:
    assert ids_in(tmp_path, lines({**ROW, "items": [{"n": 1}]})) == ["a1"]


def test_lines_that_are_lists_of_calls_are_read(tmp_path: Path) -> None:
    assert ids_in(tmp_path, lines([ROW], [ROW, ROW])) == ["a1"] * 3
    assert ids_in(tmp_path, json.dumps([[ROW], [], [ROW]])) == ["a1"] * 2


@pytest.mark.parametrize(
    "before",
    [
        *("[WorkBuddy] usage", "<usage report>", "{report}", "[2026-11-20]", "[1]", "{}", "[ ]", "<table of usage>"),
        *('["x"] report', "[null]", "{usage}: 3", "<2026>"),
    ],
)
@pytest.mark.django_db
def test_a_line_before_the_names_may_begin_like_another_form(alice: User, tmp_path: Path, before: str) -> None:
    found = preview(alice, file_of(tmp_path, f"{before}\n{NAMES}{FIRST}"), Options({}))
    assert (found.format, found.rows) == ("csv", 1)


@pytest.mark.parametrize(
    "page",
    [
        "<!DOCTYPE html><p>",
        "<html lang='en'>",
        "\n<table>",
        "<?xml version='1.0'?>",
        "<TABLE border=1>",
        "<!-- x",
    ],
)
@pytest.mark.django_db
def test_a_page_gets_words_that_say_how_to_save_it(alice: User, tmp_path: Path, page: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        with pytest.raises(UnreadableFile, match="It is a workbook"):
            preview(alice, file_of(tmp_path, f"{page}\n{NAMES}{FIRST}".encode(encoding)), Options({}))


@pytest.mark.parametrize(
    "again",
    [
        NAMES,
        f"\ufeff{NAMES}",
        '"request_id","credits","time"\n',
        "Request ID, Credits ,Time\n",
        "编号ID,积分,时间\n",
        f"\n{NAMES}",
    ],
)
def test_names_that_come_again_are_no_row(tmp_path: Path, again: str) -> None:
    content = f"{NAMES}{FIRST}{again.replace('编号ID', '请求ID')}{SECOND}"
    assert ids_in(tmp_path, content) == ["a1", "a2"]


def test_names_in_another_order_refuse_the_file(tmp_path: Path) -> None:
    other = f"request_id,credits,time,client,model\na2,1,{NOON},ide,glm\n"
    with pytest.raises(UnreadableFile, match="Its row 3 names the columns in another order"):
        rows_in(file_of(tmp_path, f"request_id,credits,time,model,client\na1,1,{NOON},glm,ide\n{other}"))


@pytest.mark.parametrize("row", [",,\n", " , ,\n", ",,,,,,\n", '"","",""\n', ",\n", "\u3000,\u00a0,\n"])
def test_a_row_of_empty_cells_is_passed(tmp_path: Path, row: str) -> None:
    [_, (number, record)] = rows_in(file_of(tmp_path, f"{NAMES}{FIRST}{row}{SECOND}"))
    assert (number, getattr(record, "request_id", "")) == (4, "a2")


@pytest.mark.parametrize("cut", ["a2", "a2,2", "a2,2,", "a2,2,2026-11-2", 'a2,2,"2026-11-20 12:'])
def test_a_file_that_breaks_off_is_said_to(tmp_path: Path, cut: str) -> None:
    [(number, reason)] = reasons_in(file_of(tmp_path, f"{NAMES}{FIRST}{cut}"))
    assert number == 3
    assert reason.endswith("; the file may end in the middle of this row")


def test_lines_of_json_that_break_off_are_said_to(tmp_path: Path) -> None:
    [(number, reason)] = reasons_in(file_of(tmp_path, lines(ROW, ROW)[:-9]))
    assert (number, reason) == (2, "it is not valid JSON; the file may end in the middle of this row")


@pytest.mark.parametrize("cut", [1, 2, 3, 10, 30, 60])
def test_a_document_that_breaks_off_is_refused_as_not_whole(tmp_path: Path, cut: int) -> None:
    with pytest.raises(UnreadableFile, match="The file is not whole: its JSON breaks off at character"):
        rows_in(file_of(tmp_path, json.dumps([ROW, {**ROW, "input": None}])[:-cut]))


@pytest.mark.parametrize("last", ["合计,3,", "N/A,1,2026-11-20 12:30:00"])
def test_a_last_row_that_is_left_out_for_another_reason_does_not_break_off(tmp_path: Path, last: str) -> None:
    [(_, reason)] = reasons_in(file_of(tmp_path, f"{NAMES}{FIRST}{last}"))
    assert "the file may end" not in reason


def test_a_bad_row_before_the_last_one_does_not_break_off(tmp_path: Path) -> None:
    with calls_of(file_of(tmp_path, f"{NAMES}a1,1\n{SECOND.strip()}"), Options({})) as calls:
        assert len(list(calls.rows)) == 2
    assert reasons_in(file_of(tmp_path, f"{NAMES}a1,1\n{SECOND.strip()}")) == [(2, "it has 2 of 3 columns")]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("between", ["", " ", "\n", ",\n", "\n,\n"])
@pytest.mark.parametrize("end", ["", ",\n"])
@pytest.mark.parametrize("form", ["answers", "arrays", "calls", "mixed"])
def test_values_one_behind_the_other_are_read(
    tmp_path: Path, form: str, indent: int | None, between: str, end: str
) -> None:
    calls = [{"requestId": f"r{n}", "credit": n, "requestTime": "2026-11-20 12:30:17", "input": "}{"} for n in range(6)]
    pages = [calls[:2], [], calls[2:]]
    values: dict[str, list[Any]] = {
        "answers": [{"code": 0, "data": {"total": 6, "data": page}} for page in pages],
        "arrays": pages,
        "calls": calls,
        "mixed": [{"items": calls[:2]}, calls[2:4], *calls[4:]],
    }
    content = between.join(json.dumps(value, indent=indent) for value in values[form]) + end
    assert [record.request_id for record in records_in(file_of(tmp_path, content))] == [f"r{n}" for n in range(6)]
