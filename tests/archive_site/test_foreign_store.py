"""A file of another program in place of the store (docs/running.md#the-store-is-damaged)."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests import process_stores
from tests.archive_site.commands import is_one_line, manage
from tests.collection.running_instance import Instance

pytestmark = pytest.mark.sqlite_only
REFUSED = "The store cannot be used: it holds tables, but no migrations of this service."
MIGRATIONS = "CREATE TABLE django_migrations (id INTEGER PRIMARY KEY, app TEXT, name TEXT, applied TEXT)"
# The process dies where a first start is about to note its first migration, after it created the tables.
DYING_START = """
import os
from django.core.management import execute_from_command_line
from django.db.migrations.executor import MigrationExecutor
MigrationExecutor.record_migration = lambda *migration: os._exit(9)
execute_from_command_line(["manage.py", "list_users"])
"""


def put_in_place(home: Path, *statements: str) -> None:
    """Put an SQLite file with the effect of these statements in place of the store."""
    for file in home.glob("archive.sqlite3*"):
        file.unlink()
    with closing(sqlite3.connect(home / "archive.sqlite3")) as store, store:
        for statement in statements:
            store.execute(statement)


def tables(home: Path) -> list[str]:
    """The tables of the store, without those that SQLite keeps for itself."""
    ours = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name"
    return [name for (name,) in process_stores.sql(home, ours)]


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    "command", [("list_users",), ("up", "--bind", "127.0.0.1:0"), ("backup", "create"), ("replace_key", "--yes")]
)
def test_every_command_refuses_it_in_one_line(made_home: Path, command: tuple[str, ...]) -> None:
    put_in_place(made_home, "CREATE TABLE x (a)")
    assert is_one_line(manage(*command, home=made_home), REFUSED, "'manage.py backup restore', which sets it aside")
    assert tables(made_home) == ["x"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "rows", [(), ("INSERT INTO django_migrations VALUES (1, 'auth', '0001_initial', '2026-01-01')",)]
)
def test_migrations_of_others_make_it_no_store(made_home: Path, rows: tuple[str, ...]) -> None:
    put_in_place(made_home, MIGRATIONS, *rows, "CREATE TABLE auth_user (a)")
    assert is_one_line(manage("list_users", home=made_home), REFUSED)
    assert tables(made_home) == ["auth_user", "django_migrations"]


@pytest.mark.landing
@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("statements", [("VACUUM",), (MIGRATIONS,)], ids=["nothing", "the table of migrations"])
def test_a_file_without_other_tables_is_a_new_store(made_home: Path, statements: tuple[str, ...]) -> None:
    put_in_place(made_home, "PRAGMA journal_mode=WAL", *statements)
    assert (made_home / "archive.sqlite3").stat().st_size
    assert manage("list_users", home=made_home).returncode == 0
    assert "usage_record" in tables(made_home)


@pytest.mark.thorough
def test_a_first_start_that_died_in_its_first_migration_goes_on(tmp_path: Path) -> None:
    with Instance(tmp_path / "home") as instance:
        died = instance.start_python(DYING_START)
        assert died.wait(60) == 9
        assert tables(instance.home) == ["django_migrations"]
        assert instance.run("list_users").returncode == 0
