"""The copy of a PostgreSQL store: its rows at one moment, written to a new SQLite file row by row.

The file has the schema of the store's own migrations, and its search index is empty: a restore on SQLite fills it.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.db import OperationalError, connection

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage.sql import fetch
from archive_site.lib.stored_message import Message
from backups import offline_migration, postgres_store, store_file
from backups.postgres_store import Connection, quoted
from backups.store_file import Table

# Seconds to wait for a locked store.
PATIENCE = 60.0
_SIZE = """
    SELECT COALESCE(SUM(pg_total_relation_size(oid)), 0) FROM pg_class
    WHERE relkind = 'r' AND relname = ANY(%s) AND pg_table_is_visible(oid)"""
_TYPES = """
    SELECT attname, atttypid::regtype::text FROM pg_attribute
    WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"""
# How SQLite holds the values of each type, and the type under which they are read.
_FORMS = {
    **dict.fromkeys(("smallint", "integer", "bigint"), ("{}::int8", "int8")),
    **dict.fromkeys(("text", "character varying"), ("{}::text", "text")),
    "boolean": ("{}::int::int8", "int8"),
    "uuid": ("replace({}::text, '-', '')", "text"),
    # Django writes the fraction of a second only if there is one.
    "timestamp with time zone": (
        "to_char({0} AT TIME ZONE 'UTC', CASE WHEN date_trunc('second', {0}) = {0} THEN 'YYYY-MM-DD HH24:MI:SS' "
        "ELSE 'YYYY-MM-DD HH24:MI:SS.US' END)",
        "text",
    ),
}


def expected_bytes() -> int:
    """The size in bytes that a copy taken now does not exceed: the tables and indexes of the store."""
    [(size,)] = fetch(_SIZE, [[*connection.introspection.django_table_names()]])
    return int(size)


def take(target: Path, *, patience: float = PATIENCE) -> None:
    """Copy the store to a new SQLite file.

    Raises ApiError 400 `backup` when a table stays locked, sqlite3.Error, and DatabaseError.
    """
    with _moment(patience) as live, closing(_empty_file(target, live)) as copy:
        copy.execute("BEGIN")
        with store_file.without_indexes(copy):
            for table in store_file.tables(copy):
                copy.execute(f'DELETE FROM "{table.name}"')  # noqa: S608 - a name of the schema
                _copy_rows(live, copy, table)
        store_file.set_counters(copy, postgres_store.counters(live))
        copy.execute("COMMIT")


@contextmanager
def _moment(patience: float) -> Iterator[Connection]:
    """A connection that sees the store as it is now, whatever is written meanwhile."""
    with postgres_store.connected() as live:
        postgres_store.execute(live, f"SET lock_timeout = {int(patience * 1000)}")
        postgres_store.execute(live, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            with live.wrap_database_errors:
                yield live
        except OperationalError as error:
            if isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
                raise ApiError(400, "backup", Message("store_locked")) from None
            raise


def _empty_file(target: Path, live: Connection) -> sqlite3.Connection:
    """A new file with the schema of the store's migrations."""
    applied = postgres_store.fetch(live, "SELECT app, name FROM django_migrations")
    offline_migration.make(target, frozenset(applied))
    copy = sqlite3.connect(target, isolation_level=None)
    # A copy that is not finished is thrown away, and the finished backup is synced.
    copy.execute("PRAGMA journal_mode=OFF")
    copy.execute("PRAGMA synchronous=OFF")
    return copy


def _copy_rows(live: Connection, copy: sqlite3.Connection, table: Table) -> None:
    types: dict[str, str] = dict(postgres_store.fetch(live, _TYPES, [quoted(table.name)]))
    values, kinds = zip(*(_form(column, types[column]) for column in table.columns), strict=True)
    names = ", ".join(map(quoted, table.columns))
    insert = f"INSERT INTO {quoted(table.name)} ({names}) VALUES ({', '.join('?' * len(names.split(', ')))})"  # noqa: S608 - names of the schema
    # In the order of the key, in which SQLite keeps the rows.
    query = f"SELECT {', '.join(values)} FROM {quoted(table.name)} ORDER BY {', '.join(map(quoted, table.key))}"  # noqa: S608 - names of the schema
    copy.executemany(insert, _rows(live, query, kinds))


def _rows(live: Connection, query: str, kinds: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, read one by one from the connection."""
    with live.connection.cursor() as cursor, cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT BINARY)") as rows:
        rows.set_types(kinds)
        yield from rows.rows()


def _form(column: str, kind: str) -> tuple[str, str]:
    sql, read_as = _FORMS[kind]
    return sql.format(quoted(column)), read_as
