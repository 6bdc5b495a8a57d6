"""The CSV file of an archive, without HTTP: docs/api.md#export."""

import csv
import io
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from itertools import count, permutations
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days
from tests.usage.record_factories import archive, call, plans_of, stored
from usage.amounts.units import CREDITS
from usage.export import csv_file as export
from usage.export import pieces as export_pieces
from usage.export.header import Contents
from usage.export.lines_in_sql import lines_by_sqlite
from usage.filters import NEWEST_FIRST, ORDERS, RecordFilters
from usage.incoming.record import IncomingRecord
from usage.models import Record

pytestmark = pytest.mark.django_db
EVERYTHING = RecordFilters()
FIRST_LINE = "RequestID,积分消耗,User Prompt,模型,客户端,时间\r\n"
# Each example of a property has an archive of its own.
accounts = count(5000)


def written(owner: User | int, filters: RecordFilters = EVERYTHING, order: str = NEWEST_FIRST) -> bytes:
    return b"".join(export.pieces(owner if isinstance(owner, int) else owner.pk, filters, order))


def lines(owner: User | int) -> str:
    """The file's text without mark and header."""
    text = written(owner).decode("utf-8-sig")
    assert text.startswith(FIRST_LINE)
    return text.removeprefix(FIRST_LINE)


def cells(owner: User) -> list[list[str]]:
    """The rows as a CSV reader parses them."""
    return list(csv.reader(io.StringIO(lines(owner), newline="")))


def ids(file: bytes) -> list[str]:
    return [row[0] for row in csv.reader(io.StringIO(file.decode("utf-8-sig"), newline=""))][1:]


# Lines.


def test_a_file_is_a_mark_a_header_and_a_line_for_each_record(alice: User) -> None:
    archive(alice, call("a", credits=0.1, prompt="why?"), call("b", credits=12, ts="2026-09-07 12:30:01"))
    assert written(alice) == (
        b"\xef\xbb\xbf"
        + FIRST_LINE.encode()
        + b'"b",12.0,"","glm","ide","2026-09-07 12:30:01"\r\n"a",0.1,"why?","glm","ide","2026-09-07 12:30:00"\r\n'
    )


def test_an_empty_archive_is_the_header_alone(alice: User) -> None:
    assert written(alice).decode("utf-8-sig") == FIRST_LINE


@pytest.mark.parametrize(
    ("micro", "text"),
    [
        (0, "0.0"),
        (1, "0.000001"),
        (100_000, "0.1"),
        (300_000, "0.3"),
        (1_050_000, "1.05"),
        (12_000_000, "12.0"),
        (100_000_000, "100.0"),
        (-500_000, "-0.5"),
        (-1_000_001, "-1.000001"),
        (999_999_999_123_456, "999999999.123456"),
    ],
)
def test_credits_have_every_digit_and_no_other(alice: User, micro: int, text: str) -> None:
    archive(alice, IncomingRecord("r", micro, "m", "c", "2026-09-07 12:00:00", "", False, ""))
    assert cells(alice)[0][1] == text


def test_credits_are_the_numbers_that_the_api_gives(alice: User, api_of: Callable[[User], Any]) -> None:
    archive(alice, *(call(f"r{n}", credits=n / 7) for n in range(30)))
    items = api_of(alice).get("/api/records", size=500).json()["items"]
    assert [float(row[1]) for row in cells(alice)] == [item["credits"] for item in items]


@pytest.mark.parametrize("mark", ["=", "+", "-", "@", "\t", "\r", "\n", "\r\n", "\n=", "＝", "＋", "－", "＠"])
@pytest.mark.parametrize(("column", "field"), [(0, "request_id"), (2, "prompt"), (3, "model"), (4, "client")])
def test_no_cell_is_run_by_a_spreadsheet(alice: User, mark: str, column: int, field: str) -> None:
    archive(alice, call(**{field: f"{mark}1+1"}))
    assert cells(alice)[0][column] == f"'{mark}1+1"


