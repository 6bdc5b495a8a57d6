"""A cache of whole numbers in a SQLite file, exact across processes and threads.

Django's file and database caches lose counts under concurrent increments: a limit of 240 let 992 through. See
docs/decisions/store.md#counters-in-a-small-cache-of-their-own. While the disk is full, or the file can neither be used
nor made again, this process counts in its memory.
"""

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache

from archive_site.lib import seldom_log
from archive_site.lib.storage import busy_errors, counter_file, disk_space
from archive_site.lib.storage.spare_counters import PUT, ROW, Row, SpareCounters

log = logging.getLogger(__name__)
T = TypeVar("T")
_CLEANED_EVERY = 500
# Seconds after which a file that could not be made again is tried once more.
_TRIED_AGAIN_AFTER = 10.0
_ADD = """
    INSERT INTO counter VALUES (:key, :value, :expires)
    ON CONFLICT (key) DO UPDATE SET value = :value, expires = :expires
    WHERE counter.expires <= :now RETURNING value"""
_INCREASE = """
    UPDATE counter SET value = value + :delta
    WHERE key = :key AND (expires IS NULL OR expires > :now) RETURNING value"""
_DELETE = """
    UPDATE counter SET expires = 0
    WHERE key = :key AND (expires IS NULL OR expires > :now) RETURNING value"""
_GET = "SELECT value FROM counter WHERE key = :key AND (expires IS NULL OR expires > :now)"


class _Opened(NamedTuple):
    """A connection, and the process and the file that it is for."""

    process: int
    file: counter_file.Identity | None
    connection: sqlite3.Connection


class CounterCache(BaseCache):
    """Django's cache interface over one file, for whole numbers; `add` and `incr` are one statement each."""

    def __init__(self, location: str | Path, params: dict[str, Any]):
        super().__init__(params)
        self._path = str(location)
        self._local = threading.local()
        self._writes = 0
        # Why the file could not be made again, and when it is tried once more.
        self._why, self._not_before = "", 0.0
        self._spare = SpareCounters()
        # Connections to files that were replaced. Closing one would remove the log of the file that is there now.
        self._left_open: list[sqlite3.Connection] = []

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._run(_ADD, key, version, value=int(value), expires=self._expires(timeout)) is not None

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        found = self._run(_GET, key, version)
        return default if found is None else found

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        self._run(PUT, key, version, value=int(value), expires=self._expires(timeout))

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """The new count. Raises ValueError if the key is missing or expired."""
        found = self._run(_INCREASE, key, version, delta=delta)
        if found is None:
            raise ValueError("no such counter")
        return int(found)

    def delete(self, key: str, version: int | None = None) -> bool:
        return self._run(_DELETE, key, version) is not None

    def clear(self) -> None:
        self._spare.clear()
        self._with_file(lambda file: file.execute("DELETE FROM counter"))

    def _run(self, statement: str, key: str, version: int | None, **values: Any) -> Any:
        values |= {"key": self.make_and_validate_key(key, version=version), "now": time.time()}
        if self._spare.is_used:
            row = self._run_in_memory(statement, values)
        else:
            try:
                row = self._run_in_file(statement, values)
            except sqlite3.Error as error:
                if not _takes_nothing(error):
                    raise
                row = self._run_in_memory(statement, values)
        return row[0] if row else None

    def _run_in_file(self, statement: str, values: dict[str, Any]) -> Any:
        self._clean_sometimes()
        return self._with_file(lambda file: file.execute(statement, values).fetchone())

    def _run_in_memory(self, statement: str, values: dict[str, Any]) -> Any:
        """Use the memory for a counter that the file could not take, from its value there on; else the file."""
        with self._spare.lock:
            self._give_back_if_possible()
            if self._spare.is_used and self._spare.holds(values["key"]):
                return self._spare.run(statement, values)
            try:
                return self._run_in_file(statement, values)
            except sqlite3.Error as error:
                if not _takes_nothing(error) or not self._spare.take(self._row_in_file(values)):
                    raise
                why = "the disk is full" if disk_space.is_full(error) else str(error)
            seldom_log.warn(log, "counters", "%s: limits are counted in memory", why)
            return self._spare.run(statement, values)

    def _row_in_file(self, values: dict[str, Any]) -> Row:
        """The row of a counter; one that has expired where the file has none, or cannot be read either."""
        try:
            row: Row | None = self._with_file(lambda file: file.execute(ROW, values).fetchone())
        except sqlite3.Error as error:
            if not _takes_nothing(error):
                raise
            row = None
        return row or (values["key"], 0, 0.0)

    def _give_back_if_possible(self) -> None:
        if not self._spare.is_used or not disk_space.has_room():
            return
        try:
            self._with_file(self._spare.give_back)
        except sqlite3.Error as error:
            # Another process writes: the next time will do.
            if not (_takes_nothing(error) or busy_errors.is_busy(error)):
                raise

    def _expires(self, timeout: Any) -> float | None:
        return self.get_backend_timeout(timeout)

    def _clean_sometimes(self) -> None:
        self._writes += 1
        if self._writes % _CLEANED_EVERY == 0:
            self._with_file(lambda file: file.execute("DELETE FROM counter WHERE expires <= ?", [time.time()]))

    def _with_file(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do the work in the file; if SQLite cannot use that, in one that is made again. Raises sqlite3.Error."""
        if time.monotonic() < self._not_before:
            raise counter_file.CannotBeMade(self._why)
        try:
            try:
                return work(self._connection())
            except sqlite3.Error as error:
                if not counter_file.is_unusable(error):
                    raise
                self._close()
                counter_file.make_again(self._path, error)
                return work(self._connection())
        except sqlite3.Error as error:
            if not counter_file.is_unusable(error) and not isinstance(error, counter_file.CannotBeMade):
                raise
            self._not_before = time.monotonic() + _TRIED_AGAIN_AFTER
            self._why = f"{Path(self._path).name} cannot be made again ({error})"
            raise counter_file.CannotBeMade(self._why) from error

    def _connection(self) -> sqlite3.Connection:
        opened: _Opened | None = getattr(self._local, "opened", None)
        # A forked process must not use the connection of its parent.
        if opened and opened.process == os.getpid() and opened.file == counter_file.identity(self._path):
            return opened.connection
        self._close()
        connection, file = counter_file.opened(self._path)
        self._local.opened = _Opened(os.getpid(), file, connection)
        return connection

    def _close(self) -> None:
        opened: _Opened | None = getattr(self._local, "opened", None)
        self._local.opened = None
        if opened is None:
            return
        if opened.process != os.getpid() or not counter_file.closed(opened.connection, self._path, opened.file):
            self._left_open.append(opened.connection)


def _takes_nothing(error: sqlite3.Error) -> bool:
    return disk_space.is_full(error) or isinstance(error, counter_file.CannotBeMade)
