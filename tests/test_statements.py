"""Which statements are one, and which of them no test marked `engine` uses (docs/architecture.md#tests)."""

import csv
import json
import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, connections, transaction

from archive_site.lib.storage.sql import fetch
from tests import statements
from tests.private_servers import postgres

TOTALS = "SELECT SUM(credits) FROM usage_daytotal WHERE user_id = 1"
GROUPS = "SELECT SUM(credits) FROM usage_daygroup WHERE user_id = 1"
BY_HAND = "SELECT id FROM usage_record r WHERE r.user_id = 1{} ORDER BY r.ts"
BY_DJANGO = 'SELECT "usage_record"."id" FROM "usage_record" WHERE {} ORDER BY "usage_record"."ts" ASC'
OWN = '"usage_record"."user_id" = 1'
NAME = "SHOW application_name"
PAGES, TOP, READ = "property test_pages::test_a", "property test_pages::test_top", "test_reads::test_one"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a FROM t WHERE b = 'x' LIMIT 5", "SELECT a  FROM t\nWHERE b = E'it''s \\\\' LIMIT NULL"),
        ("SELECT f('x')", "SELECT f( E'\\\\x')"),
        ("SELECT a FROM t WHERE b IN (1)", "SELECT a FROM t WHERE b IN (1, 2, -3)"),
        ("INSERT INTO t (a, b) VALUES (1, NULL)", "INSERT INTO t (a, b) VALUES ('x', TRUE), (-5, false)"),
        ("TRUNCATE a_b, c_d", "TRUNCATE c_d, a_b, e_f"),
        ("UPDATE t SET a = -1", "UPDATE t SET a = $1::bigint"),
        ("SELECT unnest('{1}'::int2[]::bigint[])", "SELECT unnest('{70000}'::int4[]::bigint[])"),
        ("CREATE TABLE restore_0123456789abcdef.t (a int)", "CREATE TABLE restore_fedcba9876543210.t (a int)"),
        (f"{TOTALS} UNION ALL {GROUPS} ORDER BY 1", f"{TOTALS} UNION ALL {TOTALS} UNION ALL {GROUPS} ORDER BY 1"),
        (f"{TOTALS} ORDER BY 1", f"{TOTALS} UNION ALL {TOTALS} UNION ALL {TOTALS} ORDER BY 1"),
        (f"SELECT 1 FROM ({TOTALS}) AS t", f"SELECT 1 FROM ({TOTALS} UNION ALL {TOTALS}) AS t"),
        (
            "SELECT pg_advisory_lock(hashtextextended('restore_0123456789abcdef', 0))",
            "SELECT pg_advisory_lock(hashtextextended('restore_fedcba9876543210', 0))",
        ),
    ],
)
def test_values_lists_and_repeated_parts_make_no_new_statement(one: str, other: str) -> None:
    assert statements.shapes(one) == statements.shapes(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b IS NULL"),
        ("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b = c"),
        ("TRUNCATE a_b", "TRUNCATE c_d"),
        (f"{TOTALS} UNION ALL {GROUPS}", f"{GROUPS} UNION ALL {TOTALS}"),
        (f"{TOTALS} UNION ALL {GROUPS}", f"{TOTALS} UNION ALL {GROUPS} AND budget_id = 1"),
        (f"{TOTALS} UNION ALL {TOTALS} AND budget_id = 1", f"{TOTALS} AND budget_id = 1"),
        ("SELECT pg_advisory_lock(hashtextextended('a', 0))", "SELECT pg_advisory_lock(hashtextextended('b', 0))"),
    ],
)
def test_what_else_differs_makes_another_statement(one: str, other: str) -> None:
    assert statements.shapes(one) != statements.shapes(other)


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (" AND r.model IN ('a', 'b')", "model IN (?)"),
        (" AND hour = 5", "hour = ?"),
        (" AND r.day >= '2026-09-01'", "day >= ?"),
        (" AND r.without_prompt", "without_prompt"),
        (" AND NOT r.without_prompt", "NOT without_prompt"),
        (" AND SUBSTR(r.ts, 12, 2) = '05'", "SUBSTR(ts, ?) = ?"),
        (" AND credits <> 0", "credits <> ?"),
    ],
)
def test_a_filter_written_by_hand_is_compared_alone(condition: str, found: str) -> None:
    [without] = statements.shapes(BY_HAND.format(""))
    assert statements.shapes(BY_HAND.format(condition)) == [without, f"usage_record -- {found}"]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ('"usage_record"."model" IN (\'a\')', "model IN (?)"),
        ('NOT ("usage_record"."credits" = 0)', "NOT (credits = ?)"),
        ('"usage_prompt"."record_id" IS NULL', "record_id IS NULL"),
    ],
)
def test_a_filter_of_django_is_compared_alone(condition: str, found: str) -> None:
    [without] = statements.shapes(BY_DJANGO.format(OWN))
    assert statements.shapes(BY_DJANGO.format(f"({OWN} AND {condition})")) == [without, f"usage_record -- {found}"]


def test_a_new_combination_of_filters_is_no_new_statement() -> None:
    one, other = " AND r.model = 'a'", " AND r.credits > 5"
    known = {shape for filters in (one, other) for shape in statements.shapes(BY_HAND.format(filters))}
    assert known.issuperset(statements.shapes(BY_HAND.format(one + other)))


