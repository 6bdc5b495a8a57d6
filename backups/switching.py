"""Putting a new store in place of the live one, with its key, in one step that no death tears apart (design 7)."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.utils.translation import gettext

from accounts import store
from accounts.models import Store, User
from archive_site.lib import clock
from archive_site.lib.errors import ApiError
from backups.rebuilding import live_store
from backups.snapshot import until
from usage.export import file_name
from usage.export_files import exports_of

# Seconds that another program's lock on the live store is waited for.
PATIENCE = 20.0
# In the folder of a restore: the id of the store that it is about to put in place.
_MARK = "store_id"
_MOMENT = len("YYYYMMDD-HHMMSS.csv")


def announce(folder: Path, store_id: str) -> None:
    """Write down which store comes now, so that it can be told later whether it came."""
    (folder / _MARK).write_text(store_id)
    _sync(folder / _MARK)
    _sync(folder)


def was_announced(folder: Path) -> bool:
    return (folder / _MARK).exists()


def has_come(folder: Path) -> bool:
    """Whether the store that was announced is the live one."""
    found = Store.objects.values_list("store_id", flat=True).first()
    return was_announced(folder) and found is not None and (folder / _MARK).read_text() == found.hex


def stage_key(key: Path) -> None:
    """Move the file of a key beside the instance's. It counts once the store names it."""
    _sync(key)
    key.replace(settings.DATA_FOLDER.staged_key)
    _sync(settings.DATA_FOLDER.home)


def switch(new: Path) -> None:
    """Put the new store in place, whole or not at all; who reads the old one reads it to the end.

    Raises ApiError 409 `busy` when another program keeps the live one locked, and sqlite3.Error.
    """
    locked = ApiError(409, "busy", gettext("Another program keeps the store locked. Nothing was changed."))
    with closing(sqlite3.connect(new)) as source, closing(sqlite3.connect(live_store(), timeout=0)) as target:
        # The key takes its place right after: then this must not be undone by a machine that dies.
        target.execute("PRAGMA synchronous=FULL")
        target.execute("PRAGMA wal_autocheckpoint=0")
        source.backup(target, pages=-1, progress=until(time.monotonic() + PATIENCE, locked), sleep=0.05)


def complete() -> None:
    """What follows the switch, also where a death came between: the key, the exports, the log. May come again."""
    store.settle_key()
    _sync(settings.DATA_FOLDER.home)
    _remove_exports_of_others()
    ContentType.objects.clear_cache()
    shorten_log()


def undo() -> None:
    """What follows a switch that did not come: the staged key goes, and what the log holds of it."""
    store.settle_key()
    shorten_log()


def shorten_log() -> None:
    """Give the space of the live store's log back, unless somebody reads from it just now."""
    with closing(sqlite3.connect(live_store(), timeout=1)) as live:
        live.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _remove_exports_of_others() -> None:
    """An id may be another person's now: exports stay with whose name they carry, or where nobody has the id."""
    names = dict(User.objects.values_list("pk", "username"))
    for folder in settings.DATA_FOLDER.exports.iterdir():
        user_id = int(folder.name) if folder.name.isascii() and folder.name.isdecimal() else 0
        if user_id not in names:
            continue
        own = file_name(names[user_id], clock.now())[:-_MOMENT]
        for path in exports_of(user_id):
            if path.name[:-_MOMENT] != own:
                path.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Make sure that what a file or folder holds is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
