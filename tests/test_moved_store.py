"""Connections follow the store's name after a restore and write to no other file.

The rules: docs/decisions/backups.md#connections-follow-the-name.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, OperationalError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.sqlite3 import base
from django.db.utils import ConnectionHandler

from archive_site import keys_at_start
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.storage.data_folder import prepare

# Allows connections in these tests, which do not use the store of the tests.
pytestmark = pytest.mark.django_db
Database = BaseDatabaseWrapper


@pytest.fixture
def name(tmp_path: Path) -> Path:
    """The name of a store that is a file, as before the first restore."""
    return made(tmp_path / "archive.sqlite3", "old")


@pytest.fixture(params=["a file", "a link"])
def either(request: pytest.FixtureRequest, name: Path) -> Path:
    """The name of a store that is a file or already a link."""
    if request.param == "a link":
        turn(name, name.rename(name.with_name("store-0.sqlite3")))
    return name


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return made(tmp_path / "store-1.sqlite3", "new")


@pytest.fixture
def database(name: Path) -> Iterator[Database]:
    with closing(opened(name)) as found:
        yield found


def made(path: Path, word: str) -> Path:
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("PRAGMA journal_mode=WAL")
        store.execute("CREATE TABLE word AS SELECT ? AS word", [word])
    return path


def turn(name: Path, to: Path) -> None:
    """The switch of a restore: a link to another file takes the place of what is there."""
    link = name.with_name("link")
    link.symlink_to(to.name)
    link.replace(name)


def opened(name: Path | str) -> Database:
    """A connection of this thread with the settings of the project."""
    options = settings.SQLITE["OPTIONS"]
    database = {"ENGINE": settings.SQLITE["ENGINE"], "NAME": name, "OPTIONS": options}
    return ConnectionHandler({DEFAULT_DB_ALIAS: database}).create_connection(DEFAULT_DB_ALIAS)


def words(database: Database) -> list[str]:
    with database.cursor() as cursor:
        cursor.execute("SELECT word FROM word ORDER BY rowid")
        return [word for (word,) in cursor.fetchall()]


def write(database: Database, word: str) -> None:
    with database.cursor() as cursor:
        cursor.execute("INSERT INTO word VALUES (%s)", [word])


def atomic(database: Database, act: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the function in a transaction of this connection."""
    monkeypatch.setattr(transaction, "get_connection", lambda using=None: database)
    with transaction.atomic():
        act()


