"""Statements in SQL: rows, many rows at once, and the marks of values."""

import pytest

from archive_site.lib.storage.sql import execute, execute_many, fetch, marks

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def table() -> None:
    execute("CREATE TEMP TABLE IF NOT EXISTS names_of_a_test (name text)")
    execute("DELETE FROM names_of_a_test")


def test_there_is_a_mark_for_each_value() -> None:
    assert [marks([]), marks("a"), marks({1, 2, 3})] == ["", "%s", "%s, %s, %s"]


@pytest.mark.engine
def test_what_was_written_is_fetched_as_rows() -> None:
    execute_many("INSERT INTO names_of_a_test (name) VALUES (%s)", [("a",), ("b",)])
    assert fetch("SELECT name, 1 FROM names_of_a_test ORDER BY name") == [("a", 1), ("b", 1)]


@pytest.mark.engine
def test_no_rows_write_nothing() -> None:
    execute_many("INSERT INTO names_of_a_test (name) VALUES (%s)", [])
    assert fetch("SELECT * FROM names_of_a_test") == []


@pytest.mark.engine
def test_a_value_is_never_read_as_sql() -> None:
    execute("INSERT INTO names_of_a_test (name) VALUES (%s)", ["'); DROP TABLE names_of_a_test; --%s"])
    assert fetch(f"SELECT name FROM names_of_a_test WHERE name IN ({marks([1, 2])})", ["x", "'); DROP"]) == []
    assert len(fetch("SELECT name FROM names_of_a_test")) == 1
