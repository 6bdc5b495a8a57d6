"""How the threads of the web server wait for a locked SQLite store: docs/decisions/store.md#a-locked-store."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

from archive_site.lib.storage import busy_errors, lock_wait

T = TypeVar("T")
# Seconds after which a lock is no longer that of a usual write: from then on only those with a place wait.
_USUAL = 0.5


class WaitingWriters:
    """Runs statements again that find the store locked: a few threads for long, the others for a moment.

    The wait counts from when the first of them found the lock, so that none waits in vain after another one has.
    """

    def __init__(self, places: int):
        self._lock = threading.Lock()
        self._free_places = places
        self._locked_since = self._last_seen = float("-inf")

    def run(self, statement: Callable[[], T]) -> T:
        """What a statement gives that has been locked out once. Raises the error of its last try."""
        begun = monotonic()
        with self._place() as has_place:
            most = lock_wait.seconds() if has_place else _USUAL
            while True:
                since = self._seen_locked()
                try:
                    result = statement()
                except sqlite3.OperationalError as error:
                    now = monotonic()
                    if not busy_errors.is_busy(error) or now - since > most or now - begun > lock_wait.seconds():
                        raise
                else:
                    self._seen_free()
                    return result

    @contextmanager
    def _place(self) -> Iterator[bool]:
        """Whether this thread may wait for long, during the block."""
        with self._lock:
            has_place = self._free_places > 0
            self._free_places -= has_place
        try:
            yield has_place
        finally:
            with self._lock:
                self._free_places += has_place

    def _seen_locked(self) -> float:
        """When the lock was found first that still lasts. What nobody has seen for a second is another lock."""
        now = monotonic()
        with self._lock:
            if now - self._last_seen > 1:
                self._locked_since = now
            self._last_seen = now
            return self._locked_since

    def _seen_free(self) -> None:
        with self._lock:
            self._last_seen = float("-inf")


class _Thread(threading.local):
    tries_once = False


_writers = WaitingWriters(lock_wait.PLACES)
_mine = _Thread()


def run(statement: Callable[[], T]) -> T:
    """As WaitingWriters.run, with the other threads of this process."""
    return _writers.run(statement)


def may_wait() -> bool:
    """Whether this thread may try again: in a process of requests, except within `tried_once`."""
    return lock_wait.is_limited() and not _mine.tries_once


@contextmanager
def tried_once() -> Iterator[None]:
    """Statements of the block are not tried again where the store is locked."""
    _mine.tries_once = True
    try:
        yield
    finally:
        _mine.tries_once = False
