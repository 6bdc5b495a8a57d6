"""Private temporary folders of imports in the data folder. A folder whose process died is removed by the next one."""

import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

from archive_site.lib.locks.file_lock import held, is_held

_LOCK = "lock"
# A folder exists for a moment before its lock is held.
_YOUNG = 60.0
# Files that the web server receives are written at once, and kept while they are read.
_UPLOAD_ABANDONED_AFTER = 3600.0


@contextmanager
def folder() -> Iterator[Path]:
    """A new folder with mode 0700, removed when the block ends."""
    remove_abandoned()
    path: Path = settings.DATA_FOLDER.imports / secrets.token_hex(8)
    path.mkdir(mode=0o700, parents=True)
    try:
        with held(path / _LOCK):
            yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def remove_abandoned() -> int:
    """Remove the folders and uploaded files of processes that died; gives their number."""
    removed = 0
    for path in settings.DATA_FOLDER.imports.glob("*"):
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


def _is_abandoned(path: Path) -> bool:
    if not (path / _LOCK).exists():
        return time.time() - path.stat().st_mtime > _YOUNG
    return not is_held(path / _LOCK)
