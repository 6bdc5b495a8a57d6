"""Loads a store file into an empty schema of PostgreSQL, with all that the migrations make there."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from backups import store_file
from backups.offline_migration.in_thread import run_migrations, run_on_connection
from backups.postgres_store import quoted
from backups.restore import schema_check
from backups.restore.postgres_stores import PostgresStores
from backups.store_file import Table
from usage.search.postgres import account_of_prompts

# Of the server, while it builds an index; its own limit is meant for many at once.
_MEMORY = "256MB"
# Partial ones, which are small, stay: PostgreSQL would write their conditions in another form.
_INDEXES = """
    SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid),
    ARRAY(SELECT attnum FROM pg_attribute WHERE attrelid = indexrelid AND attstattarget = 0)
    FROM pg_index JOIN pg_class index ON index.oid = indexrelid
    WHERE index.relnamespace = %s::regnamespace AND indpred IS NULL
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))"""
# Keys first: foreign keys need them.
_CONSTRAINTS = """
    SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = %s::regnamespace AND contype IN ('p', 'u', 'f') ORDER BY contype = 'f'"""


def load(store: Path, stores: PostgresStores) -> None:
    """Load a store file of the newest version, which `fitting` has checked. Raises DatabaseError, and sqlite3.Error."""
    stores.execute(f"SET search_path TO {stores.new}")
    stores.execute(f"SET maintenance_work_mem = '{_MEMORY}'")
    run_on_connection(stores.connection, partial(run_migrations, None))
    with closing(schema_check.opened(store)) as opened:
        with _without_indexes(stores):
            for table in store_file.tables(opened):
                _copy_rows(opened, stores, table)
        stores.set_counters(store_file.counters(opened))
    stores.execute(f"ANALYZE {', '.join(stores.tables())}")


def _copy_rows(store: sqlite3.Connection, stores: PostgresStores, table: Table) -> None:
    """PostgreSQL reads texts of SQLite's times, its numbers of booleans and its digits of UUIDs as what they are."""
    columns, values = [*map(quoted, table.columns)], [*map(quoted, table.columns)]
    if table.name == account_of_prompts.TABLE:
        # Its trigger would look each row up among records that have no index now.
        columns, values = [*columns, account_of_prompts.COLUMN], [*values, account_of_prompts.VALUE]
    # In one transaction, the rows need not be written a second time by a vacuum.
    stores.execute("BEGIN")
    stores.execute(f"TRUNCATE {quoted(table.name)}")
    statement = f"COPY {quoted(table.name)} ({', '.join(columns)}) FROM STDIN (FREEZE)"
    rows = store.execute(f"SELECT {', '.join(values)} FROM {quoted(table.name)}")  # noqa: S608 - names of the schema
    connection = stores.connection
    with connection.wrap_database_errors, connection.connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)
    stores.execute("COMMIT")


@contextmanager
def _without_indexes(stores: PostgresStores) -> Iterator[None]:
    """Drop indexes, keys and foreign keys for the block, and create them again after it: rows are added faster."""
    constraints, indexes = stores.fetch(_CONSTRAINTS, [stores.new]), stores.fetch(_INDEXES, [stores.new])
    for table, name, _ in reversed(constraints):
        stores.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    for name, *_ in indexes:
        stores.execute(f"DROP INDEX {name}")
    yield
    for name, definition, without_statistics in indexes:
        stores.execute(definition)
        # A definition does not say it.
        for number in without_statistics:
            stores.execute(f"ALTER INDEX {name} ALTER COLUMN {number} SET STATISTICS 0")
    for table, name, definition in constraints:
        stores.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
