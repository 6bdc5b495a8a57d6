"""The time limit on PostgreSQL: `statement_timeout`, which is what is left when a statement begins."""

from collections.abc import Callable
from time import monotonic
from typing import Any

from django.db import Error, OperationalError, connection

from archive_site.lib.storage.time_limit.deadline import Deadline, Limit, OutOfTime, is_read

# QueryCanceled.
_ENDED = "57014"
# Seconds by which a statement may end too late: to name the time of each exactly would be one more statement each.
_LATE = 0.1
_LEAST = 0.001


def limit(deadline: Deadline) -> Limit:
    return _Limit(deadline)


class _Limit:
    def __init__(self, deadline: Deadline):
        self._deadline = deadline
        self._limited: Any = None
        self._is_lifted = False
        self._seconds = 0.0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not is_read(sql):
            self._lift()
            return execute(sql, params, many, context)
        while not self._deadline.is_over():
            ends_at = monotonic() + self._limit(self._deadline.seconds_left())
            try:
                return execute(sql, params, many, context)
            except OperationalError as error:
                if getattr(error.__cause__, "sqlstate", "") != _ENDED or monotonic() < ends_at - _LATE:
                    raise
        raise OutOfTime

    def clear(self) -> None:
        # Within a transaction that was rolled back, lifting the limit was, too.
        self._is_lifted = False
        self._lift()
        self._limited = None

    def _lift(self) -> None:
        if self._is_lifted or self._limited is None or self._limited is not connection.connection:
            return
        self._is_lifted = True
        try:
            with connection.wrap_database_errors:
                self._limited.execute("RESET statement_timeout")
        except Error:
            # Nothing else may run under this limit. The next use of a connection reports what broke it.
            connection.close()

    def _limit(self, seconds: float) -> float:
        """Limit the next statement to about these seconds. Return its limit."""
        if self._is_lifted or self._limited is not connection.connection or not 0 <= self._seconds - seconds <= _LATE:
            self._seconds = max(seconds, _LEAST)
            with connection.wrap_database_errors:
                connection.connection.execute(f"SET statement_timeout = {self._seconds * 1000:.0f}")
            self._limited, self._is_lifted = connection.connection, False
        return self._seconds
