"""Putting a new store in place of the live one, with its key, in one step that no death tears apart (design 7).

The live store's name is a plain file until the first restore, and from then on a link to a file whose name is never
used twice. The switch is the rename that turns it. SQLite follows links before it names a store's log, so two stores
never share one.
"""

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.utils.translation import gettext

from accounts import store
from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.errors import ApiError
from backups import manifest
from backups.rebuilding import live_store
from usage.export import file_name
from usage.export_files import exports_of

# Seconds that another program's lock on the live store is waited for.
PATIENCE = 20.0
# In the folder of a restore: the name of the file that it is about to put in place, and of the one that goes for it.
_MARK = "stores"
_OURS = re.compile(r"store-[0-9a-f]{32}\.sqlite3")
_LOGS = ("-wal", "-shm")
_MOMENT = len("YYYYMMDD-HHMMSS.csv")


def announce(folder: Path, store_id: str) -> None:
    """Write down which store comes now, so that it can be told later whether it came."""
    (folder / _MARK).write_text(f"store-{store_id}.sqlite3\n{_linked() or ''}")
    _sync(folder / _MARK)
    _sync(folder)


def was_announced(folder: Path) -> bool:
    return (folder / _MARK).exists()


def has_come(folder: Path) -> bool:
    """Whether the store that was announced is the live one."""
    return was_announced(folder) and _announced(folder)[0] == _linked()


def stage_key(key: Path) -> None:
    """Move the file of a key beside the instance's. It counts once the store names it."""
    _sync(key)
    key.replace(settings.DATA_FOLDER.staged_key)
    _sync(settings.DATA_FOLDER.home)


@contextmanager
def live_store_held() -> Iterator[None]:
    """Nobody commits to the present store until the block ends; reading goes on.

    Raises ApiError 409 `busy` when another program keeps it locked, and sqlite3.Error.
    """
    with closing(sqlite3.connect(live_store(), timeout=PATIENCE, isolation_level=None)) as held:
        try:
            held.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            words = gettext("Another program keeps the store locked. Nothing was changed.")
            raise ApiError(409, "busy", words) from None
        yield


def switch(folder: Path) -> None:
    """Put the announced store in place, whole or not at all; who has the old one open reads it to the end."""
    new, live = folder / manifest.STORE, live_store()
    with closing(sqlite3.connect(new)) as prepared:
        prepared.execute("PRAGMA journal_mode=WAL")
    # Before anybody opens it: closing a file takes away the locks that this process has on it.
    _sync(new)
    coming, _ = _announced(folder)
    new.rename(live.with_name(coming))
    _sync(live.parent)
    link = folder / "link"
    link.symlink_to(coming)
    link.replace(live)


def settle(folder: Path) -> None:
    """What follows a switch, or one that did not come, also where a death came between. May come again."""
    if has_come(folder):
        complete(folder)
    else:
        undo(folder)


def complete(folder: Path) -> None:
    """What follows the switch: the key, the old store's end, the exports."""
    # A machine that dies must not undo it after that.
    _sync(live_store().parent)
    store.settle_key()
    _remove(_announced(folder)[1])
    remove_strays()
    _remove_exports_of_others()
    ContentType.objects.clear_cache()


def undo(folder: Path) -> None:
    """What follows a switch that did not come: the staged key and the new store go."""
    store.settle_key()
    if was_announced(folder):
        _remove(_announced(folder)[0])


def remove_strays() -> None:
    """Remove the log of the plain file that a link has taken the place of; who had it open may have made it anew."""
    live = live_store()
    if live.is_symlink():
        for log in _LOGS:
            live.with_name(live.name + log).unlink(missing_ok=True)


def _announced(folder: Path) -> tuple[str, str]:
    """The name of the file that comes, and of the one that goes; a death may have left half a note."""
    coming, _, going = (folder / _MARK).read_text().partition("\n")
    return coming, going


def _linked() -> str | None:
    """Where the live store's name leads; None where it is a plain file."""
    live = live_store()
    return os.readlink(live) if live.is_symlink() else None


def _remove(name: str) -> None:
    """Remove a file that a restore made and its log, but never the live store, nor what was linked by hand."""
    if _OURS.fullmatch(name) and name != _linked():
        for part in ("", *_LOGS):
            live_store().with_name(name + part).unlink(missing_ok=True)


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
