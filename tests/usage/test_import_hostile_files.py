"""Files that were made to harm end in words, in bounded memory and time."""

import io
import json
import random
import tracemalloc
import unicodedata
from pathlib import Path
from unittest import mock

import pytest

from archive_site.lib.stored_message import Message
from tests.usage.import_files import HEADER, file_of, reasons_in, rows_in
from usage.importing import csv_rows, file_source, json_document
from usage.importing.call_row import LeftOut
from usage.importing.file_format import Options, calls_of
from usage.importing.file_source import LINE_LIMIT, Lines, source_at
from usage.importing.unreadable_file import UnreadableFile
from usage.incoming.record import IncomingRecord

CALL = b'[{"id":"r1","credits":1,"time":"2026-09-07 12:30:00"}]'
GOOD_LINE = '{"id":"r1","credits":1,"time":"2026-09-07 12:30:00"}\n'
GOOD = "r{},1,,,,2026-09-07 12:30:00\r\n"


def refusal_of(tmp_path: Path, content: bytes) -> str:
    with pytest.raises(UnreadableFile) as refused:
        rows_in(file_of(tmp_path, content))
    return refused.value.message


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "The file is empty."),
        (b"\xef\xbb\xbf \r\n", "The file is empty."),
        (b"\x7fELF\x02\x01\x01\0\0\0" * 50, "It is not a text file."),
        (b"\0" * 5000, "It is not a text file."),
        ("id,credits,time\n".encode("utf-16-le"), "It is not a text file."),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(1, 256)) * 9, "Its encoding is not recognised. Choose one:"),
        (b"\xff\xfei\0d\0,", "It is neither CSV nor JSON"),
        (b"id,credits,time\n\xff\xff\xff\n", "Its encoding is not recognised. Choose one:"),
        (b"hello\nworld\n", "It is neither CSV nor JSON"),
        (b'"' * 9, "It is neither CSV nor JSON"),
        (b"id,id,credits,time\n", "Two of its columns have the same name."),
        (b"[" * 200_000, "Its JSON is nested too deep."),
        (b'{"a":' * 200_000, "Its JSON is nested too deep."),
        (b"[7", "The file is not whole: its JSON breaks off at character 3."),
        (b"[7 8]", "It is not valid JSON from character 4 on."),
        (b'[{"id":1} {"id":2}]', "It is not valid JSON from character 11 on."),
        (b'[{"id":1}, {"id":2}]', "No column is recognised"),
        (b"[]", "It holds no calls."),
        (b"{}", "It holds no list of calls."),
        (b'{"items": {"items": {"items": {"items": {}}}}}', "It holds no list of calls."),
        (b"[1,2,3]", "It holds no calls."),
        (CALL + b" " + CALL + b" 7", "It is not valid JSON from character 111 on."),
        (CALL + b" " + CALL[:-9], "The file is not whole: its JSON breaks off at character"),
        (CALL + b" }}} cut", "It is not valid JSON from character 56 on."),
        (b'{"items": ' + CALL, "The file is not whole: its JSON breaks off at character 65."),
        (b'{"items": ' + CALL + b', "page": 1', "The file is not whole: its JSON breaks off at character 76."),
        (b'{"items": ' + CALL + b", page: 1}", "It is not valid JSON from character 67 on."),
        (b'{"items": ' + CALL + b"}}", "It is not valid JSON from character 66 on."),
    ],
)
def test_what_cannot_be_read_at_all_is_refused_in_words(tmp_path: Path, content: bytes, words: str) -> None:
    assert refusal_of(tmp_path, content).startswith(words)


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    for path, words in ((tmp_path, "It is not a file."), (tmp_path / "none", "There is no such file.")):
        with pytest.raises(UnreadableFile, match=words):
            source_at(path)


def test_a_line_over_the_limit_is_skipped_and_the_next_is_read(tmp_path: Path) -> None:
    content = HEADER + GOOD.format(1) + "x" * (3 * LINE_LIMIT) + "\n" + GOOD.format(2)
    source = file_of(tmp_path, content)
    assert reasons_in(source) == [(3, f"it is longer than {LINE_LIMIT} characters")]
    assert len(rows_in(source)) == 3


def test_a_first_line_over_the_limit_is_refused(tmp_path: Path) -> None:
    assert refusal_of(tmp_path, b"x" * (LINE_LIMIT + 1)).startswith("It is neither CSV nor JSON")


@pytest.mark.thorough
def test_an_open_quote_does_not_swallow_the_file(tmp_path: Path) -> None:
    content = HEADER + 'r1,1,"' + GOOD.format(7) * 200_000
    reasons = reasons_in(file_of(tmp_path, content))
    assert reasons[0] == (2, "its quotes are wrong, or a field is too long")


