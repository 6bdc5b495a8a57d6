"""Tables that SQLite keeps in the order of their primary key.

The rules: docs/decisions/records.md#rollups-in-the-order-of-their-keys.
"""

from functools import partial
from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_CLAUSE = " WITHOUT ROWID"


def cluster(*tables: str) -> migrations.RunPython:
    """An operation of a migration that puts the rows of these tables into the order of their primary keys.

    Their rows and indexes stay. Django loses the order again where it makes a table anew, as for some new columns.
    Other engines, which have no such tables, do nothing.
    """
    return migrations.RunPython(partial(_cluster_all, tables), migrations.RunPython.noop)


def _cluster_all(tables: tuple[str, ...], apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor != "sqlite":
        return
    with schema_editor.connection.cursor() as cursor:
        for table in tables:
            for statement in _statements(cursor, table):
                cursor.execute(statement)


def _statements(cursor: Any, table: str) -> list[str]:
    """The statements that make a table again; none if it is clustered already."""
    cursor.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = %s", [table])
    [(made,)] = cursor.fetchall()
    if made.endswith(_CLAUSE):
        return []
    cursor.execute("SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = %s AND sql <> ''", [table])
    indexes = [index for (index,) in cursor.fetchall()]
    return [
        made.replace(f'"{table}"', f'"new__{table}"', 1) + _CLAUSE,
        f'INSERT INTO "new__{table}" SELECT * FROM "{table}"',  # noqa: S608 - a name that a migration gives
        f'DROP TABLE "{table}"',
        f'ALTER TABLE "new__{table}" RENAME TO "{table}"',
        *indexes,
    ]
