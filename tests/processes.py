"""Processes as tests look at them: each may end between two looks."""

from collections.abc import Iterable
from contextlib import suppress

import psutil


def name(process: psutil.Process) -> str:
    """Its name; empty if it has ended, though its parent may not have taken note of that."""
    with suppress(psutil.NoSuchProcess):
        if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            return process.name()
    return ""


def run(process: psutil.Process) -> bool:
    """Whether it still runs."""
    return name(process) != ""


def words(process: psutil.Process) -> str:
    """Its command line and environment; empty if it has ended."""
    with suppress(psutil.NoSuchProcess):
        return f"{process.cmdline()}{process.environ()}"
    return ""


def listening(process: psutil.Process) -> list[str]:
    """The addresses at which it listens; none if it has ended."""
    with suppress(psutil.NoSuchProcess):
        open_ = (one for one in process.net_connections("inet") if one.status == psutil.CONN_LISTEN)
        return [f"{one.laddr.ip}:{one.laddr.port}" for one in open_]
    return []


def kill(processes: Iterable[psutil.Process]) -> None:
    """End at once those that have not ended."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
