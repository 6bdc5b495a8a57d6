"""File locks, held between processes of a machine; the system releases them when their holder dies."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TRIED_EVERY = 0.05


class Taken(Exception):
    """Another holder has the lock."""


@contextmanager
def held(path: Path, *, shared: bool = False, wait: float | None = 0.0) -> Iterator[None]:
    """Hold the lock during the block, alone or `shared`. Raises Taken after `wait` seconds; None waits for ever."""
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    until = time.monotonic() + (wait or 0.0)
    with path.open("a") as file:
        if wait is None:
            # The system wakes who waits, so that nobody is late after a sleep.
            fcntl.flock(file.fileno(), kind)
            yield
            return
        while not is_taken(file.fileno(), kind):
            if time.monotonic() >= until:
                raise Taken(path.name)
            time.sleep(TRIED_EVERY)
        yield


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock. Raises FileNotFoundError where its folder is gone."""
    try:
        with held(path):
            return False
    except Taken:
        return True


def is_taken(descriptor: int, kind: int = fcntl.LOCK_EX) -> bool:
    """Take the lock of an open file until that is closed; False if another holder has it."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
