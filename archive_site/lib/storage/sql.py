"""SQL statements, for what is slower or impossible with the ORM."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import connection

SqlRow = tuple[Any, ...]


def fetch(query: str, values: Sequence[Any] = ()) -> list[SqlRow]:
    """All rows of a query; its cursor is closed."""
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return list(cursor.fetchall())


def instant(text: str) -> datetime:
    """The aware value of a datetime column that a query casts to text: SQLite's have no zone, and are in UTC.

    Where `fetch` reads thousands of instants, Django's conversion takes longer than the query.
    """
    value = datetime.fromisoformat(text)
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def execute(statement: str, values: Sequence[Any] = ()) -> None:
    """Run one statement, in the caller's transaction."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def execute_many(statement: str, rows: Sequence[Sequence[Any]]) -> None:
    """Run one statement for each row of values, in the caller's transaction."""
    if not rows:
        return
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows)


def marks(values: Collection[object]) -> str:
    """A placeholder for each value: `%s, %s`."""
    return ", ".join(["%s"] * len(values))
