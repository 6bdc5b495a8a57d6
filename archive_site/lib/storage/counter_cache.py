"""A cache of whole numbers in a SQLite file, exact across processes and threads.

Django's file and database caches lose counts under concurrent increments: a limit of 240 let 992 through. See
docs/decisions.md#counters-in-a-small-cache-of-their-own.
"""

import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache

_PATIENCE = 5.0
_CLEANED_EVERY = 500
_TABLE = """
    CREATE TABLE IF NOT EXISTS counter (key TEXT PRIMARY KEY, value INTEGER NOT NULL, expires REAL) WITHOUT ROWID"""
_ADD = """
    INSERT INTO counter VALUES (:key, :value, :expires)
    ON CONFLICT (key) DO UPDATE SET value = :value, expires = :expires
    WHERE counter.expires <= :now RETURNING value"""
_SET = """
    INSERT INTO counter VALUES (:key, :value, :expires)
    ON CONFLICT (key) DO UPDATE SET value = :value, expires = :expires"""
_INCREASE = """
    UPDATE counter SET value = value + :delta
    WHERE key = :key AND (expires IS NULL OR expires > :now) RETURNING value"""
_GET = "SELECT value FROM counter WHERE key = :key AND (expires IS NULL OR expires > :now)"


class CounterCache(BaseCache):
    """Django's cache interface over one file, for whole numbers; `add` and `incr` are one statement each."""

    def __init__(self, location: str | Path, params: dict[str, Any]):
        super().__init__(params)
        self._path = str(location)
        self._local = threading.local()
        self._writes = 0

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._run(_ADD, key, version, value=int(value), expires=self._expires(timeout)) is not None

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        found = self._run(_GET, key, version)
        return default if found is None else found

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        self._run(_SET, key, version, value=int(value), expires=self._expires(timeout))

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """The new count. Raises ValueError if the key is missing or expired."""
        found = self._run(_INCREASE, key, version, delta=delta)
        if found is None:
            raise ValueError("no such counter")
        return int(found)

    def delete(self, key: str, version: int | None = None) -> bool:
        return self._run("DELETE FROM counter WHERE key = :key RETURNING value", key, version) is not None

    def clear(self) -> None:
        self._connection().execute("DELETE FROM counter")

    def _run(self, statement: str, key: str, version: int | None, **values: Any) -> Any:
        self._clean_sometimes()
        values |= {"key": self.make_and_validate_key(key, version=version), "now": time.time()}
        row = self._connection().execute(statement, values).fetchone()
        return row[0] if row else None

    def _expires(self, timeout: Any) -> float | None:
        return self.get_backend_timeout(timeout)

    def _clean_sometimes(self) -> None:
        self._writes += 1
        if self._writes % _CLEANED_EVERY == 0:
            self._connection().execute("DELETE FROM counter WHERE expires <= ?", [time.time()])

    def _connection(self) -> sqlite3.Connection:
        opened: tuple[int, sqlite3.Connection] | None = getattr(self._local, "opened", None)
        # A forked process must not use the connection of its parent.
        if opened is None or opened[0] != os.getpid():
            opened = self._local.opened = os.getpid(), self._open()
        return opened[1]

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None)
        # The last counts may be lost in a power cut.
        connection.execute("PRAGMA synchronous=OFF")
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute(_TABLE)
                return connection
            except sqlite3.OperationalError:
                # SQLite's timeout does not cover the switch to WAL by another connection.
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
