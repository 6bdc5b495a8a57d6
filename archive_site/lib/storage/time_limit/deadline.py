"""What a time limit asks, and which statements it is for."""

from collections.abc import Callable
from typing import Any, Protocol

from django.db import connection

_READS = ("SELECT", "WITH")
# Characters of a statement that say what it does, after white space and parentheses.
_BEGINNING = 40


class Deadline(Protocol):
    def is_over(self) -> bool:
        """Whether the time is over; once it is, it stays so."""

    def seconds_left(self) -> float:
        """The seconds until the time may be over: `is_over` decides then."""


class Limit(Protocol):
    """Wraps the statements of a connection (Django's `execute_wrapper`)."""

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any: ...

    def clear(self) -> None:
        """Take the limit from the connection."""


class OutOfTime(Exception):
    """The time was over before a statement began."""


def is_read(statement: object) -> bool:
    """Whether a statement may be ended: it reads, outside of a transaction."""
    begin = str(statement)[:_BEGINNING].lstrip(" \n(").upper()
    return begin.startswith(_READS) and not connection.in_atomic_block
