"""The SQLite file of the counters: opened, and made again where SQLite cannot use it.

The rules: docs/decisions/store.md#counters-in-a-small-cache-of-their-own.
"""

import fcntl
import logging
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from archive_site.lib.storage import busy_errors, disk_space
from archive_site.lib.storage.spare_counters import PUT, TABLE

log = logging.getLogger(__name__)

# For how long others may write, in milliseconds, and keep the file from getting its log, in seconds.
_PATIENCE = 5000
_SWITCHED_WITHIN = 1.0
# A file that is none of SQLite or damaged, a folder, a file that may not be written, a table of another form.
_UNUSABLE = (
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_NOTADB,
)
Identity = tuple[int, int]


class CannotBeMade(sqlite3.OperationalError):
    """The file cannot be used, nor made again."""


class _WithoutLog(sqlite3.OperationalError):
    """Others use the file, but it has no write-ahead log: it was emptied or replaced meanwhile."""


def is_unusable(error: sqlite3.Error) -> bool:
    """Whether SQLite cannot use the file, though the disk has room and nobody else keeps it locked."""
    if isinstance(error, _WithoutLog):
        return True
    return not disk_space.is_full(error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _UNUSABLE


def identity(path: str) -> Identity | None:
    """What distinguishes the file from another one of its name; None if there is no file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def opened(path: str) -> tuple[sqlite3.Connection, Identity | None]:
    """A connection to the file, which is created where it is missing. Raises sqlite3.Error."""
    with _alone(path):
        return _connection(path), identity(path)


def closed(connection: sqlite3.Connection, path: str, file: Identity | None) -> bool:
    """Close a connection to this file; False where another one has its name now, whose log would be removed."""
    with _alone(path):
        if identity(path) != file:
            return False
        with suppress(sqlite3.Error):
            connection.close()
    return True


def make_again(path: str, why: sqlite3.Error) -> None:
    """Make the file again, unless another process has just done so. Raises CannotBeMade, and sqlite3.Error."""
    with _alone(path):
        if _is_usable(path):
            return
        try:
            _remove(path)
        except OSError as error:
            raise CannotBeMade(error.strerror) from error
        _connection(path).close()
        log.warning("%s could not be used and was made again: %s", Path(path).name, why)


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """No other process opens or replaces the file meanwhile.

    SQLite removes the log by its name when the last connection to a file is closed, also that of a new file. The lock
    is one of the folder: on a full disk there may be no place for a file of its own.
    """
    try:
        folder = os.open(Path(path).parent, os.O_RDONLY)
    except OSError as error:
        raise CannotBeMade(error.strerror) from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        # A process that was forked meanwhile has the lock, too, and would keep it.
        fcntl.flock(folder, fcntl.LOCK_UN)
        os.close(folder)


def _connection(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        # First: any other statement reads the file, which is locked for a moment while its last connection is closed.
        _switch_to_log(connection)
        connection.execute(f"PRAGMA busy_timeout={_PATIENCE}")
        # The last counts may be lost in a power cut.
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute(TABLE)
        return connection
    except sqlite3.Error:
        connection.close()
        raise


def _switch_to_log(connection: sqlite3.Connection) -> None:
    """Use a write-ahead log. Only a file that has none is locked for that, and nobody else opens it meanwhile."""
    deadline = time.monotonic() + _SWITCHED_WITHIN
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if not busy_errors.is_busy(error):
                raise
            if time.monotonic() > deadline:
                raise _WithoutLog("it lost its write-ahead log while it was used") from error
            # SQLite's own timeout does not cover all of this switch.
            time.sleep(0.01)


def _is_usable(path: str) -> bool:
    """Whether all pages can be read, and a counter written. Raises sqlite3.Error where that is not known."""
    try:
        connection = _connection(path)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(PUT, {"key": "", "value": 0, "expires": 0.0})
            connection.execute("ROLLBACK")
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
        finally:
            connection.close()
    except sqlite3.Error as error:
        if not is_unusable(error):
            raise
        return False


def _remove(path: str) -> None:
    """Remove the file with its log; set aside a folder that holds something. Raises OSError."""
    for place in (path, f"{path}-wal", f"{path}-shm"):
        if not os.path.isdir(place):
            with suppress(FileNotFoundError):
                os.unlink(place)
            continue
        try:
            os.rmdir(place)
        except OSError:
            os.rename(place, Path(place).with_name(f"set-aside-{Path(place).name}-{secrets.token_hex(4)}"))
