"""How long a statement waits for the locks of others, in seconds: docs/decisions/store.md#a-locked-store."""

from dataclasses import dataclass

# A request is answered before the proxies in front give up, most of them after 30 seconds.
OF_REQUESTS = 10.0
OF_TASKS = 20.0
# In a process of requests SQLite waits so long; `waiting_writers` decides who tries again.
_OF_A_TRY = 0.1


@dataclass
class Process:
    """The wait of this process; `is_limited` where it answers requests, which then never wait longer on any engine."""

    seconds: float = OF_TASKS
    is_limited: bool = False


_process = Process()


def wait_as_requests() -> None:
    """Let new connections of this process wait as long as a request may; for the process of the web server."""
    _process.seconds, _process.is_limited = OF_REQUESTS, True


def seconds() -> float:
    return _process.seconds


def of_one_try() -> float:
    """How long SQLite itself waits."""
    return min(_OF_A_TRY, _process.seconds) if _process.is_limited else _process.seconds


def is_limited() -> bool:
    return _process.is_limited
