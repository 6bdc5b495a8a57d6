"""Exports and lists as CSV, JSON lines and Parquet (docs/api.md#formats)."""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import count
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from accounts.models import User
from tests.factories import ApiClient
from tests.usage.export_reads import PATH, body
from tests.usage.record_factories import archive, call
from usage import export_api as export_view
from usage.amounts.units import CREDITS
from usage.export import json_lines, list_file, parquet_file
from usage.export.formats import FORMATS
from usage.export.header import Contents
from usage.export.lines_in_sql import lines_by_sqlite
from usage.export.parquet_file import ParquetFile
from usage.export.pieces import PIECE, IncompleteExport, pieces, pieces_of
from usage.filters import NEWEST_FIRST, RecordFilters
from usage.incoming.record import IncomingRecord
from usage.models import Record

ApiOf = Callable[[User], ApiClient]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kept_connection")]
NDJSON, PARQUET = "application/x-ndjson", "application/vnd.apache.parquet"
# A float of Python has fewer digits.
MICRO = 9_007_199_254_740_993
TEXTS = st.text(alphabet='\\"/\b\f\n\r\t\x01\x1f\x7fa 字\x85\u2028🙂\ufffd', max_size=8)
accounts = count(90_000)


@pytest.fixture
def archived(alice: User, bob: User) -> User:
    archive(
        alice,
        call("a", ts="2026-09-01 10:00:00", credits=0.1, prompt='say "hi"\n中文', agent_purpose="chat"),
        call("b", ts="2026-09-02 10:00:00", credits=12, model="kimi"),
        replace(call("c", ts="2026-09-03 10:00:00", agent_purpose=""), amount=MICRO),
    )
    archive(bob, call("theirs"))
    return alice


def lines_of(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line, parse_float=Decimal) for line in content.splitlines()]


# JSON lines.


def test_a_line_is_an_object_with_exact_credits(archived: User, api_of: ApiOf) -> None:
    response = api_of(archived).get(PATH, format="jsonl", order="ts_asc")
    assert (response.status_code, response["Content-Type"]) == (200, NDJSON)
    assert '.jsonl"' in response["Content-Disposition"]
    first, second, third = lines_of(body(response))
    assert first == {
        "request_id": "a", "credits": Decimal("0.1"), "model": "glm", "client": "ide", "ts": "2026-09-01 10:00:00",
        "prompt": 'say "hi"\n中文',
    }  # fmt: skip
    assert (second["credits"], third["credits"]) == (Decimal("12.0"), Decimal("9007199254.740993"))


def test_filters_order_and_columns_are_those_of_the_csv_file(archived: User, api_of: ApiOf) -> None:
    found = lines_of(body(api_of(archived).get(PATH, format="jsonl", model="glm", columns="purpose")))
    assert [(one["request_id"], one["agent_purpose"]) for one in found] == [("c", ""), ("a", "chat")]


@pytest.mark.sqlite_only
@given(
    st.lists(
        st.builds(
            IncomingRecord,
            request_id=TEXTS,
            amount=st.integers(-(10**15), 10**15) | st.sampled_from([0, 1, -1, 1_000_000]),
            model=TEXTS,
            client=TEXTS,
            ts=st.just("2026-09-07 12:00:00"),
            prompt=TEXTS,
            agent_purpose=TEXTS,
            prompt_truncated=st.just(False),
        ),
        max_size=6,
    ),
    st.booleans(),
)
def test_every_database_gives_the_same_lines(calls: list[IncomingRecord], purpose: bool) -> None:
    account = next(accounts)
    archive(account, *calls)
    keys = [*Record.objects.filter(archive_id=account).values_list("pk", flat=True), 0]
    by_hand = list(json_lines.lines_by_hand(account, keys, CREDITS, Contents(purpose)))
    assert list(lines_by_sqlite(json_lines.line_in_sql(CREDITS, Contents(purpose)), account, keys)) == by_hand
    assert by_hand[-1] is None
    assert all(json.loads(line) for line in by_hand[:-1] if line)


def test_a_large_export_comes_in_pieces(alice: User) -> None:
    archive(alice, *(call(f"r{number}", prompt="x" * 3000) for number in range(200)))
    found = list(pieces(alice.pk, RecordFilters(), NEWEST_FIRST, json_lines.JsonLines()))
    assert len(found) > 3
    assert max(map(len, found)) < PIECE + 4000
    assert len(lines_of(b"".join(found))) == 200


# Parquet.


def table_of(content: bytes) -> Any:
    return parquet.read_table(io.BytesIO(content))


