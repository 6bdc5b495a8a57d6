"""A store that another program keeps locked, or whose disk is full, as tests of answers need it."""

import gc
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from unittest.mock import patch

import psycopg
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from archive_site.lib.storage import engine, lock_wait
from archive_site.lib.storage.sqlite_backend.base import Cursor
from tests.statements import OF_TESTS

_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"


@contextmanager
def locked() -> Iterator[None]:
    """Another program keeps others from writing; on PostgreSQL also from reading."""
    with _not_waiting(), _locked_file("IMMEDIATE") if engine.IS_SQLITE else _locked_tables():
        yield


@contextmanager
def closed_to_readers() -> Iterator[None]:
    """Another program has the SQLite file for itself, as one without a write-ahead log has while it writes."""
    with _not_waiting(), _locked_file("EXCLUSIVE", "PRAGMA locking_mode=EXCLUSIVE"):
        yield


@contextmanager
def full_disk() -> Iterator[None]:
    """The SQLite file cannot grow, whichever connection of this process writes to it."""
    with connection.cursor() as cursor:
        # Else the file would have free pages.
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA page_count")
        [most] = cursor.fetchone()

    def limit(connection: BaseDatabaseWrapper, **_: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA max_page_count={most}")

    limit(connection)
    # SQLite keeps the limit for a connection alone, and one may be opened anew meanwhile.
    connection_created.connect(limit)
    try:
        yield
    finally:
        connection_created.disconnect(limit)
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM pragma_page_count, pragma_freelist_count")
            pages, free = cursor.fetchone()
        connection.close()
        assert pages == most, f"the file has {pages} pages instead of {most}"
        assert not free, f"{free} pages of the file were free"


@contextmanager
def nothing_fits() -> Iterator[None]:
    """No statement that writes to the SQLite file finds room, not even for a small row, as on a real disk."""
    execute = Cursor.execute

    def refuse(self: Cursor, query: str, params: object = None) -> object:
        full = sqlite3.OperationalError("database or disk is full")
        full.sqlite_errorcode = sqlite3.SQLITE_FULL
        if query.startswith("INSERT"):
            raise full
        if not query.startswith(("UPDATE", "DELETE")):
            return execute(self, query, params)
        self.connection.execute("SAVEPOINT no_room")
        done = execute(self, query, params)
        # A change of no row needs no room.
        self.connection.execute("ROLLBACK TO no_room")
        self.connection.execute("RELEASE no_room")
        if self.rowcount:
            raise full
        return done

    with patch.object(Cursor, "execute", refuse):
        yield


@contextmanager
def _not_waiting() -> Iterator[None]:
    """Statements wait for other writers only for a moment, on connections that are opened meanwhile."""
    connection.close()
    # Cursors that are not collected keep the file open.
    gc.collect()
    with patch.object(lock_wait, "_process", lock_wait.Process(0.01, is_limited=True)):
        yield
    connection.close()


@contextmanager
def _locked_file(mode: str, before: str = "") -> Iterator[None]:
    with closing(sqlite3.connect(str(connection.settings_dict["NAME"]), isolation_level=None)) as other:
        other.execute(before)
        other.execute(f"BEGIN {mode}")
        yield
        other.execute("ROLLBACK")


@contextmanager
def locked_table(name: str) -> Iterator[None]:
    """Another program has a table of the PostgreSQL database for itself."""
    with _not_waiting(), _held_tables(name):
        yield


@contextmanager
def _locked_tables() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(_TABLES)
        names = ", ".join(name for (name,) in cursor.fetchall())
    with _held_tables(names):
        yield


@contextmanager
def _held_tables(names: str) -> Iterator[None]:
    parameters = {**connection.get_connection_params(), "application_name": OF_TESTS}
    with psycopg.connect(**parameters) as other:
        other.execute(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE".encode())
        yield
        other.rollback()
