"""Private temporary folders of imports in the data folder (docs/decisions/files.md#imports-go-in-parts).

A folder whose process died is removed by the next one, unless the import in it can be finished; so are the files that
requests sent (`uploaded_file`).
"""

import logging
import re
import secrets
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext_lazy

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks import instance_lock
from archive_site.lib.locks.file_lock import Taken, held, is_held, is_taken
from archive_site.lib.storage.data_folder import made

log = logging.getLogger(__name__)

_LOCK = "lock"
_OF_ACCOUNT = re.compile(r"\d+\.lock")
# A folder exists for a moment before its lock is held.
_YOUNG = 60.0


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
        try:
            removed += _is_removed_folder(path) if path.is_dir() else _is_removed_upload(path)
        except FileNotFoundError:
            # Another process removes it at the same time.
            continue
        except OSError as error:
            log.warning("%s stays in imports/: %s", path.name, error.strerror)
    return removed


def _is_removed_folder(path: Path) -> bool:
    is_removed = _is_abandoned(path)
    if is_removed:
        shutil.rmtree(path, ignore_errors=True)
    return is_removed


def _is_removed_upload(path: Path) -> bool:
    # The locks of accounts are files, too; nothing is in them.
    if _OF_ACCOUNT.fullmatch(path.name):
        return False
    with path.open("rb") as file:
        is_removed = is_taken(file.fileno())
        if is_removed:
            path.unlink()
    return is_removed


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
        return abs(time.time() - path.stat().st_mtime) > _YOUNG
    return not is_held(path / _LOCK)