def test_parquet_has_typed_columns_and_exact_credits(archived: User, api_of: ApiOf) -> None:
    response = api_of(archived).get(PATH, format="parquet", order="ts_asc", columns="purpose")
    assert (response.status_code, response["Content-Type"]) == (200, PARQUET)
    assert '.parquet"' in response["Content-Disposition"]
    table = table_of(body(response))
    assert {name: str(kind) for name, kind in zip(table.schema.names, table.schema.types, strict=True)} == {
        "request_id": "string", "credits": "decimal128(19, 6)", "model": "string", "client": "string",
        "ts": "timestamp[ms]", "prompt": "string", "agent_purpose": "string",
    }  # fmt: skip
    assert table.column("credits").to_pylist() == [
        Decimal("0.100000"), Decimal("12.000000"), Decimal("9007199254.740993")
    ]  # fmt: skip
    assert table.column("prompt").to_pylist()[0] == 'say "hi"\n中文'


def test_duckdb_reads_it(archived: User, api_of: ApiOf, tmp_path: Any) -> None:
    file = tmp_path / "usage.parquet"
    file.write_bytes(body(api_of(archived).get(PATH, format="parquet")))
    found = duckdb.connect().execute(f"SELECT SUM(credits), MAX(ts)::TEXT, COUNT(*) FROM '{file}'")  # noqa: S608 - a path of this test
    assert found.fetchall() == [(Decimal("9007199266.840993"), "2026-09-03 10:00:00", 3)]


def test_an_empty_export_is_a_table_without_rows(alice: User, api_of: ApiOf) -> None:
    assert table_of(body(api_of(alice).get(PATH, format="parquet"))).num_rows == 0
    assert body(api_of(alice).get(PATH, format="jsonl")) == b""


def test_rows_are_written_in_groups_as_they_come(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_file, "_ROWS", 150)
    monkeypatch.setattr(parquet_file, "_AT_ONCE", 50)
    archive(alice, *(call(f"r{number:03}", prompt=f"prompt {number}") for number in range(400)))
    found = list(pieces(alice.pk, RecordFilters(), "ts_asc", ParquetFile()))
    assert len(found) > 3
    file = parquet.ParquetFile(io.BytesIO(b"".join(found)))
    assert [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)] == [150, 150, 100]
    assert file.read().column("request_id").to_pylist() == [f"r{number:03}" for number in range(400)]


@pytest.mark.parametrize(
    "texts", [{"prompt": "x" * 2000}, {"prompt": "😀" * 450}, {"model": "😀" * 200, "client": "😀" * 200}]
)
def test_long_texts_make_small_groups(alice: User, texts: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_file, "_BYTES", 50_000)
    monkeypatch.setattr(parquet_file, "_AT_ONCE", 10)
    archive(alice, *(call(f"r{number:03}", **texts) for number in range(60)))
    file = parquet.ParquetFile(io.BytesIO(b"".join(pieces(alice.pk, RecordFilters(), "ts_asc", ParquetFile()))))
    assert file.num_row_groups in (2, 3)
    prompts = file.metadata.row_group(0).column(5)
    # A dictionary of long texts is one more copy of them.
    assert (prompts.path_in_schema, prompts.has_dictionary_page) == ("prompt", False)


@pytest.mark.parametrize("path", [PATH, "/api/records"])
def test_without_pyarrow_the_answer_says_what_is_missing(
    archived: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(parquet_file, "is_available", lambda: False)
    response = api_of(archived).get(path, format="parquet")
    assert response.status_code == 400
    assert "pyarrow" in response.json()["message"]


# Which format.


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("", "text/csv; charset=utf-8"),
        ("*/*", "text/csv; charset=utf-8"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "text/csv; charset=utf-8"),
        ("application/json", "text/csv; charset=utf-8"),
        ("application/x-ndjson", NDJSON),
        ("application/jsonl", NDJSON),
        ("text/csv;q=0.5, application/x-ndjson", NDJSON),
        ("application/x-ndjson; charset=utf-8", NDJSON),
        ("application/x-ndjson;charset=utf-8;q=0.4, text/csv; q=0.3", NDJSON),
        ("image/png; a=b, application/jsonl;q=0.5", NDJSON),
        (PARQUET, PARQUET),
        ("nonsense", "text/csv; charset=utf-8"),
    ],
)
def test_an_export_is_in_the_format_that_is_accepted(archived: User, api_of: ApiOf, accept: str, kind: str) -> None:
    response = api_of(archived).client.get(PATH, headers={"Accept": accept})
    assert response["Content-Type"] == kind
    response.close()


