"""Recognising a damaged store among other failures, one that has lost its content, and what is no file."""

import sqlite3
import stat
import time
from pathlib import Path

# Seconds. SQLite writes the first page right after it has created the file.
_BEING_CREATED = 0.5
_OTHER_KINDS = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_damage(error: BaseException) -> bool:
    """Whether an error of SQLite or of Django means that the file of the store is damaged, or no store."""
    cause = error.__cause__ or error
    return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def require_file(store: Path) -> None:
    """Raise DatabaseError for a directory, a pipe or the like: SQLite only says that it cannot open it."""
    try:
        kind = stat.S_IFMT(store.stat().st_mode)
    except OSError:
        # Created by SQLite, or its failure.
        return
    if kind != stat.S_IFREG:
        raise sqlite3.OperationalError(f"{store} is {_OTHER_KINDS.get(kind, 'a device')}, not a file: move it away")


def require_content(store: Path) -> None:
    """Raise DatabaseError for an empty file, a new store to SQLite: docs/running.md#the-store-is-damaged."""
    if is_empty(store):
        error = sqlite3.DatabaseError(f"{store} is empty: replace it by a backup with 'manage.py backup restore'")
        error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
        raise error


def is_empty(store: Path) -> bool:
    """Whether the file is there and empty, also a moment later: at a first start another process may be filling it."""
    until = time.monotonic() + _BEING_CREATED
    while _has_no_bytes(store):
        if time.monotonic() > until:
            return True
        time.sleep(0.02)
    return False


def _has_no_bytes(store: Path) -> bool:
    try:
        return store.stat().st_size == 0
    except OSError:
        return False
