"""The processes that `up` forks, each as the leader of a session, so that its whole group can be killed.

A fork has all that `up` has loaded, in the same memory (docs/decisions/instance.md#small-machines).
"""

import gc
import json
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.context import ForkProcess
from pathlib import Path

import psutil
from django.db import connections

from archive_site.lib import allocator

_fork = multiprocessing.get_context("fork")
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Child:
    """One long-running process of the supervisor, which ends when `work` returns."""

    def __init__(self, name: str, work: Callable[[], None]):
        self.name = name
        self.work = work
        self.process: ForkProcess | None = None
        self.started_at = 0.0
        self.failures = 0

    def start(self) -> None:
        self.started_at = time.monotonic()
        # Two processes must not share a connection.
        connections.close_all()
        process = _fork.Process(target=self._live)
        # A signal that comes before the child has its own handlers waits for them.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.process = process
        _wait_for_group(process)

    def _live(self) -> None:
        """What happens in the child."""
        os.setsid()
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        _show_name(self.name)
        self.work()

    def is_running(self) -> bool:
        return self.process is not None and self.process.is_alive()

    def seconds_to_wait(self) -> float:
        """The wait before a restart; it doubles, up to 30 s, each time the process dies within a minute."""
        self.failures = self.failures + 1 if time.monotonic() - self.started_at < 60 else 0
        return min(30.0, 0.5 * 2.0**self.failures)

    def ask_to_stop(self) -> None:
        """SIGTERM to the main process only: a signal to the group kills running tasks."""
        if self.process:
            self.process.terminate()

    def kill(self) -> None:
        """SIGKILL to the whole group, since the main process may have left workers behind."""
        if self.process and self.process.pid:
            kill_group(self.process.pid)
            self.process.kill()
            self.process.join()


def share_memory() -> None:
    """Prepare this process for forks: the collector of garbage leaves alone what is loaded, so that it stays shared."""
    # What a connection frees would be gaps, too.
    connections.close_all()
    allocator.fill_gaps()
    gc.freeze()
    gc.enable()


def _show_name(name: str) -> None:
    """Let `ps` and `top` name the process, where the system can."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name)


def _wait_for_group(process: ForkProcess) -> None:
    """Wait until a fork leads its group: before, nobody could end it together with what it starts."""
    with suppress(ProcessLookupError):
        while process.is_alive() and process.pid and os.getpgid(process.pid) != process.pid:
            time.sleep(0.001)


def kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def wait_for_end(children: list[Child], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while any(child.is_running() for child in children) and time.monotonic() < deadline:
        time.sleep(0.05)


def remember(path: Path, children: list[Child]) -> None:
    """Write the started process groups to a file, so that the next start can end them if this process is killed."""
    groups = [
        [child.process.pid, psutil.Process(child.process.pid).create_time()]
        for child in children
        if child.process and child.process.pid and child.is_running()
    ]
    path.touch()
    path.write_text(json.dumps({"file": _identity(path), "groups": groups}))


def end_leftovers(path: Path) -> int:
    """Kill the process groups of an earlier start; return their number. A copy of the file names none of its own."""
    try:
        noted = json.loads(path.read_text() or "{}")
        if noted["file"] != _identity(path):
            return 0
        groups = [(int(pid), float(created)) for pid, created in noted["groups"]]
    except (OSError, ValueError, TypeError, KeyError):
        return 0
    ended = 0
    for pid, created in groups:
        members = _members(pid, created)
        if members:
            kill_group(pid)
            _wait_for_death(members, 5)
            ended += 1
    return ended


def _identity(path: Path) -> list[int]:
    """The device and inode, which differ between a file and its copies."""
    file = path.stat()
    return [file.st_dev, file.st_ino]


def _wait_for_death(processes: list[psutil.Process], seconds: float) -> None:
    """Wait until none of them runs; a zombie counts as dead."""
    deadline = time.monotonic() + seconds
    while any(_lives(process) for process in processes) and time.monotonic() < deadline:
        time.sleep(0.05)


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _members(group: int, created: float) -> list[psutil.Process]:
    """The living processes of a group that started at `created`; none if another group has reused its number."""
    members = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, ProcessLookupError, PermissionError):
            if os.getpgid(process.pid) == group and process.create_time() >= created - 1:
                members.append(process)
    leader = next((process for process in members if process.pid == group), None)
    if leader and abs(leader.create_time() - created) > 1:
        return []
    return members