def test_a_value_over_the_limit_ends_json(tmp_path: Path) -> None:
    content = b'[{"id": "' + b"x" * (3 * LINE_LIMIT)
    assert refusal_of(tmp_path, content).startswith("One of its values is broken, or longer than")


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("start", [HEADER.encode(), b"[", b'{"items": [{"prompt": "'])
def test_a_huge_line_takes_little_memory(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.write(start)
        for _ in range(64):
            file.write(b"x" * 1024 * 1024)
    tracemalloc.start()
    try:
        rows_in(source_at(path))
    except UnreadableFile:
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 48 * 1024 * 1024


# Each value, cell or letter of these takes many times its length in memory.
DENSE = {
    "zeros": "[" + "[" + "0," * 800_000 + "0]," + GOOD_LINE.strip() + "]",
    "zeros in lines": ("[" + "0," * 800_000 + "0]\n") * 2 + GOOD_LINE * 3,
    "keys": "{" + ",".join(f'"{key:x}":0' for key in range(300_000)) + "}\n" + GOOD_LINE * 2,
    "cells": HEADER + ("\u4e00," * 2_000_000 + "\r\n") * 2 + GOOD.format(1),
}


@pytest.mark.thorough
@pytest.mark.parametrize("content", DENSE.values(), ids=DENSE)
def test_dense_rows_take_little_memory_and_no_row_beside_them(tmp_path: Path, content: str) -> None:
    source = file_of(tmp_path, content)
    tracemalloc.start()
    rows = rows_in(source)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 48 * 1024 * 1024
    assert "r1" in [row.request_id for _, row in rows if isinstance(row, IncomingRecord)]


@pytest.mark.thorough
def test_letters_without_words_take_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "letters"
    path.write_bytes(random.Random(1).randbytes(4_000_000).translate(bytes(byte | 0xC0 for byte in range(256))))
    tracemalloc.start()
    with pytest.raises(UnreadableFile):
        rows_in(source_at(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 24 * 1024 * 1024


@pytest.mark.parametrize(
    ("start", "end"),
    [("", "\n"), ("[", "]"), ('{"code": 0, "data": {"items": [', "]}}")],
    ids=["lines", "list", "answer"],
)
def test_a_row_of_json_has_a_limit_of_values_and_not_of_the_signs_in_its_texts(
    tmp_path: Path, start: str, end: str
) -> None:
    good, between = GOOD_LINE.strip(), "," if start else "\n"
    texts = json.dumps('[{,"' * 200)
    signs = good.replace("}", f', "prompt": {texts}}}')
    many = good.replace("}", f', "other": {[0] * 200}}}')
    source = file_of(tmp_path, start + between.join([good, signs, many, good]) + end)
    with mock.patch.multiple(json_document, _MOST_VALUES=100, _PIECE=64):
        found = rows_in(source)
    assert [row.request_id if isinstance(row, IncomingRecord) else str(row) for _, row in found] == [
        "r1", "r1", "it holds more than 100 values", "r1",
    ]  # fmt: skip


def test_what_follows_a_long_value_is_read_in_pieces(tmp_path: Path) -> None:
    rows = [{"id": f"r{number}", "credits": 1, "time": "2026-09-07 12:30:00"} for number in range(300)]
    rows[0]["prompt"] = rows[150]["prompt"] = "x" * 4_000
    for content in (json.dumps(rows), "".join(map(json.dumps, rows)), json.dumps({"list": rows, "data": []})):
        source = file_of(tmp_path, content)
        with mock.patch.object(json_document, "_PIECE", 64):
            found = rows_in(source)
        assert [row.request_id for _, row in found] == [row["id"] for row in rows]  # type: ignore[union-attr]


def test_a_row_of_csv_has_a_limit_of_cells(tmp_path: Path) -> None:
    source = file_of(tmp_path, HEADER + GOOD.format(1) + "x," * 50 + "\r\n" + GOOD.format(2))
    with mock.patch.object(file_source, "_MOST_SIGNS", 20):
        assert reasons_in(source) == [(3, "its quotes are wrong, or a field is too long")]
        assert len(rows_in(source)) == 3


def test_numbers_and_texts_that_no_store_can_hold_are_read(tmp_path: Path) -> None:
    row = '{"id": "a", "prompt": "\\ud800\\u0000", "credits": %s, "time": "2026-09-07 12:30:00"}'
    rows = rows_in(file_of(tmp_path, f"[{row % 1}, {row % ('9' * 5000)}, {row % '1e999999'}, {row % 'NaN'}]"))
    assert rows[0][1].prompt == "\ufffd\ufffd"  # type: ignore[union-attr]
    assert [str(why) for _, why in rows[1:]] == [
        f"credits '{'9' * 40}…': credit is above 1e6 in size",
        "credits '1e999999': credit is not a finite number",
        "credits 'NaN': credit is not a finite number",
    ]


def test_ids_of_other_accounts_in_a_file_are_ignored(tmp_path: Path) -> None:
    row = {"user_id": 1, "run_id": 2, "request_id": "r1", "credits": 1, "ts": "2026-09-07 12:30:00"}
    [(_, record)] = rows_in(file_of(tmp_path, json.dumps([row])))
    assert not hasattr(record, "archive_id")


@pytest.mark.parametrize("line", ['x","z\n', 'x,"\n', '"\n",', '"a\n'])
def test_quotes_that_never_end_take_a_time_in_proportion_to_the_file(tmp_path: Path, line: str) -> None:
    content = "id,credits,time\n" + line * 4_000
    taken: list[int] = []
    text = io.StringIO(content)
    head = csv_rows.head_of(io.StringIO(content), len)

    class Counted(file_source.Lines):
        def __next__(self) -> str:
            found = super().__next__()
            taken.append(len(found))
            return found

    with mock.patch.object(csv_rows, "Lines", Counted):
        assert all(isinstance(row, Message) for _, row in csv_rows.rows(Lines(text), head))
    assert sum(taken) < 6 * len(content) + 2 * 1024 * 1024


def test_rows_on_several_lines_are_read_again_after_a_quote_that_never_ends(tmp_path: Path) -> None:
    good = 'r{},1,,,,"2026-09-07 12:30:00"\r\n'
    rows = "".join(f'r{number},1,"two\r\nlines",,,2026-09-07 12:30:00\r\n' for number in range(50))
    source = file_of(tmp_path, HEADER + 'x,1,"open\r\n' + good.format(0) + rows)
    assert [number for number, _ in reasons_in(source)] == [2]
    assert len(rows_in(source)) == 52


def test_a_line_over_the_limit_within_a_row_costs_no_row_before_it(tmp_path: Path) -> None:
    rows = "".join(map(GOOD.format, range(100)))
    source = file_of(tmp_path, HEADER + 'x,1,"open\r\n' + rows + "x" * (LINE_LIMIT + 9) + "\r\n" + GOOD.format(100))
    assert [number for number, _ in reasons_in(source)] == [2, 103]
    assert len(rows_in(source)) == 103


def test_a_row_has_a_limit_of_lines_and_of_characters(tmp_path: Path) -> None:
    source = file_of(tmp_path, HEADER + 'r1,1,"a\r\nbbbbbbbbbbbbbbbbbbbb\r\nc",,,2026-09-07 12:30:00\r\n')
    assert not reasons_in(source)
    for name, most in (("_MOST_LINES", 2), ("LINE_LIMIT", 50)):
        with mock.patch.object(file_source, name, most), calls_of(source, Options({})) as calls:
            assert isinstance(next(calls.rows)[1], LeftOut)


def test_long_labels_are_not_kept(tmp_path: Path) -> None:
    rows = "".join(f"r{number},1,,{number}{'m' * 50_000},,2026-09-07 12:30:00\r\n" for number in range(20))
    source = file_of(tmp_path, HEADER + rows)
    tracemalloc.start()
    rows_in(source)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 500_000


def test_rows_of_json_before_the_first_call_are_not_kept(tmp_path: Path) -> None:
    source = file_of(tmp_path, "".join(f'{{"x{number}": "{"y" * 1_000_000}"}}\n' for number in range(40)) + GOOD_LINE)
    tracemalloc.start()
    with calls_of(source, Options({})) as calls:
        next(calls.rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


def test_a_long_cell_is_not_made_longer_by_its_normal_form(tmp_path: Path) -> None:
    source = file_of(tmp_path, f"id,credits,time\nr1,{chr(0xFDFA) * 100_000},2026-09-07 12:30:00\n")
    with mock.patch("unicodedata.normalize", wraps=unicodedata.normalize) as normalize:
        assert len(reasons_in(source)) == 1
    assert max((len(call.args[1]) for call in normalize.mock_calls), default=0) < 200


def test_names_of_columns_that_are_longer_than_any_are_not_looked_for(tmp_path: Path) -> None:
    assert refusal_of(tmp_path, b"a," * 200_000 + b"id,credits,time\n").startswith("It is neither CSV nor JSON")
