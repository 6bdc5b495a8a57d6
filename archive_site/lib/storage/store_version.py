"""Which migrations a store has, beside those of this version: it may be behind, newer, or no store of the service."""

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pkgutil import iter_modules

from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from archive_site.lib.environment import ConfigurationError
from archive_site.lib.locks import instance_lock
from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import SqlRow, fetch

Migration = tuple[str, str]
NEWER = "it is of a newer version of this service"
FOREIGN = "it holds tables, but no migrations of this service"
_ADVICE = {
    NEWER: "Start that version again, or go back with a backup from before the upgrade (docs/running.md#upgrading)",
    FOREIGN: (
        "It is of another program, or damaged: replace it by a backup with 'manage.py backup restore', which sets it "
        "aside (docs/running.md#the-store-is-damaged)"
    ),
}
# The app of the first migration.
_FIRST_APP = "usage"
# No migration takes longer, in seconds.
_MIGRATION = 6 * 3600.0


def migrate() -> None:
    """Migrate the store to this version's schema; of commands that start at once, only one does.

    Raises ConfigurationError for a store of a newer version or of another program, and DatabaseError.
    """
    require_usable()
    if not is_behind():
        return
    with instance_lock.held("migrate.lock", wait=_MIGRATION):
        # A newer version may have held the lock.
        require_usable()
        if is_behind():
            call_command("migrate", verbosity=0, interactive=False)


def is_behind() -> bool:
    """Whether a migration is to be applied. Mostly the names say no: loading all migrations takes longer."""
    if set(_on_disk()) <= _applied():
        return False
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def refusal() -> str | None:
    """Why this version cannot use the store. None if it can."""
    if is_foreign():
        return FOREIGN
    return NEWER if is_newer() else None


def is_foreign() -> bool:
    """Whether an SQLite file holds tables, but no migrations of this service: of another program, or a store that
    lost them.

    In a schema of PostgreSQL others may have tables, too.
    """
    if not engine.IS_SQLITE:
        return False
    # Django creates its own table first. Read before the migrations: a first start may commit both meanwhile.
    tables = {*connection.introspection.table_names()} - {MigrationRecorder.Migration._meta.db_table}
    return bool(tables) and all(app != _FIRST_APP for app, _ in _applied())


def is_newer(*, is_in_use: bool = False) -> bool:
    """Whether the store has a migration that the version of this process does not know; one that `is_in_use` has the
    table of migrations."""
    return not _of_this_process().issuperset(_names() if is_in_use else _applied())


def require_usable() -> None:
    """Raises ConfigurationError for a store of a newer version or of another program, and DatabaseError."""
    reason = refusal()
    if reason:
        raise ConfigurationError(f"The store cannot be used: {reason}. {_ADVICE[reason]}")


def _applied() -> set[Migration]:
    # A restore may have set the store aside that had the table.
    return set(_names()) if MigrationRecorder(connection).has_table() else set()


def _names() -> list[SqlRow]:
    # Not with the ORM: a run asks before it stores each page.
    return fetch("SELECT app, name FROM django_migrations")


@cache
def _of_this_process() -> frozenset[Migration]:
    """The migrations at the start of this process: an upgrade may put others on its disk meanwhile."""
    return frozenset(_on_disk())


def _on_disk() -> Iterator[Migration]:
    """App and name of each migration on the disk."""
    for app in apps.get_app_configs():
        package, _ = MigrationLoader.migrations_module(app.label)
        spec = find_spec(package) if package else None
        if spec:
            names = [module.name for module in iter_modules(spec.submodule_search_locations)]
            # Django takes other names for helpers.
            yield from ((app.label, name) for name in names if name[0] not in "_~")
