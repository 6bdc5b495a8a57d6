"""SQL statements, for what is slower or impossible with the ORM."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection

SqlRow = tuple[Any, ...]


def fetch(query: str, values: Sequence[Any] = ()) -> list[SqlRow]:
    """All rows of a query; its cursor is closed."""
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return list(cursor.fetchall())


def execute(statement: str, values: Sequence[Any] = ()) -> None:
    """Run one statement, in the caller's transaction."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def execute_many(statement: str, rows: Sequence[Sequence[Any]]) -> None:
    """Run one statement for each row of values, in the caller's transaction."""
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows)


def marks(values: Collection[object]) -> str:
    """A placeholder for each value: `%s, %s`."""
    return ", ".join(["%s"] * len(values))
