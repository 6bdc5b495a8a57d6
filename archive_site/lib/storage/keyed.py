"""Statements that are run for each of several keys.

On PostgreSQL they run once for all keys, since planning them takes longer than running them. So what they give or
insert has the columns of the key among those that it groups by.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import SqlRow, execute, execute_many, fetch

# The columns of a key, each with its type on PostgreSQL.
Columns = Mapping[str, str]
Keys = Sequence[Sequence[Any]]


def execute_for_keys(statement: str, columns: Columns, keys: Keys) -> None:
    """Run a statement for the rows with these keys, in the caller's transaction: `{keys}` in it is the condition."""
    if not keys:
        return
    if engine.IS_SQLITE:
        execute_many(_for_one(statement, columns), keys)
    else:
        execute(_for_all(statement, columns), _arrays(keys))


def fetch_for_keys(query: str, columns: Columns, keys: Keys) -> list[SqlRow]:
    """The rows of a query for the rows with these keys: `{keys}` in it is the condition."""
    if not keys:
        return []
    if engine.IS_SQLITE:
        return [row for key in keys for row in fetch(_for_one(query, columns), key)]
    return fetch(_for_all(query, columns), _arrays(keys))


def _for_one(statement: str, columns: Columns) -> str:
    return statement.format(keys=" AND ".join(f"{column} = %s" for column in columns))


def _for_all(statement: str, columns: Columns) -> str:
    arrays = ", ".join(f"%s::{kind}[]" for kind in columns.values())
    return statement.format(keys=f"({', '.join(columns)}) IN (SELECT * FROM unnest({arrays}))")  # noqa: S608 - names of a constant


def _arrays(keys: Keys) -> list[list[Any]]:
    return [list(values) for values in zip(*keys, strict=True)]
