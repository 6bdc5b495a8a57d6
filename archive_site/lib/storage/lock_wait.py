"""How long a statement waits for the locks of others, in seconds: docs/decisions/store.md#a-locked-store."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# A request is answered before the proxies in front give up, most of them after 30 seconds. A read is ended as too slow
# after 10: one that waits for a lock is answered as such before.
OF_REQUESTS = 8.0
OF_TASKS = 20.0
# How many requests of a process wait for long: half of the threads of the web server, so that the others answer reads.
PLACES = 4
# Other requests wait so long on PostgreSQL: most locks are those of a write in parts, of half a second.
_WITHOUT_PLACE = 1.0
# In a process of requests SQLite waits so long; `waiting_writers` decides who tries again.
_OF_A_TRY = 0.1


@dataclass
class Process:
    """The wait of this process; `is_limited` where it answers requests, which then never wait longer on any engine."""

    seconds: float = OF_TASKS
    is_limited: bool = False


class _Thread(threading.local):
    has_place = True


_process = Process()
_mine = _Thread()
_lock = threading.Lock()
_requests = 0


def wait_as_requests() -> None:
    """Let new connections of this process wait as long as a request may; for the process of the web server."""
    _process.seconds, _process.is_limited = OF_REQUESTS, True


@contextmanager
def of_a_request() -> Iterator[None]:
    """Let a request wait for long if fewer than `PLACES` others of the process are answered, else for a second."""
    global _requests
    with _lock:
        _mine.has_place = _requests < PLACES
        _requests += 1
    try:
        yield
    finally:
        with _lock:
            _requests -= 1
        _mine.has_place = True


def seconds() -> float:
    return _process.seconds


def of_this_request() -> float:
    """How long a statement of this thread waits on PostgreSQL, which cannot try it again."""
    return _process.seconds if _mine.has_place else min(_WITHOUT_PLACE, _process.seconds)


def of_one_try() -> float:
    """How long SQLite itself waits."""
    return min(_OF_A_TRY, _process.seconds) if _process.is_limited else _process.seconds


def is_limited() -> bool:
    return _process.is_limited
