"""Lets one task of a kind work at a time, for all accounts: more would keep the workers from everything else."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from archive_site.lib.locks import instance_lock


@contextmanager
def turn_of(task: str) -> Iterator[bool]:
    """Take the turn of a task for a while; gives whether it was free. One that dies has it no longer."""
    with ExitStack() as stack:
        try:
            stack.enter_context(instance_lock.held(f"{task}.lock"))
        except instance_lock.Taken:
            yield False
        else:
            yield True