def test_a_mark_within_a_text_is_let_be(alice: User) -> None:
    archive(alice, call("a=b", prompt=" =1", model="x-y", client="u@v"))
    assert cells(alice)[0] == ["a=b", "1.5", " =1", "x-y", "u@v", "2026-09-07 12:30:00"]


def test_quotes_commas_and_line_breaks_stay_within_their_cell(alice: User) -> None:
    prompt = 'say "hi",\r\nthen\n"" and 中文 🙂'
    archive(alice, call('a"b', prompt=prompt, model="x,y", client='"'))
    assert cells(alice)[0] == ['a"b', "1.5", prompt, "x,y", '"', "2026-09-07 12:30:00"]


AMOUNTS = [-1, 0, 1, 10, 99, 100, 123_456, 1_000_000, 10**12, 10**12 + 1]
TEXTS = st.text(alphabet="=+-@＝＋－＠\t\r\n\"',a 字\x85\u2028🙂", max_size=8)


@pytest.mark.sqlite_only
@given(
    st.lists(
        st.builds(
            IncomingRecord,
            request_id=TEXTS,
            amount=st.integers(-(10**15), 10**15)
            | st.sampled_from([0, 1, 10, 99, 100, 123_456, 1_000_000, 10**12, 10**12 + 1, -1]),
            model=TEXTS,
            client=TEXTS,
            ts=st.just("2026-09-07 12:00:00"),
            prompt=TEXTS,
            prompt_truncated=st.just(False),
            agent_purpose=TEXTS,
        ),
        max_size=6,
    ),
    st.booleans(),
)
def test_every_database_gives_the_same_bytes(calls: list[IncomingRecord], purpose: bool) -> None:
    account = next(accounts)
    archive(account, *calls)
    keys = [*Record.objects.filter(archive_id=account).values_list("pk", flat=True), 0]
    by_hand = list(export.lines_by_hand(account, keys, CREDITS, Contents(purpose)))
    assert list(lines_by_sqlite(export.line_in_sql(CREDITS, Contents(purpose)), account, keys)) == by_hand
    assert by_hand[-1] is None


# Records and their order.


@pytest.mark.parametrize("keys", list(permutations(["a", "b", "c"])))
def test_lines_stand_in_the_order_of_the_ids(alice: User, keys: tuple[str, ...]) -> None:
    archive(alice, call("a"), call("b"), call("c"))
    found = export.lines(alice.pk, [stored(alice, key).pk for key in keys], CREDITS)
    assert "".join(line.decode()[1] for line in found if line) == "".join(keys)


@pytest.mark.engine
@pytest.mark.parametrize("order", ORDERS)
def test_a_file_holds_all_records_in_the_order_of_the_list(
    alice: User, api_of: Callable[[User], Any], order: str
) -> None:
    archive(alice, *(call(f"r{n % 89}-{n}", credits=n % 3, model=f"m{n % 4}", client=f"c{n % 5}") for n in range(350)))
    listed = api_of(alice).get("/api/records", size=500, order=order).json()["items"]
    assert len(listed) == 350
    assert ids(written(alice, order=order)) == [item["request_id"] for item in listed]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (RecordFilters(Days(date(2026, 9, 2), date(2026, 9, 3))), ["c", "b"]),
        (RecordFilters(model="kimi"), ["d", "a"]),
        (RecordFilters(client="cli"), ["b"]),
        (RecordFilters(purpose="chat"), ["d", "b"]),
        (RecordFilters(purpose="", model="kimi"), ["a"]),
        (RecordFilters(purpose="chat", text="in need"), ["d"]),
        (RecordFilters(text="NEED"), ["d", "b"]),
        (RecordFilters(Days(date(2026, 9, 3), None), model="kimi", text="need"), ["d"]),
        (RecordFilters(text="nowhere"), []),
    ],
)
def test_a_file_holds_what_the_filters_find(alice: User, filters: RecordFilters, found: list[str]) -> None:
    archive(
        alice,
        call("a", ts="2026-09-01 12:00:00", model="kimi"),
        call("b", ts="2026-09-02 12:00:00", client="cli", prompt="a needle", agent_purpose="chat"),
        call("c", ts="2026-09-03 12:00:00"),
        call("d", ts="2026-09-04 12:00:00", model="kimi", prompt="in need", agent_purpose="chat"),
    )
    assert ids(written(alice, filters)) == found


