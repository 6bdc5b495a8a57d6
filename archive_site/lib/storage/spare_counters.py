"""Counters in the memory of this process, while the disk of their file is full.

The rules: docs/decisions/store.md#a-full-disk.
"""

import sqlite3
import time
from collections.abc import Mapping
from threading import RLock
from typing import Any

TABLE = """
    CREATE TABLE IF NOT EXISTS counter (key TEXT PRIMARY KEY, value INTEGER NOT NULL, expires REAL) WITHOUT ROWID"""
PUT = """
    INSERT INTO counter VALUES (:key, :value, :expires)
    ON CONFLICT (key) DO UPDATE SET value = :value, expires = :expires"""
ROW = "SELECT key, value, expires FROM counter WHERE key = :key"
# Each takes some hundred bytes.
_MOST = 20_000

Row = tuple[str, int, float | None]


class SpareCounters:
    """The rows that the file could not take; until they are given back, they count instead of those of the file.

    A row that has expired is kept, too: the one of the file may not have been changed.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self._rows: sqlite3.Connection | None = None

    @property
    def is_used(self) -> bool:
        return self._rows is not None

    def holds(self, key: str) -> bool:
        return self._rows is not None and self._rows.execute(ROW, {"key": key}).fetchone() is not None

    def take(self, row: Row) -> bool:
        """Hold a row from now on; False where there are too many."""
        if self._rows is None:
            self._rows = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            self._rows.execute(TABLE)
        [(number,)] = self._rows.execute("SELECT COUNT(*) FROM counter")
        if number >= _MOST:
            self._rows.execute("DELETE FROM counter WHERE expires <= ?", [time.time()])
            [(number,)] = self._rows.execute("SELECT COUNT(*) FROM counter")
        if number < _MOST:
            self._rows.execute(PUT, dict(zip(("key", "value", "expires"), row, strict=True)))
        return bool(number < _MOST)

    def run(self, statement: str, values: Mapping[str, Any]) -> Any:
        assert self._rows
        return self._rows.execute(statement, values).fetchone()

    def give_back(self, file: sqlite3.Connection) -> None:
        """Write all rows to the file, which holds all of them or none. Raises sqlite3.Error."""
        assert self._rows
        rows = self._rows.execute("SELECT key, value, expires FROM counter").fetchall()
        file.execute("BEGIN IMMEDIATE")
        try:
            file.executemany("INSERT OR REPLACE INTO counter VALUES (?, ?, ?)", rows)
            file.execute("COMMIT")
        except sqlite3.Error:
            if file.in_transaction:
                file.execute("ROLLBACK")
            raise
        self.clear()

    def clear(self) -> None:
        if self._rows is not None:
            self._rows.close()
            self._rows = None
