"""Recognising a damaged or missing store among other failures, one that has lost its content, and what is no file.

The rules: docs/decisions/store.md#a-damaged-or-missing-store.
"""

import os
import sqlite3
import stat
import time
from pathlib import Path

from django.conf import settings
from django.db import connection

# Seconds. SQLite writes the first page right after it has created the file.
_BEING_CREATED = 0.5
_OTHER_KINDS = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# The words of an unknown schema format, which has no code of its own.
_UNKNOWN_FORMAT = "unsupported file format"
# The words of Python's module, with the text behind them.
_NO_TEXT = "Could not decode to UTF-8"
DAMAGED_TEXT = "a text of the store is damaged: it is not UTF-8"
_LOGS = ("-wal", "-shm")
_UNREACHABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)
# PostgreSQL: a damaged table or index; tables or a schema that are not there, also for a wrong `search_path`, or that
# the role of the service may not use.
_POSTGRES_DAMAGE = ("XX001", "XX002", "42P01", "3F000", "42501")
# Failures of the system below the server.
_POSTGRES_UNREACHABLE = "58"


class _Process:
    """Whether this process serves a store that was there when it started."""

    serves = False


def is_damage(error: BaseException) -> bool:
    """Whether an error of a database or of Django means that the store is damaged or lacks tables, or is no store."""
    cause = error.__cause__ or error
    if getattr(cause, "sqlstate", None) in _POSTGRES_DAMAGE:
        return True
    code = getattr(cause, "sqlite_errorcode", 0)
    if code == sqlite3.SQLITE_READONLY:
        return _may_be_written()
    return code & 0xFF in _DAMAGE or (code == sqlite3.SQLITE_ERROR and str(cause) == _UNKNOWN_FORMAT)


def is_unusable(error: BaseException) -> bool:
    """Whether an error means that the store is damaged, cannot be reached, or is missing, or the data folder is.

    A full disk and a locked store have some of these codes, too: ask for them before.
    """
    cause = error.__cause__ or error
    if isinstance(cause, OSError):
        folder = settings.DATA_FOLDER
        return not (os.path.isdir(folder.home) and os.path.isdir(folder.shared or folder.home))
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    state = str(getattr(cause, "sqlstate", ""))
    return is_damage(error) or code in _UNREACHABLE or state.startswith(_POSTGRES_UNREACHABLE)


def without_text(error: sqlite3.Error) -> sqlite3.Error:
    """The same error; for one that repeats a damaged text, another that does not."""
    if str(error).startswith(_NO_TEXT):
        return _of(sqlite3.SQLITE_CORRUPT, DAMAGED_TEXT)
    return error


def expect_store() -> None:
    """From now on this process, and those that it forks, take a missing store for a failure and begin no new one."""
    _Process.serves = True


def is_expected() -> bool:
    return _Process.serves


def require_present(store: Path) -> None:
    """Raise DatabaseError for a missing file where one is expected."""
    if is_expected() and not os.path.exists(store):
        raise _of(sqlite3.SQLITE_CANTOPEN, f"{store} is missing")


def require_file(store: Path) -> None:
    """Raise DatabaseError for a directory, a pipe or the like: SQLite only says that it cannot open it."""
    try:
        kind = stat.S_IFMT(store.stat().st_mode)
    except OSError:
        # Created by SQLite, or its failure.
        return
    if kind != stat.S_IFREG:
        raise sqlite3.OperationalError(f"{store} is {_OTHER_KINDS.get(kind, 'a device')}, not a file: move it away")


def require_logs(store: Path) -> None:
    """Raise DatabaseError where something else is in the place of a log of SQLite beside the store."""
    for log in _LOGS:
        # SQLite follows links before it names a log.
        path = f"{os.path.realpath(store)}{log}"
        if os.path.exists(path) and not os.path.isfile(path):
            raise _of(sqlite3.SQLITE_NOTADB, f"{path} is not a file")


def require_content(store: Path) -> None:
    """Raise DatabaseError for an empty file, a new store to SQLite: docs/running.md#the-store-is-damaged."""
    if is_empty(store):
        raise _of(sqlite3.SQLITE_NOTADB, f"{store} is empty: replace it by a backup with 'manage.py backup restore'")


def is_empty(store: Path) -> bool:
    """Whether the file is there and empty, also a moment later: at a first start another process may be filling it."""
    until = time.monotonic() + _BEING_CREATED
    while _has_no_bytes(store):
        if time.monotonic() > until:
            return True
        time.sleep(0.02)
    return False


def _of(code: int, words: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(words)
    error.sqlite_errorcode = code
    return error


def _may_be_written() -> bool:
    """Whether the system lets this process write to the store, so that only its header can forbid it."""
    store = str(connection.settings_dict["NAME"])
    return os.path.isfile(store) and os.access(store, os.W_OK) and os.access(os.path.dirname(store), os.W_OK)


def _has_no_bytes(store: Path) -> bool:
    try:
        return store.stat().st_size == 0
    except OSError:
        return False