def test_the_purpose_is_the_last_column_where_it_is_asked_for(alice: User) -> None:
    archive(alice, call("a", agent_purpose='=chat "1"'), call("b", ts="2026-09-07 12:30:01"))
    file = b"".join(export.pieces(alice.pk, EVERYTHING, NEWEST_FIRST, purpose=True)).decode()
    assert file == (
        "\ufeffRequestID,积分消耗,User Prompt,模型,客户端,时间,用途\r\n"
        '"b",1.5,"","glm","ide","2026-09-07 12:30:01",""\r\n'
        '"a",1.5,"","glm","ide","2026-09-07 12:30:00","\'=chat ""1"""\r\n'
    )


# Pieces.


def test_a_piece_ends_with_the_line_that_fills_it(alice: User) -> None:
    archive(alice, *(call(f"r{n:03}", prompt="x" * 20_000) for n in range(40)))
    pieces = list(export.pieces(alice.pk, EVERYTHING, NEWEST_FIRST))
    line = len(pieces[1]) // pieces[1].count(b"\r\n")
    assert all(piece.endswith(b"\r\n") and len(piece) < export_pieces.PIECE + line for piece in pieces)
    assert [len(piece) for piece in pieces[1:3]] == [14 * line] * 2


def test_the_bytes_are_the_same_whatever_the_pieces(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    archive(alice, *(call(f"r{n}", prompt="字" * n) for n in range(250)))
    files = []
    for size in (1, 100, 5000, 10**9):
        monkeypatch.setattr(export_pieces, "PIECE", size)
        files.append(written(alice))
    assert len(set(files)) == 1
    assert len(ids(files[0])) == 250


@pytest.mark.sqlite_only
def test_a_piece_is_one_question_that_reads_by_key_and_sorts_nothing(alice: User) -> None:
    archive(alice, *(call(f"r{n}") for n in range(150)))
    with CaptureQueriesContext(connection) as captured:
        pieces = list(export.pieces(alice.pk, EVERYTHING, NEWEST_FIRST))
    assert sum("json_each" in query["sql"] for query in captured.captured_queries) == len(pieces) - 1
    plans = {plan for plan in plans_of(lambda: written(alice)) if "VIRTUAL TABLE" in plan}
    assert [re.sub(r" INDEX \d+:\d*", "", plan) for plan in plans] == [
        "SCAN wanted VIRTUAL TABLE; SEARCH r USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN; "
        "SEARCH p USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN"
    ]


# The file's name.


@pytest.mark.parametrize(
    ("account", "name"),
    [
        ("alice", "usage-alice-20260908-120000.csv"),
        ("李雷.k_2", "usage-李雷.k_2-20260908-120000.csv"),
        ("../../etc/passwd", "usage-.._.._etc_passwd-20260908-120000.csv"),
        ('a"\r\nSet-Cookie: b\\c\0', "usage-a___Set-Cookie__b_c_-20260908-120000.csv"),
        ("x" * 500, f"usage-{'x' * 64}-20260908-120000.csv"),
    ],
)
def test_a_file_name_is_safe_everywhere(account: str, name: str) -> None:
    # The tests run in the zone of Berlin.
    assert export_pieces.file_name(account, datetime(2026, 9, 8, 10, 0, tzinfo=UTC)) == name
