"""Replaces the live store and its key by new ones in one atomic step.

The rules: docs/decisions/backups.md#the-restore-turns-a-link.

The live store's name is a plain file until the first restore, and from then on a link to a file whose name is never
used twice. The switch is the rename that replaces the link. SQLite follows links before it names a store's log, so two
stores never share a log. An outside program that keeps the old file open goes on writing to a deleted file.
"""

import logging
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path

from django.utils.translation import gettext

from accounts import store_identity
from accounts.models import Store
from archive_site.lib.http.api_error import ApiError
from backups import backup_manifest
from backups.restore.both_stores import BothStores
from backups.restore.sqlite_stores import SqliteStores
from backups.restore.store_switch import follow_up
from backups.restore.store_switch.follow_up import sync, tried
from backups.store_location import live_store

log = logging.getLogger(__name__)

# Seconds to wait for another program that has locked the live store, and for one that reads it.
PATIENCE = 20.0
_READERS_PATIENCE = 1.0
# A file in the folder of a restore: the names of the store file that it puts in place and of the one that it replaces.
_MARK = "stores"
_OURS = re.compile(r"store-[0-9a-f]{32}\.sqlite3")
_LOGS = ("-wal", "-shm")


@contextmanager
def staged(folder: Path) -> Iterator[BothStores]:
    """The new store in the folder of a restore, beside the live one."""
    yield SqliteStores(folder / backup_manifest.STORE)


def announce(folder: Path, store_id: str) -> None:
    """Write down which store the switch will put in place, so that `has_come` can find out whether it did."""
    live = live_store()
    (folder / _MARK).write_text(f"{_named(store_id)}\n{live.resolve().name if live.is_symlink() else ''}")
    sync(folder / _MARK)
    sync(folder)


def was_announced(folder: Path) -> bool:
    return (folder / _MARK).exists()


def has_come(folder: Path) -> bool:
    """Whether the announced store is the live one."""
    if not was_announced(folder):
        return False
    coming, _ = _announced(folder)
    if _is_live(folder.parent / coming):
        return True
    # In a copy of the data folder, the store may be a plain file instead of the link.
    found = Store.objects.values_list("store_id", flat=True).first()
    return found is not None and coming == _named(found.hex)


@contextmanager
def live_store_held(stores: BothStores) -> Iterator[None]:
    """Block all commits to the live store until the block ends; reads continue.

    Raises ApiError 409 `busy` when another program keeps the store locked, and sqlite3.Error.
    """
    _empty_log()
    with closing(sqlite3.connect(live_store(), timeout=PATIENCE, isolation_level=None)) as held:
        try:
            held.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            words = gettext("Another program keeps the store locked. Nothing was changed.")
            raise ApiError(409, "busy", words) from None
        yield


def switch(folder: Path, stores: BothStores) -> None:
    """Put the announced store in place, completely or not at all. Open connections can still read the old one."""
    new, live = folder / backup_manifest.STORE, live_store()
    with closing(sqlite3.connect(new)) as prepared:
        prepared.execute("PRAGMA journal_mode=WAL")
    # Synced before anything opens the store: closing a file drops all locks that this process has on it.
    sync(new)
    coming = folder.parent / _announced(folder)[0]
    # Of a restore by root, too, which the service reads at once.
    shutil.chown(new, live.stat().st_uid, live.stat().st_gid)
    new.rename(coming)
    sync(coming.parent)
    link = _link(folder)
    link.symlink_to(coming.name if coming.parent.samefile(live.parent) else coming)
    link.replace(live)
    tried(remove_strays)


def complete(folder: Path) -> None:
    """Finish a switch: the key, the old store, the exports."""
    # First the rename has to survive a crash of the machine, because the next steps remove the old store.
    tried(partial(sync, live_store().parent))
    follow_up.follow(partial(_retire, folder), remove_strays)


def undo(folder: Path) -> None:
    """Undo a switch that did not happen: remove the staged key and the new store."""
    store_identity.settle_key()
    if was_announced(folder):
        _link(folder).unlink(missing_ok=True)
        _remove(folder.parent / _announced(folder)[0])


def remove_strays() -> None:
    """Remove the log of the plain file that a link has replaced. A program that had the file open may recreate it."""
    live = live_store()
    if live.is_symlink():
        for log in _LOGS:
            live.with_name(live.name + log).unlink(missing_ok=True)


def _announced(folder: Path) -> tuple[str, str]:
    """The names of the new store file and of the replaced one; a death may have left the note incomplete."""
    coming, _, going = (folder / _MARK).read_text().partition("\n")
    return coming, going


def _named(store_id: str) -> str:
    return f"store-{store_id}.sqlite3"


def _link(folder: Path) -> Path:
    """The link that will get the live store's name. It is in the same folder, because the rename needs that."""
    return live_store().with_name(f"link{folder.name}")


def _is_live(file: Path) -> bool:
    """Whether a file is the live store, however the link spells its path."""
    live = live_store()
    return file.exists() and live.exists() and file.samefile(live)


def _retire(folder: Path) -> None:
    """Remove the store that was linked before. A file that no restore created was linked by hand and is left."""
    _, going = _announced(folder)
    if going and not _OURS.fullmatch(going):
        log.warning("the old store %s is not removed, because it was linked by hand", folder.parent / going)
    elif going:
        _remove(folder.parent / going)


def _remove(file: Path) -> None:
    """Remove a store file that a restore created, and its log, but never the live store."""
    if _OURS.fullmatch(file.name) and not _is_live(file):
        for part in ("", *_LOGS):
            file.with_name(file.name + part).unlink(missing_ok=True)


def _empty_log() -> None:
    """Empty the live store's log. A log beside the link that replaces a plain file would be applied to another store in
    a copy of the data folder."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(live_store(), timeout=_READERS_PATIENCE)) as live:
        live.execute("PRAGMA wal_checkpoint(TRUNCATE)")
