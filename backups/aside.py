"""Private folders beside the store, in which an archive is opened and a new store is built; nothing of them stays."""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext

from archive_site.lib.errors import ApiError
from archive_site.lib.file_lock import Taken, held

_PREFIX = ".restore-"
_LOCK = "lock"
# What stays free on the disk, whatever an archive asks for.
_SPARED = 4 * 1024**2


@contextmanager
def folder() -> Iterator[Path]:
    """A new folder of the data folder, 0700 and held by a lock of its own, removed when the block ends."""
    path: Path = settings.DATA_FOLDER.home / f"{_PREFIX}{secrets.token_hex(8)}"
    path.mkdir(mode=0o700)
    with held(path / _LOCK):
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def abandoned() -> Iterator[list[Path]]:
    """The folders whose processes died; removed when the block has done with them."""
    found = [path for path in settings.DATA_FOLDER.home.glob(f"{_PREFIX}*") if _is_abandoned(path)]
    yield found
    for path in found:
        shutil.rmtree(path, ignore_errors=True)


def require_room(needed: int) -> None:
    """Raises ApiError 400 `backup` unless so many bytes are free where the store lies."""
    free = max(0, shutil.disk_usage(settings.DATA_FOLDER.home).free - _SPARED)
    if needed > free:
        words = gettext("This needs %(needed)s MiB of free disk; there are %(free)s. Nothing was changed.")
        sizes = {"needed": f"{needed / 1024**2:.0f}", "free": f"{free / 1024**2:.0f}"}
        raise ApiError(400, "backup", words % sizes)


def _is_abandoned(path: Path) -> bool:
    try:
        with held(path / _LOCK):
            return True
    except (Taken, FileNotFoundError):
        return False
