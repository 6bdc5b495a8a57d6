"""Migrations of a store file, always of SQLite, that is not the live store.

Migrations call modules of the project, which are those of the live store's engine. So `in_thread` runs them where that
is SQLite. Where it is PostgreSQL, `in_process` starts `__main__`, a process that loads the modules of SQLite.
"""

import tempfile
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from django.db.migrations.loader import MigrationLoader

from archive_site.lib.storage import engine

if engine.IS_SQLITE:
    from backups.offline_migration.in_thread import migrate
else:
    from backups.offline_migration.in_process import migrate

Migration = tuple[str, str]

__all__ = ["Migration", "last_of", "make", "migrate"]


def last_of(migrations: Collection[Migration]) -> list[Migration]:
    """Those migrations that none of the others needs. Raises KeyError for one that this version does not have."""
    nodes = MigrationLoader(None).graph.node_map
    return [one for one in migrations if not any(child.key in migrations for child in nodes[one].children)]


def make(store: Path, migrations: frozenset[Migration]) -> None:
    """Make an empty store file with these migrations."""
    store.write_bytes(_made(migrations))


@lru_cache(maxsize=1)
def _made(migrations: frozenset[Migration]) -> bytes:
    """The file of an empty store, less than a megabyte: a restore needs one for its check and one for its backup."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.sqlite3"
        migrate(path, last_of(migrations))
        return path.read_bytes()