def test_the_parameter_comes_before_the_header(archived: User, api_of: ApiOf) -> None:
    response = api_of(archived).client.get(PATH, {"format": "CSV"}, headers={"Accept": NDJSON})
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    response.close()


@pytest.mark.parametrize(("path", "name"), [(PATH, "xml"), (PATH, "json"), ("/api/records", "xml")])
def test_an_unknown_format_is_refused(archived: User, api_of: ApiOf, path: str, name: str) -> None:
    response = api_of(archived).get(path, format=name)
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert "jsonl" in response.json()["message"]


# Lists.


@pytest.mark.parametrize("name", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("wish", ["lean", "sums"])
def test_what_only_json_has_is_refused_for_a_file(archived: User, api_of: ApiOf, name: str, wish: str) -> None:
    response = api_of(archived).get("/api/records", format=name, **{wish: "1"})
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert api_of(archived).get("/api/records", format=name, **{wish: "0"}).status_code == 200


@pytest.mark.engine
def test_a_page_of_records_is_a_file_with_a_link_to_the_next(archived: User, api_of: ApiOf) -> None:
    api = api_of(archived)
    response = api.get("/api/records", format="jsonl", size=2)
    assert response["Content-Type"] == NDJSON
    assert [one["request_id"] for one in lines_of(response.content)] == ["c", "b"]
    address, _, rel = response["Link"].partition("; ")
    assert rel == 'rel="next"'
    following = api.get(address.strip("<>"))
    assert [one["request_id"] for one in lines_of(following.content)] == ["a"]
    assert "Link" not in following
    assert response["Archive-Account"] == str(archived.pk)


def test_a_page_as_csv_begins_with_the_header(archived: User, api_of: ApiOf) -> None:
    response = api_of(archived).get("/api/records", format="csv", lang="en", page=2, size=1, order="credits_desc")
    assert response.content.decode().splitlines()[0] == "\ufeffRequestID,Credits,User Prompt,Model,Client,Time"
    assert response.content.decode().splitlines()[1].startswith('"b",12.0')
    assert "Link" not in response


def test_a_page_as_parquet(archived: User, api_of: ApiOf) -> None:
    response = api_of(archived).client.get("/api/records", headers={"Accept": PARQUET})
    assert table_of(response.content).column("request_id").to_pylist() == ["c", "b", "a"]


@pytest.mark.parametrize(
    "accept", ["", "*/*", "application/json", "application/json; charset=utf-8, text/csv", "text/html,*/*;q=0.1"]
)
def test_a_list_is_json_unless_it_is_asked_for(archived: User, api_of: ApiOf, accept: str) -> None:
    response = api_of(archived).client.get("/api/records", headers={"Accept": accept})
    assert response.json()["total"] == 3


# Failures.


@pytest.mark.parametrize("name", ["csv", "jsonl", "parquet"])
def test_a_record_that_is_removed_while_a_page_is_read_is_503(
    archived: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def removed(user_id: int, chunks: list[list[int]], *rest: Any) -> Iterator[bytes]:
        Record.objects.filter(pk=chunks[0][0]).delete()
        return pieces_of(user_id, chunks, *rest)

    monkeypatch.setattr(list_file, "pieces_of", removed)
    response = api_of(archived).get("/api/records", format=name)
    assert (response.status_code, response.json()["error"]) == (503, "unavailable")
    assert response["Retry-After"] == "1"


def test_a_file_that_broke_off_cannot_be_taken_for_a_whole_one(
    archived: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*asked: Any) -> Iterator[bytes]:
        yield from (b"", b"")
        raise IncompleteExport("a record was erased")

    monkeypatch.setattr(export_view, "pieces", broken)
    for name, form in FORMATS.items():
        given: list[bytes] = []
        with pytest.raises(IncompleteExport):
            given.extend(api_of(archived).get(PATH, format=name).streaming_content)
        assert b"".join(given) == form.broken_off
    [line] = lines_of(FORMATS["jsonl"].broken_off)
    assert line["error"] == "incomplete"


@pytest.mark.parametrize("form", [json_lines.JsonLines, ParquetFile])
def test_a_record_that_is_gone_breaks_it_off(archived: User, bob: User, form: Callable[[], Any]) -> None:
    theirs = Record.objects.get(archive_id=bob.pk).pk
    with pytest.raises(IncompleteExport):
        form().write(archived.pk, [theirs])
