"""The processes that `up` starts, each as the leader of a session, so that its whole group can be killed."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psutil


class Child:
    """One long-running process of the supervisor; `environment` is added to that of this process."""

    def __init__(self, name: str, command: list[str], environment: Mapping[str, str] | None = None):
        self.name = name
        self.command = command
        self.environment = environment or {}
        self.process: subprocess.Popen[bytes] | None = None
        self.started_at = 0.0
        self.failures = 0

    def start(self) -> None:
        self.started_at = time.monotonic()
        environment = {**self.environment, **os.environ}
        self.process = subprocess.Popen(  # noqa: S603
            self.command, stdin=subprocess.DEVNULL, start_new_session=True, env=environment
        )

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def seconds_to_wait(self) -> float:
        """The wait before a restart; it doubles, up to 30 s, each time the process dies within a minute."""
        self.failures = self.failures + 1 if time.monotonic() - self.started_at < 60 else 0
        return min(30.0, 0.5 * 2.0**self.failures)

    def ask_to_stop(self) -> None:
        """SIGTERM to the main process only: a signal to the group kills running tasks."""
        if self.process:
            with suppress(ProcessLookupError):
                self.process.terminate()

    def kill(self) -> None:
        """SIGKILL to the whole group, since the main process may have left workers behind."""
        if self.process:
            kill_group(self.process.pid)
            self.process.wait()


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
        if child.process and child.is_running()
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
