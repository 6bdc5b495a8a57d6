"""Putting a new store in place of the live one, with its key, in one step that no death tears apart (design 7).

The live store's name is a plain file until the first restore, and from then on a link to a file whose name is never
used twice. The switch is the rename that turns it. SQLite follows links before it names a store's log, so two stores
never share one. An outside program that keeps the old file open goes on writing into a file that is gone.
"""

import logging
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.utils.translation import gettext

from accounts import store_identity
from accounts.models import Store, User
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from backups import backup_manifest
from backups.store_location import live_store
from usage.export.csv_file import file_name
from usage.export.kept_files import exports_of

log = logging.getLogger(__name__)

# Seconds that another program's lock on the live store is waited for, and one that reads from it.
PATIENCE = 20.0
_READERS_PATIENCE = 1.0
# In the folder of a restore: the name of the file that it is about to put in place, and of the one that goes for it.
_MARK = "stores"
_OURS = re.compile(r"store-[0-9a-f]{32}\.sqlite3")
_LOGS = ("-wal", "-shm")
_MOMENT = len("YYYYMMDD-HHMMSS.csv")


def announce(folder: Path, store_id: str) -> None:
    """Write down which store comes now, so that it can be told later whether it came."""
    live = live_store()
    (folder / _MARK).write_text(f"{_named(store_id)}\n{live.resolve().name if live.is_symlink() else ''}")
    _sync(folder / _MARK)
    _sync(folder)


def was_announced(folder: Path) -> bool:
    return (folder / _MARK).exists()


def has_come(folder: Path) -> bool:
    """Whether the store that was announced is the live one."""
    if not was_announced(folder):
        return False
    coming, _ = _announced(folder)
    if _is_live(folder.parent / coming):
        return True
    # A copy of the data folder may hold it where the link was.
    found = Store.objects.values_list("store_id", flat=True).first()
    return found is not None and coming == _named(found.hex)


def stage_key(key: Path) -> None:
    """Copy a key, maybe to another disk, beside the instance's. It counts once it is whole and the store names it."""
    staged: Path = settings.DATA_FOLDER.staged_key
    staged.write_bytes(key.read_bytes())
    _sync(staged)
    _sync(settings.DATA_FOLDER.home)


@contextmanager
def live_store_held() -> Iterator[None]:
    """Nobody commits to the present store until the block ends; reading goes on.

    Raises ApiError 409 `busy` when another program keeps it locked, and sqlite3.Error.
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


def switch(folder: Path) -> None:
    """Put the announced store in place, whole or not at all; who has the old one open reads it to the end."""
    new, live = folder / backup_manifest.STORE, live_store()
    with closing(sqlite3.connect(new)) as prepared:
        prepared.execute("PRAGMA journal_mode=WAL")
    # Before anybody opens it: closing a file takes away the locks that this process has on it.
    _sync(new)
    coming = folder.parent / _announced(folder)[0]
    new.rename(coming)
    _sync(coming.parent)
    link = _link(folder)
    link.symlink_to(coming.name if coming.parent.samefile(live.parent) else coming)
    link.replace(live)
    _tried(remove_strays)


def settle(folder: Path) -> None:
    """What follows a switch, or one that did not come, also where a death came between. May come again."""
    if has_come(folder):
        complete(folder)
    else:
        undo(folder)


def complete(folder: Path) -> None:
    """What follows the switch: the key, the old store's end, the exports. The store is restored, whatever fails."""
    # A machine that dies must not undo it after that.
    _tried(partial(_sync, live_store().parent))
    _tried(store_identity.settle_key)
    _tried(partial(_retire, folder))
    _tried(remove_strays)
    _tried(_remove_exports_of_others)
    _tried(ContentType.objects.clear_cache)


def undo(folder: Path) -> None:
    """What follows a switch that did not come: the staged key and the new store go."""
    store_identity.settle_key()
    if was_announced(folder):
        _link(folder).unlink(missing_ok=True)
        _remove(folder.parent / _announced(folder)[0])


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


def _named(store_id: str) -> str:
    return f"store-{store_id}.sqlite3"


def _link(folder: Path) -> Path:
    """The link that is about to take the live store's name; a rename needs it in the same folder."""
    return live_store().with_name(f"link{folder.name}")


def _is_live(file: Path) -> bool:
    """However the link to it is spelled."""
    live = live_store()
    return file.exists() and live.exists() and file.samefile(live)


def _retire(folder: Path) -> None:
    """Remove the store that was linked before; what no restore made was linked by hand, and is its owner's."""
    _, going = _announced(folder)
    if going and not _OURS.fullmatch(going):
        log.warning("the store before, %s, is left: it was linked by hand", folder.parent / going)
    elif going:
        _remove(folder.parent / going)


def _remove(file: Path) -> None:
    """Remove a file that a restore made and its log, but never the live store."""
    if _OURS.fullmatch(file.name) and not _is_live(file):
        for part in ("", *_LOGS):
            file.with_name(file.name + part).unlink(missing_ok=True)


def _empty_log() -> None:
    """Of a plain file no log may be left beside the link that takes its place: a copy would play it into another."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(live_store(), timeout=_READERS_PATIENCE)) as live:
        live.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _tried(step: Callable[[], object]) -> None:
    """Do what is no reason to say that the store was not restored; its failure is told in the log."""
    try:
        step()
    except Exception:
        log.exception("the store is restored, but something that follows failed")


def _remove_exports_of_others() -> None:
    """An id may be another person's now: exports stay with whose name they carry, or where nobody has the id."""
    names = dict(User.objects.values_list("pk", "username"))
    for folder in settings.DATA_FOLDER.exports.glob("*"):
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
