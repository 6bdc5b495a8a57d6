"""Exports with unit, provenance and tokens, where the request names the archive: docs/api.md#export."""

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from pyarrow import parquet

from accounts.models import User
from tests.factories import ApiClient, further_archive
from tests.usage.record_factories import archive, call
from usage.amounts.unit_of_archive import unit_of
from usage.export import csv_file, json_lines
from usage.export.header import Contents
from usage.export.lines_in_sql import lines_by_sqlite
from usage.measures import Measures, Provenance, Tokens
from usage.models import Record
from usage.stored_measures import JOINED

pytestmark = pytest.mark.django_db

AT = datetime(2026, 9, 7, 4, 30, tzinfo=UTC)
MEASURES = {
    "a": Measures(Provenance.BILLED, Tokens(100, 20, 3, 4), AT),
    "b": Measures(Provenance.INCLUDED, Tokens(0, 0), AT),
    "c": Measures(Provenance.ESTIMATED, None, AT),
    "d": Measures(Provenance.UNKNOWN, Tokens(7, 8), AT),
    "e": None,
}
TOKENS: dict[str, list[int | None]] = {
    "a": [100, 20, 3, 4],
    "b": [0, 0, 0, 0],
    "c": [None] * 4,
    "d": [7, 8, 0, 0],
    "e": [None] * 4,
}
PROVENANCES = {"a": "billed", "b": "included", "c": "estimated", "d": "unknown", "e": "billed"}
BOTH = [Contents(purpose, measured=True) for purpose in (False, True)]


@pytest.fixture
def gateway(alice: User) -> int:
    """An archive in USD with a call of each kind; the first one has one, too."""
    archive_id = further_archive(alice, "Gateway", "USD", "litellm")
    calls = [call(name, credits=0 if name == "d" else 12.5, measures=one) for name, one in MEASURES.items()]
    archive(archive_id, *calls)
    archive(alice, call("first", credits=2))
    return archive_id


def exported(user: User, path: str) -> bytes:
    answer = ApiClient.signed_in(user).get(path)
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content) if answer.streaming else bytes(answer.content)


def table(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


@pytest.mark.engine
def test_csv_has_them_behind_the_other_columns(alice: User, gateway: int) -> None:
    rows = table(exported(alice, f"/records/export?archive={gateway}&lang=en&columns=purpose&order=ts_asc"))
    assert [*rows[0]][6:] == [
        "Purpose", "Unit", "Provenance", "Input tokens", "Output tokens", "Cache read tokens", "Cache write tokens",
    ]  # fmt: skip
    assert {row["RequestID"]: [row[name] for name in [*row][9:]] for row in rows} == {
        name: ["" if one is None else str(one) for one in found] for name, found in TOKENS.items()
    }
    assert {row["RequestID"]: row["Provenance"] for row in rows} == PROVENANCES
    assert {row["Unit"] for row in rows} == {"USD"}
    assert {row["RequestID"]: row["Credits"] for row in rows} == {**dict.fromkeys("abce", "0.0000125"), "d": ""}


@pytest.mark.engine
@pytest.mark.parametrize("columns", ["", "&columns=purpose"])
def test_json_lines_have_the_fields_of_records(columns: str, alice: User, gateway: int) -> None:
    content = exported(alice, f"/records/export?archive={gateway}&format=jsonl{columns}&order=ts_asc")
    lines = [json.loads(line) for line in content.splitlines()]
    records = json.loads(exported(alice, f"/api/records?archive={gateway}&order=ts_asc&prompts=1"))["items"]
    names = ("unit", "amount", "provenance", "tokens")
    assert [{name: one[name] for name in names} for one in lines] == [
        {name: one[name] for name in names} for one in records
    ]
    assert [*lines[0]][-4:] == [*names]


@pytest.mark.engine
def test_parquet_has_a_column_for_each(alice: User, gateway: int) -> None:
    content = exported(alice, f"/records/export?archive={gateway}&format=parquet&order=ts_asc")
    found: dict[str, list[Any]] = parquet.read_table(io.BytesIO(content)).to_pydict()
    assert [*found][6:] == ["unit", "provenance", "tokens_in", "tokens_out", "cache_read", "cache_write"]
    rows = [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]
    assert {row["request_id"]: [*row.values()][8:] for row in rows} == TOKENS
    assert {row["request_id"]: row["provenance"] for row in rows} == PROVENANCES
    assert {row["request_id"]: row["credits"] is None for row in rows} == {name: name == "d" for name in TOKENS}


@pytest.mark.parametrize("file_format", ["csv", "jsonl", "parquet"])
def test_a_list_as_a_file_has_them_too(file_format: str, alice: User, gateway: int) -> None:
    query = f"archive={gateway}&format={file_format}&order=ts_asc"
    listed, whole = exported(alice, f"/api/records?{query}"), exported(alice, f"/records/export?{query}")
    if file_format == "parquet":
        assert parquet.read_table(io.BytesIO(listed)).equals(parquet.read_table(io.BytesIO(whole)))
    else:
        assert listed == whole


def test_a_first_archive_that_is_named_has_them(alice: User, gateway: int) -> None:
    [row] = table(exported(alice, f"/records/export?archive={alice.pk}&lang=en"))
    assert (row["Unit"], row["Provenance"], row["Input tokens"]) == ("credits", "billed", "")
    [line] = exported(alice, f"/records/export?archive={alice.pk}&format=jsonl").splitlines()
    assert json.loads(line)["amount"] == "2"
    assert json.loads(line)["tokens"] is None


def test_without_the_name_nothing_is_added(alice: User, gateway: int) -> None:
    [row] = table(exported(alice, "/records/export?lang=en"))
    assert [*row] == ["RequestID", "Credits", "User Prompt", "Model", "Client", "Time"]
    [line] = exported(alice, "/records/export?format=jsonl").splitlines()
    assert [*json.loads(line)] == ["request_id", "credits", "model", "client", "ts", "prompt"]


@pytest.mark.sqlite_only
@pytest.mark.parametrize("contents", BOTH)
@pytest.mark.parametrize("form", [csv_file, json_lines])
def test_every_database_gives_the_same_lines(form: Any, contents: Contents, alice: User, gateway: int) -> None:
    for archive_id, has_measures in ((gateway, True), (alice.pk, False)):
        ids = [*Record.objects.filter(archive_id=archive_id).values_list("pk", flat=True), 0]
        unit = unit_of(archive_id)
        line = form.line_in_sql(unit, contents, has_measures=has_measures)
        built = list(lines_by_sqlite(line, archive_id, ids, JOINED if has_measures else ""))
        assert built == list(form.lines_by_hand(archive_id, ids, unit, contents))


def test_the_export_of_an_archive_changes_nothing_in_it(alice: User, gateway: int) -> None:
    api = ApiClient.signed_in(alice)
    for query in ("lang=en&columns=purpose", "format=jsonl"):
        content = exported(alice, f"/records/export?archive={gateway}&{query}")
        file = io.BytesIO(content)
        file.name = "calls.csv"
        answer = api.client.post(
            f"/api/import?archive={gateway}", {"file": file}, headers={"X-CSRF-Token": api.token}
        ).json()["result"]
        assert (answer["known"], answer["new"], answer["conflicting"], answer["unreadable"]) == (5, 0, 0, 0)
    tokens = {one["request_id"]: one["tokens"] for one in api.get(f"/api/records?archive={gateway}").json()["items"]}
    assert tokens["a"] == {"in": 100, "out": 20, "cache_read": 3, "cache_write": 4}
