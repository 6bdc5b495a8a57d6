"""Migrations of a store file that is not the live one."""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import ConnectionHandler

Migration = tuple[str, str]
# If anything fails, the file is thrown away, so nothing is synced and the rollback journal stays in memory.
_PRAGMAS = "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA temp_store=FILE"


def migrate(store: Path, targets: Collection[Migration] | None = None) -> None:
    """Migrate a store file to `targets`, or to the newest migrations. Raises what the migrations raise."""
    # Migrations use the default connection, and each thread has a separate one: in a new thread it can be this file's.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(_migrate, store, targets).result()


def _migrate(store: Path, targets: Collection[Migration] | None) -> None:
    connection = _connection(store)
    connections[DEFAULT_DB_ALIAS] = connection
    try:
        executor = MigrationExecutor(connection)
        executor.migrate(list(executor.loader.graph.leaf_nodes() if targets is None else targets))
    finally:
        connection.close()


def _connection(store: Path) -> BaseDatabaseWrapper:
    options = {"transaction_mode": "IMMEDIATE", "init_command": _PRAGMAS}
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(store), "OPTIONS": options}
    return ConnectionHandler({DEFAULT_DB_ALIAS: database})[DEFAULT_DB_ALIAS]
