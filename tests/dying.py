"""Processes that die before one of their statements, as by a kill, and what comes of them."""

import itertools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, connections

KILLED = 9


def in_child(work: Callable[[], object]) -> int:
    """The exit code of a process that does the work."""
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - the parent sees the code
            sys.stderr.write(f"{error!r}\n")
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextmanager
def dying_before(last: int | None) -> Iterator[None]:
    """End the process, without any cleaning up, before the statement of this number; never without one."""
    left = itertools.count()

    def counted(execute: Any, *arguments: Any) -> Any:
        if next(left) == last:
            os._exit(KILLED)
        return execute(*arguments)

    with connection.execute_wrapper(counted):
        yield
