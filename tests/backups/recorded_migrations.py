"""The migrations of a schema of PostgreSQL, run once: later runs of a process repeat their statements.

A restore makes a schema by all migrations, which takes Django a second or two, in every test of restores.
"""

from collections.abc import Callable, Collection
from typing import Any

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from backups.offline_migration.in_thread import run_migrations

Targets = Collection[tuple[str, str]] | None


class RecordedMigrations:
    """Called as `run_migrations` is, for the newest migrations and an empty schema."""

    def __init__(self) -> None:
        self._statements: list[tuple[str, Any]] = []

    def __call__(self, targets: Targets, connection: BaseDatabaseWrapper) -> None:
        assert targets is None
        if self._statements:
            with transaction.atomic(), connection.cursor() as cursor:
                for statement, values in self._statements:
                    cursor.execute(statement, values)
            return
        made: list[tuple[str, Any]] = []

        def note(execute: Callable[..., Any], statement: str, values: Any, many: bool, context: Any) -> Any:
            assert not many
            if not statement.lstrip().startswith("SELECT"):
                made.append((statement, values))
            return execute(statement, values, many, context)

        with connection.execute_wrapper(note):
            run_migrations(targets, connection)
        # Only now: a migration that fails, or a process that is forked meanwhile, leaves nothing to repeat.
        self._statements = made