def test_a_filter_of_another_table_is_another_one() -> None:
    [_, one] = statements.shapes(f"{TOTALS} AND day = '2026-09-01'")
    [_, other] = statements.shapes(f"{GROUPS} AND day = '2026-09-01'")
    assert (one, other) == ("usage_daytotal -- day = ?", "usage_daygroup -- day = ?")


def test_a_comparison_with_another_column_or_query_is_no_filter() -> None:
    kept = " AND r.day = g.day AND r.credits = (SELECT MAX(credits) FROM usage_record)"
    [shape] = statements.shapes(BY_HAND.format(kept))
    assert kept in shape


def test_only_deeper_examples_of_repeated_properties_are_excused() -> None:
    known = {"a": [PAGES, READ], "b": [READ]}
    used = {**known, "deep": [PAGES], "of another property": [PAGES, TOP], "of a test": [PAGES, READ], "read": [READ]}
    missing, deeper = statements.compare(known, used)
    assert deeper == {"deep": [PAGES]}
    assert [*missing] == ["of another property", "of a test", "read"]


def test_a_statement_of_more_tests_than_are_noted_is_not_excused() -> None:
    names = [f"property test_pages::test_{number}" for number in range(20)]
    missing, _ = statements.compare({"a": names}, {"a": names, "deep": names})
    assert [*missing] == ["deep"]


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        ({}, 0, ["1 distinct statements and locks, 0 of them in no test", "0 more only by"]),
        ({"deep": [PAGES]}, 0, ["2 distinct statements and locks, 0 of them in no test", "1 more only by"]),
        ({"new": [READ]}, 1, [f"new\n  used by {READ}\n", "1 of them in no test", "0 more only by"]),
    ],
)
def test_the_comparison_fails_for_what_it_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: statements.Found, code: int, said: list[str]
) -> None:
    known = {"a": [PAGES, READ]}
    for name, found in (("engine", known), ("all", {**known, **more})):
        (tmp_path / name).write_text(json.dumps(found))
    assert statements.main(tmp_path / "engine", tmp_path / "all") == code
    output = capsys.readouterr().out
    assert [words for words in said if words not in output] == []


def test_a_property_is_named_so() -> None:
    assert statements.name_of("tests/test_pages.py::test_a[1]", is_property=True) == PAGES
    assert statements.name_of("tests/test_pages.py::test_a[1]") == "test_pages::test_a"


def test_a_name_has_the_length_that_the_server_keeps() -> None:
    assert len(statements.name_of(f"tests/test_pages.py::test_{'é' * 100}", is_property=True)) == 63


def test_all_properties_of_a_statement_are_noted_and_few_other_tests(tmp_path: Path) -> None:
    properties = [f"property test_pages::test_{number}" for number in range(30)]
    others = [f"test_reads::test_{number}" for number in range(30)]
    rows = [[""] * 13 + ["statement: SELECT 1", *[""] * 8, name] for name in [*others, *properties]]
    with (tmp_path / "log.csv").open("w", newline="") as log:
        csv.writer(log).writerows(rows)
    found: statements.Found = {}
    statements._read(tmp_path / "log.csv", found)
    assert found == {"SELECT ?": [*others[:20], *properties]}


@pytest.mark.parametrize(("library", "is_asked"), [("django_q", False), ("django", True)])
def test_what_the_queue_asks_is_no_question_of_a_test(library: str, is_asked: bool) -> None:
    space: dict[str, Any] = {"apart": lambda: statements._is_asked_by_tests()}
    exec(compile("def ask(): return apart()", f"/env/site-packages/{library}/module.py", "exec"), space)
    assert space["ask"]() is is_asked


@pytest.fixture
def recorded_test(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test whose statements are recorded as those of `READ`."""
    monkeypatch.setenv(statements.RECORDING, "1")
    monkeypatch.setenv("PGAPPNAME", os.environ.get("PGAPPNAME", ""))
    monkeypatch.setattr(connections["default"], "execute_wrappers", [])
    statements.begin("tests/test_reads.py::test_one", is_property=False)


@pytest.mark.postgres_only
@pytest.mark.usefixtures("recorded_test")
def test_a_block_of_a_test_has_its_own_name_on_the_server() -> None:
    with statements.of_tests():
        assert (fetch(NAME), os.environ["PGAPPNAME"]) == ([(statements.OF_TESTS,)], statements.OF_TESTS)
    assert (fetch(NAME), os.environ["PGAPPNAME"]) == ([(READ,)], READ)


@pytest.mark.postgres_only
@pytest.mark.usefixtures("recorded_test")
def test_what_a_test_asks_itself_has_its_own_name_on_the_server() -> None:
    with connection.cursor() as cursor:
        cursor.execute(NAME)
        assert cursor.fetchone() == (statements.OF_TESTS,)
        with suppress(DatabaseError), transaction.atomic():
            cursor.execute("SELECT nothing_of_this_name")
    # The service asks for the same.
    assert fetch(NAME) == [(READ,)]


@pytest.mark.thorough
def test_the_record_has_the_statements_of_the_service_alone(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    # Pytest's folders are closed to the user of the server.
    with (
        TemporaryDirectory() as folder,
        statements.recorded(Path(folder), file) as settings,
        postgres(**settings) as url,
    ):
        for name, statement in ((READ, "SELECT 1 AS service"), (statements.OF_TESTS, "SELECT 1 AS tests")):
            with psycopg.connect(url, application_name=name) as asking:
                asking.execute(statement)
    found = json.loads(file.read_text())
    assert found["SELECT ? AS service"] == [READ]
    assert "SELECT ? AS tests" not in found
