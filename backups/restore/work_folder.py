"""Temporary private folders beside the store, in which a backup is unpacked and a new store is built.

They are on the disk of the store. If the store is outside of the data folder, a link in the data folder leads to each
of them: other instances may keep their stores in the same place, and each removes only its own folders.
"""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks.file_lock import held, is_held
from backups.store_location import store_folder

_PREFIX = ".restore-"
_LOCK = "lock"
# Bytes that always stay free on the disk.
_SPARED = 4 * 1024**2


@contextmanager
def folder() -> Iterator[Path]:
    """A new folder beside the store with mode 0700 and its own lock, removed when the block ends."""
    path = store_folder() / f"{_PREFIX}{secrets.token_hex(8)}"
    known: Path = settings.DATA_FOLDER.home / path.name
    path.mkdir(mode=0o700)
    with held(path / _LOCK):
        try:
            if not known.exists():
                known.symlink_to(path)
            yield path
        finally:
            _remove(known, path)


@contextmanager
def abandoned() -> Iterator[list[Path]]:
    """The folders of processes that died, removed when the block ends."""
    known = [path for path in settings.DATA_FOLDER.home.glob(f"{_PREFIX}*") if _is_abandoned(path)]
    found = [path.resolve() for path in known]
    yield found
    for name, path in zip(known, found, strict=True):
        _remove(name, path)


def require_room(needed: int) -> None:
    """Raises ApiError 400 `backup` unless `needed` bytes are free on the disk of the store."""
    free = max(0, shutil.disk_usage(store_folder()).free - _SPARED)
    if needed > free:
        words = gettext("This needs %(needed)s MiB of free disk space; %(free)s MiB are free. Nothing was changed.")
        sizes = {"needed": f"{needed / 1024**2:.0f}", "free": f"{free / 1024**2:.0f}"}
        raise ApiError(400, "backup", words % sizes)


def _is_abandoned(path: Path) -> bool:
    try:
        return not is_held(path / _LOCK)
    except FileNotFoundError:
        # A link without its folder is a leftover, too.
        return path.is_symlink()


def _remove(known: Path, path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if known.is_symlink():
        known.unlink(missing_ok=True)
