"""Lets one task of a kind work at a time, for all accounts: more would keep the workers from everything else."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.core.cache import caches

# Seconds that a task which dies keeps its turn.
_ENDS: Final = 300


@contextmanager
def turn_of(task: str) -> Iterator[bool]:
    """Take the turn of a task for a while; gives whether it was free."""
    is_free = bool(caches["counters"].add(task, 1, _ENDS))
    try:
        yield is_free
    finally:
        if is_free:
            caches["counters"].delete(task)
