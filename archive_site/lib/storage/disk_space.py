"""Recognising a full disk, also among other failures."""

import errno
import shutil
import sqlite3

from django.conf import settings

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
        return cause.errno in (errno.ENOSPC, errno.EDQUOT)
    if getattr(cause, "sqlstate", None) == _FULL_POSTGRES:
        return True
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return _free() < _LEAST
    return code == sqlite3.SQLITE_FULL


def has_room() -> bool:
    """Whether the disk of the data folder has room to serve. A quota is not seen here."""
    return _free() >= _LEAST_TO_SERVE


def _free() -> int:
    return shutil.disk_usage(settings.DATA_FOLDER.home).free
