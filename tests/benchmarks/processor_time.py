"""Seconds of the processor that processes took."""

from contextlib import suppress

import psutil


def of_family(pid: int) -> float:
    """Of a process and all that it started; those that have ended count with the one that waited for them."""
    total = 0.0
    leader = psutil.Process(pid)
    for member in [leader, *leader.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            taken = member.cpu_times()
            total += taken.user + taken.system + taken.children_user + taken.children_system
    return total


def of_server(pid: int) -> float:
    """Of a PostgreSQL with its connections; 0 is none."""
    return of_family(pid) if pid else 0.0
