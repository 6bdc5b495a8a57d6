"""A live store that cannot be used, in the way of a restore (docs/decisions/backups.md#a-store-that-cannot-be-used)."""

import logging
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext

from accounts.store_identity import open_store
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks import write_freeze
from archive_site.lib.storage import engine, store_damage, store_tables, store_version
from backups.backup_manifest import InvalidArchive
from backups.restore import schema_check, sqlite_stores
from backups.restore.store_switch import follow_up
from backups.snapshot.copied_store import opened
from backups.store_location import live_store

log = logging.getLogger(__name__)
_LOGS = ("-shm", "-wal")


def reason() -> str | None:
    """Why the store's file cannot be used: damaged, empty, newer or foreign, or without one of its tables.

    None if it can be used, or is no file.
    """
    if not engine.IS_SQLITE or not live_store().is_file():
        return None
    return _damage() or store_version.refusal() or _missing_table()


def require_tables() -> None:
    """Raises ApiError 400 `backup` for a store without one of its tables: no backup of it could be restored."""
    if engine.IS_SQLITE:
        if _missing_table():
            raise sqlite_stores.damaged()
    elif missing := store_tables.missing():
        words = gettext(
            "The current store lacks the table %(name)s. Stop the service, name an empty database in DATABASE_URL, and "
            "restore the backup there."
        )
        raise ApiError(400, "backup", words % {"name": missing[0]})


def set_aside() -> Path:
    """Move the store's file away, with its logs, and put an empty store in its place. Return the file's new path.

    Nothing can be written meanwhile. Raises ApiError 409 `busy` where others still write, OSError, and DatabaseError.
    """
    with write_freeze.frozen():
        # Django goes on with an open file that has lost its name.
        connection.close()
        live = live_store()
        file = live.resolve()
        at = clock.now().astimezone(settings.SERVER_ZONE)
        name = f"set-aside-{at:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}.sqlite3"
        aside = file.with_name(name)
        for part in (*_LOGS, ""):
            _move(file.with_name(file.name + part), aside.with_name(name + part))
        if live.is_symlink():
            live.unlink()
        follow_up.sync(aside.parent)
        log.info("the store was set aside as %s", aside)
        store_version.migrate()
        open_store()
    return aside


def _damage() -> str | None:
    if store_damage.is_empty(live_store()):
        return "its file is empty"
    try:
        store_damage.require_logs(live_store())
        with closing(opened(live_store())) as store:
            (found,) = store.execute("PRAGMA quick_check(1)").fetchone()
            _write_nothing(store)
    except sqlite3.DatabaseError as error:
        return str(error) if store_damage.is_damage(error) else None
    return None if found == "ok" else " ".join(str(found).split())


def _missing_table() -> str | None:
    try:
        with closing(opened(live_store())) as store:
            table = schema_check.missing_table(store)
    except (InvalidArchive, OSError, sqlite3.DatabaseError):
        # The failure that was met before, or will be met next, says more.
        log.info("the tables of the store could not be compared with its migrations", exc_info=True)
        return None
    return f"it lacks the table {table}" if table else None


def _write_nothing(store: sqlite3.Connection) -> None:
    """Raises DatabaseError where the header forbids to write. To begin a transaction is no write to SQLite then."""
    (version,) = store.execute("PRAGMA user_version").fetchone()
    store.execute("BEGIN IMMEDIATE")
    store.execute(f"PRAGMA user_version = {version}")
    store.execute("ROLLBACK")


def _move(file: Path, to: Path) -> None:
    if file.exists():
        file.rename(to)
