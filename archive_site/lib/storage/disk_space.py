"""Recognising a full disk, also among other failures."""

import errno
import logging
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError

from archive_site.lib import seldom_log

log = logging.getLogger(__name__)

FULL = "The disk is full"
# With less free space (bytes) SQLite cannot create its temporary files and reports an I/O error.
_LEAST = 64 * 1024
# With less (bytes) an instance cannot serve: a page of records, its sums and their log take as much.
_LEAST_TO_SERVE = 1024 * 1024
# The code of PostgreSQL for a full disk.
_FULL_POSTGRES = "53100"


def is_full(error: BaseException) -> bool:
    """Whether an error of the system, of a database or of Django means that the disk is full."""
    cause = error.__cause__ or error
    if isinstance(cause, OSError):
        return cause.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    if getattr(cause, "sqlstate", None) == _FULL_POSTGRES:
        return True
    extended = getattr(cause, "sqlite_errorcode", 0)
    if extended == sqlite3.SQLITE_IOERR_WRITE:
        # SQLite reports a quota, or a limit of the size of files, like a disk that fails.
        return True
    code = extended & 0xFF
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return _free() < _LEAST
    return code == sqlite3.SQLITE_FULL


@contextmanager
def left_out_if_full(what: str) -> Iterator[None]:
    """Leave out the write of the block where the disk is full, so that it is no reason to refuse a request.

    `what` names it in the log, once a minute (docs/decisions/store.md#a-full-disk).
    """
    try:
        yield
    except (OSError, sqlite3.Error, DatabaseError) as error:
        if not is_full(error):
            raise
        seldom_log.warn(log, f"left out: {what}", "the disk is full: %s is left out", what)


def has_room(least: int = _LEAST_TO_SERVE, folder: Path | None = None) -> bool:
    """Whether the disk of the data folder, or of this one, has room to serve, or for these bytes.

    A quota is not seen here.
    """
    return _free(folder) >= least


def _free(folder: Path | None = None) -> int:
    try:
        return shutil.disk_usage(folder or settings.DATA_FOLDER.home).free
    except OSError:
        # The folder is missing, which others report; a disk that is not there is not full.
        return sys.maxsize
