"""Rows on PostgreSQL: new ones of a page by COPY, changed ones in one statement with an array for each column."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connection

from archive_site.lib.storage.sql import execute, fetch
from usage.row_writes.columns import CHANGED, INSERTED, KEY, MEASURES, UPDATED, RecordRow

_PROMPT = {"record_id": "bigint", "text": "text"}
_REQUEST_ID = list(INSERTED).index("request_id")


def _given(columns: Mapping[str, str]) -> str:
    """The rows in arrays, as the SQL after FROM."""
    arrays = ", ".join(f"%s::{kind}[]" for kind in columns.values())
    return f"unnest({arrays}) AS given ({', '.join(columns)})"


_NEW_IDS = "SELECT nextval(pg_get_serial_sequence('usage_record', 'id')) FROM generate_series(1, %s)"
_UPDATE = (
    f"UPDATE usage_record SET {', '.join(f'{column} = given.{column}' for column in CHANGED)} FROM {_given(UPDATED)} "  # noqa: S608 - names of a constant
    f"WHERE {' AND '.join(f'usage_record.{column} = given.{column}' for column in KEY)}"
)
_STORE_PROMPTS = (
    f"INSERT INTO usage_prompt ({', '.join(_PROMPT)}) SELECT * FROM {_given(_PROMPT)} "  # noqa: S608 - names of a constant
    "ON CONFLICT (record_id) DO UPDATE SET text = excluded.text"
)
_STORE_MEASURES = (
    f"INSERT INTO usage_recordmeasures ({', '.join(MEASURES)}) SELECT * FROM {_given(MEASURES)} "  # noqa: S608 - names of a constant
    f"ON CONFLICT (record_id) DO UPDATE SET {', '.join(f'{column} = excluded.{column}' for column in MEASURES)}"
)


def insert_records(archive_id: int, rows: Sequence[RecordRow]) -> dict[str, int]:
    """Insert new records of an account. Return their ids by request id."""
    if not rows:
        return {}
    ids = [number for (number,) in fetch(_NEW_IDS, [len(rows)])]
    _copy("usage_record", ("id", *INSERTED), ((number, *row) for number, row in zip(ids, rows, strict=True)))
    return dict(zip((row[_REQUEST_ID] for row in rows), ids, strict=True))


def update_records(rows: Sequence[RecordRow]) -> None:
    if rows:
        execute(_UPDATE, _arrays(rows))


def insert_prompts(rows: Sequence[tuple[int, str]]) -> None:
    """Store the prompts of new records by their ids."""
    if rows:
        _copy("usage_prompt", tuple(_PROMPT), rows)


def store_prompts(rows: Sequence[tuple[int, str]]) -> None:
    """Store prompts by the ids of their records."""
    if rows:
        execute(_STORE_PROMPTS, _arrays(rows))


def store_measures(rows: Sequence[tuple[Any, ...]]) -> None:
    """Store measures by the ids of their records."""
    if rows:
        execute(_STORE_MEASURES, _arrays(rows))


def _copy(table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN"
    with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(statement) as copying:
        for row in rows:
            copying.write_row(row)


def _arrays(rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
