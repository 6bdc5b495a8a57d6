"""Migrations of a store file in this process."""

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import ConnectionHandler

# If anything fails, the file is thrown away, so nothing is synced and the rollback journal stays in memory.
_PRAGMAS = "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA temp_store=FILE"


def migrate(store: Path, targets: Collection[tuple[str, str]] | None = None) -> None:
    """Migrate a store file to `targets`, or to the newest migrations. Raises what the migrations raise."""
    run_on_file(store, partial(run_migrations, targets))


def run_migrations(targets: Collection[tuple[str, str]] | None, connection: BaseDatabaseWrapper) -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(list(executor.loader.graph.leaf_nodes() if targets is None else targets))


def run_on_file(store: Path, work: Callable[[BaseDatabaseWrapper], object]) -> None:
    """Do some work for which a store file is the store."""
    connection = _connection(store)
    try:
        run_on_connection(connection, work)
    finally:
        connection.close()


def run_on_connection(connection: BaseDatabaseWrapper, work: Callable[[BaseDatabaseWrapper], object]) -> None:
    """Do some work for which the database of a connection is the store."""

    def run() -> None:
        connections[DEFAULT_DB_ALIAS] = connection
        work(connection)

    # Migrations use the default connection, and each thread has a separate one: in a new thread it can be this one.
    connection.inc_thread_sharing()
    try:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(run).result()
    finally:
        connection.dec_thread_sharing()


def _connection(store: Path) -> BaseDatabaseWrapper:
    options = {"transaction_mode": "IMMEDIATE", "init_command": _PRAGMAS}
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(store), "OPTIONS": options}
    return ConnectionHandler({DEFAULT_DB_ALIAS: database})[DEFAULT_DB_ALIAS]
