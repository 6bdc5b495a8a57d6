"""Connections of their own to a PostgreSQL store, for backups and restores."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

Connection = BaseDatabaseWrapper
# Limits of the database for requests; copying all rows takes longer.
_PATIENT = ("statement_timeout", "idle_in_transaction_session_timeout")
_COUNTERS = """
    SELECT relation.relname, pg_get_serial_sequence(relation.oid::regclass::text, attname)
    FROM pg_attribute JOIN pg_class relation ON relation.oid = attrelid
    WHERE attidentity <> '' AND NOT attisdropped AND relnamespace = %s::regnamespace AND relkind = 'r'"""


@contextmanager
def connected() -> Iterator[Connection]:
    """A connection beside that of the thread, closed when the block ends."""
    own = connection.copy()
    try:
        own.connect()
        for name in _PATIENT:
            execute(own, f"SET {name} = 0")
        yield own
    finally:
        own.close()


def fetch(store: Connection, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with store.cursor() as cursor:
        cursor.execute(query, values)
        return list(cursor.fetchall())


def execute(store: Connection, statement: str, values: Sequence[Any] = ()) -> None:
    with store.cursor() as cursor:
        cursor.execute(statement, values)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def live_schema(store: Connection) -> str:
    """The schema of the live store's tables, quoted where it needs to be."""
    [(name,)] = fetch(
        store, "SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = 'django_migrations'::regclass"
    )
    return str(name)


def counters(store: Connection, schema: str | None = None) -> dict[str, int]:
    """The highest id that was ever given, by table, in a schema or in that of the live store."""
    found = {}
    for table, sequence in fetch(store, _COUNTERS, [schema or live_schema(store)]):
        [(last, is_given)] = fetch(store, f"SELECT last_value, is_called FROM {sequence}")  # noqa: S608 - a name of the database
        found[table] = last if is_given else last - 1
    return found


def set_counters(store: Connection, schema: str, highest: dict[str, int]) -> None:
    for table, sequence in fetch(store, _COUNTERS, [schema]):
        last = highest.get(table, 0)
        execute(store, "SELECT setval(%s::regclass, %s, %s)", [sequence, max(last, 1), last > 0])
