"""Private temporary folders of imports in the data folder (docs/decisions/files.md#imports-go-in-parts).

A folder whose process died is removed by the next one, unless the import in it can be finished.
"""

import secrets
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext_lazy

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks import instance_lock
from archive_site.lib.locks.file_lock import Taken, held, is_held
from archive_site.lib.storage.data_folder import made

_LOCK = "lock"
# A folder exists for a moment before its lock is held.
_YOUNG = 60.0
# Files that the web server receives are written at once, and kept while they are read.
_UPLOAD_ABANDONED_AFTER = 3600.0


@contextmanager
def alone(archive_id: int) -> Iterator[None]:
    """Only one file of an account is imported at a time. Raises ApiError 409 `busy`."""
    try:
        with instance_lock.held(f"imports/{archive_id}.lock"):
            yield
    except Taken:
        raise ApiError(409, "busy", gettext_lazy("Another file is being read for this account.")) from None


@contextmanager
def folder(kept: Collection[str] = ()) -> Iterator[Path]:
    """A new folder with mode 0700, removed when the block ends; those of the dead but `kept` are removed before."""
    remove_abandoned(kept)
    path = _path(secrets.token_hex(16))
    made(path.parent)
    path.mkdir(mode=0o700)
    with _removed_at_end(path):
        yield path


def is_here(name: str) -> bool:
    """Whether this node has the folder."""
    return bool(name) and _path(name).is_dir()


def is_of_the_dead(name: str) -> bool:
    """Whether this node has the folder, and no living process works in it."""
    return is_here(name) and _is_abandoned(_path(name))


@contextmanager
def of_the_dead(name: str) -> Iterator[Path]:
    """The folder that a dead process left, removed when the block ends.

    Raises Taken where its process lives, and FileNotFoundError where it is gone.
    """
    with _removed_at_end(_path(name)):
        yield _path(name)


def remove_abandoned(kept: Collection[str] = ()) -> int:
    """Remove the folders and uploaded files of processes that died, but for those `kept`; gives their number."""
    removed = 0
    for path in settings.DATA_FOLDER.imports.glob("*"):
        if path.name in kept:
            continue
        # Another process may remove it at the same time.
        with suppress(FileNotFoundError):
            if path.is_dir() and _is_abandoned(path):
                shutil.rmtree(path, ignore_errors=True)
            elif path.suffix != ".lock" and time.time() - path.stat().st_mtime > _UPLOAD_ABANDONED_AFTER:
                path.unlink()
            else:
                continue
            removed += 1
    return removed


def _path(name: str) -> Path:
    imports: Path = settings.DATA_FOLDER.imports
    return imports / name


@contextmanager
def _removed_at_end(path: Path) -> Iterator[None]:
    with held(path / _LOCK):
        try:
            yield
        finally:
            shutil.rmtree(path, ignore_errors=True)


def _is_abandoned(path: Path) -> bool:
    if not (path / _LOCK).exists():
        return time.time() - path.stat().st_mtime > _YOUNG
    return not is_held(path / _LOCK)
