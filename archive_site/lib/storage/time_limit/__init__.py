"""Ending the reads of a block whose time is over, by the means of the engine (docs/decisions/web.md#slow-reads)."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from archive_site.lib.storage import engine
from archive_site.lib.storage.time_limit.deadline import Deadline, OutOfTime

if engine.IS_SQLITE:
    from archive_site.lib.storage.time_limit.sqlite import limit
else:
    from archive_site.lib.storage.time_limit.postgres import limit

__all__ = ["Deadline", "OutOfTime", "limited"]


@contextmanager
def limited(deadline: Deadline) -> Iterator[None]:
    """End each read of the block, on this thread's connection, once the deadline is over.

    A read that is ended raises DatabaseError, one that begins too late OutOfTime. Writes are never ended, nor is
    anything within a transaction.
    """
    wrapper = limit(deadline)
    with connection.execute_wrapper(wrapper):
        try:
            yield
        finally:
            wrapper.clear()
