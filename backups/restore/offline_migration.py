"""Migrations of a store file that is not the live one."""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import ConnectionHandler

Migration = tuple[str, str]
# Of what is thrown away when anything fails, nothing is synced, and what undoes it stays in memory.
_PRAGMAS = "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA temp_store=FILE"


def migrate(store: Path, targets: Collection[Migration] | None = None) -> None:
    """Bring a store file to these migrations, or to the newest. Raises what the migrations raise."""
    # Migrations speak to the default connection, which every thread has for itself: in a thread of its own it is this
    # file's.
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
