"""The time limit on SQLite: its progress handler asks for the deadline while a statement runs."""

import sqlite3
from collections.abc import Callable
from typing import Any

from django.db import connection

from archive_site.lib.storage.time_limit.deadline import Deadline, Limit, OutOfTime, is_read

# Steps of SQLite's machine between two questions: a sixth of a millisecond of sums, or 1,250 prompts that are compared.
_STEPS = 5_000


def limit(deadline: Deadline) -> Limit:
    return _Limit(deadline)


class _Limit:
    def __init__(self, deadline: Deadline):
        self._deadline = deadline
        self._is_reading = False
        self._asked_by: sqlite3.Connection | None = None

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        self._is_reading = is_read(sql)
        if self._is_reading and self._deadline.is_over():
            raise OutOfTime
        # A restore gives the thread another connection.
        if self._asked_by is not connection.connection:
            self._asked_by = connection.connection
            connection.connection.set_progress_handler(self._is_over, _STEPS)
        return execute(sql, params, many, context)

    def clear(self) -> None:
        if self._asked_by is not None and self._asked_by is connection.connection:
            self._asked_by.set_progress_handler(None, 0)

    def _is_over(self) -> bool:
        return self._is_reading and self._deadline.is_over()
