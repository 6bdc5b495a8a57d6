"""The rows of the data set, copied from its SQLite file to the PostgreSQL that the settings name."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

# The others are created after the rows, in one pass each.
_INDEXES = """
    SELECT indexname, indexdef FROM pg_indexes
    WHERE tablename IN ('usage_record', 'usage_prompt') AND indexdef ~ '^CREATE INDEX'"""
_NEXT_ID = "SELECT setval(pg_get_serial_sequence('usage_record', 'id'), MAX(id)) FROM usage_record"


def copy_from(store: Path) -> None:
    """Fill an empty, migrated store. Django is set up."""
    from django.db import connection
    from django.db.models import BooleanField

    from archive_site.lib.storage.sql import execute, fetch
    from usage.models import ROLLUPS, ROLLUPS_OF_MONTHS, Prompt, Record
    from usage.search.postgres import account_of_prompts as account

    indexes = fetch(_INDEXES)
    for name, _ in indexes:
        execute(f"DROP INDEX {name}")
    execute("SET maintenance_work_mem = '256MB'")
    with closing(sqlite3.connect(store)) as source:
        for model in (Record, Prompt, *ROLLUPS, *ROLLUPS_OF_MONTHS):
            table = model._meta.db_table
            fields = model._meta.local_concrete_fields
            columns = [str(field.column) for field in fields]
            values = columns[:]
            if table == account.TABLE:
                columns, values = [*columns, account.COLUMN], [*values, account.VALUE]
            rows = source.execute(f"SELECT {', '.join(values)} FROM {table}")
            flags = [place for place, field in enumerate(fields) if isinstance(field, BooleanField)]
            copy(connection, table, columns, _with_booleans(rows, flags))
    fetch(_NEXT_ID)
    for _, definition in indexes:
        execute(definition)
    execute("VACUUM ANALYZE")


def copy(connection: Any, table: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """`COPY` of these rows, in the transaction of the caller or in one of its own."""
    connection.ensure_connection()
    with (
        connection.connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copying,
    ):
        for row in rows:
            copying.write_row(row)


def _with_booleans(rows: Iterable[Sequence[Any]], places: Sequence[int]) -> Iterable[Sequence[Any]]:
    """The rows with booleans in these places, where SQLite has 0 and 1."""
    for row in rows:
        changed = list(row)
        for place in places:
            changed[place] = bool(changed[place])
        yield changed
