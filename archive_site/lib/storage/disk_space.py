"""Telling a full disk from other failures."""

import errno
import shutil
import sqlite3

from django.conf import settings

FULL = "The disk is full"
# With less of it SQLite cannot make the files that it works with, and calls that an I/O error.
_LEAST = 64 * 1024


def is_full(error: BaseException) -> bool:
    """Whether an error of the system, of SQLite, or of Django above it means that the disk is full."""
    cause = error.__cause__ or error
    if isinstance(cause, OSError):
        return cause.errno in (errno.ENOSPC, errno.EDQUOT)
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return shutil.disk_usage(settings.DATA_FOLDER.home).free < _LEAST
    return code == sqlite3.SQLITE_FULL