def lines_of(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as store:
        return [word for (word,) in store.execute("SELECT word FROM word ORDER BY rowid")]


# Where a connection reads and writes


def test_the_next_statement_is_the_new_stores(either: Path, new: Path) -> None:
    with closing(opened(either)) as database:
        assert words(database) == ["old"]
        turn(either, new)
        assert words(database) == ["new"]
        write(database, "more")
    assert lines_of(new) == ["new", "more"]


@pytest.mark.sqlite_only
def test_the_services_own_connections_are_of_this_kind() -> None:
    assert settings.DATABASES["default"]["ENGINE"] == settings.SQLITE["ENGINE"]
    assert opened(":memory:").vendor == "sqlite"


def test_a_transaction_that_began_before_ends_where_it_began(
    database: Database, name: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []

    def read_over_the_switch() -> None:
        seen.append(words(database))
        turn(name, new)
        seen.append(words(database))

    atomic(database, read_over_the_switch, monkeypatch)
    assert (seen, words(database)) == ([["old"], ["old"]], ["new"])


def test_what_waits_for_a_commit_is_done_though_the_store_moved_meanwhile(
    database: Database, name: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[list[str]] = []
    commit = database.commit

    def commit_and_turn() -> None:
        commit()
        turn(name, new)

    monkeypatch.setattr(database, "commit", commit_and_turn)
    atomic(database, lambda: transaction.on_commit(lambda: done.append(words(database))), monkeypatch)
    assert done == [["new"]]


def test_a_transaction_that_waited_for_the_switch_writes_to_the_new_store(
    database: Database, name: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words(database)
    with closing(sqlite3.connect(name, isolation_level=None, check_same_thread=False)) as switching:
        switching.execute("BEGIN IMMEDIATE")
        waits = threading.Event()

        def switch() -> None:
            assert waits.wait(60)
            turn(name, new)
            switching.execute("ROLLBACK")

        def tell(execute: Any, sql: str, *more: Any) -> Any:
            waits.set()
            return execute(sql, *more)

        thread = threading.Thread(target=switch)
        thread.start()
        with database.execute_wrapper(tell):
            atomic(database, lambda: write(database, "waited"), monkeypatch)
        thread.join()
        assert switching.execute("SELECT word FROM word").fetchall() == [("old",)]
    assert lines_of(new) == ["new", "waited"]


# Opening connections, and stores without a file


@pytest.mark.parametrize("fails", [False, True], ids=["opened", "refused"])
def test_a_store_that_moves_while_it_is_opened_is_opened_again(
    fails: bool, database: Database, name: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite refuses a link that replaces the file after SQLite has resolved its name."""
    connect = base.DatabaseWrapper.get_new_connection

    def slowly(self: base.DatabaseWrapper, params: dict[str, Any]) -> sqlite3.Connection:
        old: sqlite3.Connection = connect(self, params)
        if not name.is_symlink():
            turn(name, new)
            if fails:
                raise sqlite3.OperationalError("unable to open database file")
        return old

    monkeypatch.setattr(base.DatabaseWrapper, "get_new_connection", slowly)
    assert words(database) == ["new"]


def test_a_store_that_cannot_be_opened_gets_the_usual_error(tmp_path: Path) -> None:
    with pytest.raises(OperationalError, match="unable to open"):
        words(opened(tmp_path / "missing" / "archive.sqlite3"))


def test_behind_a_link_to_nothing_no_store_is_made(tmp_path: Path) -> None:
    (tmp_path / "archive.sqlite3").symlink_to("store-0.sqlite3")
    with pytest.raises(OperationalError, match=r"leads to store-0\.sqlite3, which is missing"):
        words(opened(tmp_path / "archive.sqlite3"))
    assert not (tmp_path / "store-0.sqlite3").exists()


def test_a_new_store_is_made_where_there_is_none(tmp_path: Path) -> None:
    with closing(opened(tmp_path / "fresh.sqlite3")) as database:
        with database.cursor() as cursor:
            cursor.execute("CREATE TABLE word (word)")
        write(database, "first")
        assert words(database) == ["first"]


def test_a_store_that_is_only_gone_is_read_to_the_end(database: Database, name: Path) -> None:
    words(database)
    name.unlink()
    assert words(database) == ["old"]
    assert not name.exists()


@pytest.mark.parametrize("place", [":memory:", "file:moved?mode=memory&cache=shared"])
def test_a_store_in_memory_stays_one(place: str) -> None:
    database = opened(place)
    with database.cursor() as cursor:
        cursor.execute("CREATE TABLE word (word)")
    write(database, "kept")
    database.close()
    assert words(database) == ["kept"]


# Write-ahead logs


def test_each_store_has_a_log_of_its_own(either: Path, new: Path) -> None:
    with closing(opened(either)) as database:
        words(database)
        turn(either, new)
        write(database, "more")
        assert new.with_name("store-1.sqlite3-wal").stat().st_size > 0


def test_who_has_the_old_store_open_still_touches_nothing_of_the_new_one(either: Path, new: Path) -> None:
    log = new.with_name("store-1.sqlite3-wal")
    with closing(opened(either)) as database, closing(sqlite3.connect(either)) as late:
        # Both stores have content in their write-ahead logs.
        with late:
            late.execute("INSERT INTO word VALUES ('in the log')")
        turn(either, new)
        write(database, "more")
        assert late.execute("SELECT word FROM word").fetchall() == [("old",), ("in the log",)]
        before = log.read_bytes()
        late.close()
        assert log.read_bytes() == before != b""
        assert words(database) == ["new", "more"]
    assert lines_of(either) == lines_of(new) == ["new", "more"]


def test_an_old_store_that_is_removed_is_read_to_the_end(either: Path, new: Path) -> None:
    old = either.resolve()
    with closing(sqlite3.connect(either)) as late:
        with late:
            late.execute("INSERT INTO word VALUES ('in the log')")
        turn(either, new)
        for left in (old, *old.parent.glob(f"{old.name}-*")):
            if not left.is_symlink():
                os.remove(left)
        assert late.execute("SELECT word FROM word").fetchall() == [("old",), ("in the log",)]
    assert sorted(path.name for path in either.parent.iterdir()) == ["archive.sqlite3", "store-1.sqlite3"]


# A store that is missing


def test_a_link_to_nothing_is_no_first_start(tmp_path: Path) -> None:
    home = prepare(tmp_path / "home")
    keys_at_start.provide(home, None)
    home.store.symlink_to("store-0.sqlite3")
    with pytest.raises(ConfigurationError, match=r"\A.*leads to store-0\.sqlite3, which is missing.*\Z"):
        keys_at_start.provide(prepare(home.home), None)
    made(home.home / "store-0.sqlite3", "found").chmod(0o644)
    keys_at_start.provide(prepare(home.home), None)
    assert home.store.stat().st_mode & 0o777 == 0o600
