"""Which CPUs the threads of the web server use (docs/decisions/web.md#one-cpu-for-the-web-server)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

_allowed: set[int] = set()


def stay_on_one() -> None:
    """Keep this thread, and those that it starts, on one of the CPUs that it may use, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        _allowed.update(os.sched_getaffinity(0))
        # Several instances on one machine take different ones.
        os.sched_setaffinity(0, [sorted(_allowed)[os.getpid() % len(_allowed)]])


@contextmanager
def use_all() -> Iterator[None]:
    """Let this thread use every CPU until the block ends: for long work outside of Python, such as compressing."""
    if not _allowed:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, _allowed)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
