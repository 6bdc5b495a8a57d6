"""The project's commands: in this process, and as real processes, each on a data folder of its own."""

import io
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import psutil
import pytest
import requests
from django.core.management import execute_from_command_line
from django.db import connections

from tests import processes
from tests.process_stores import environment

ROOT = Path(__file__).resolve().parents[2]
MANAGE = (sys.executable, str(ROOT / "manage.py"))
START_SECONDS = 60
STOP_SECONDS = 60


def manage_here(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A command line in this process, over the store of the test."""
    out, error, code = io.StringIO(), io.StringIO(), 0
    # At its end a command closes the connections, and with one of them the transaction of the test.
    with redirect_stdout(out), redirect_stderr(error), patch.object(connections, "close_all"):
        try:
            execute_from_command_line(["manage.py", *arguments])
        except SystemExit as ended:
            code = int(str(ended.code or 0))
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), error.getvalue())


def manage(*arguments: str, home: Path, text: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """A command that ends; `text` is what it reads."""
    return subprocess.run(
        [*MANAGE, *arguments],
        env=environment(home, **variables), input=text, capture_output=True, text=True, timeout=START_SECONDS,
    )  # fmt: skip


def start(*arguments: str, home: Path, program: Sequence[str] = MANAGE, **variables: str) -> subprocess.Popen[str]:
    """A command that goes on; all it says is on its standard output."""
    return subprocess.Popen(
        [*program, *arguments],
        env=environment(home, **variables), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def is_one_line(failed: subprocess.CompletedProcess[str], *words: str) -> bool:
    """Whether a command failed as docs/running.md#commands says: exit code 1, one line on standard error, here one that
    holds these words."""
    said = failed.stderr
    return failed.returncode == 1 and said.count("\n") == 1 and all(word in said for word in words)


def wait_until(true: Callable[[], object], seconds: float = START_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            pytest.fail(f"Not so within {seconds} seconds.")
        time.sleep(0.05)


@dataclass
class Up:
    """A running `manage.py up`."""

    process: subprocess.Popen[str]
    url: str
    home: Path
    lines: list[str]

    def answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/healthz", timeout=30).text == "ok\n"
        except (requests.ConnectionError, requests.Timeout):
            return False

    def said(self, words: str) -> bool:
        return any(words in line for line in tuple(self.lines))

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, name: str) -> psutil.Process:
        """The process that `up` itself started: `web server` or `workers`."""
        return next(self._alive(name))

    def runs(self, name: str) -> bool:
        """Whether that process runs, under its name."""
        return next(self._alive(name), None) is not None

    def _alive(self, name: str) -> Iterator[psutil.Process]:
        direct = psutil.Process(self.process.pid).children()
        return (child for child in direct if processes.name(child) == name)

    def log(self) -> str:
        """The application's log."""
        return (self.home / "logs" / "app.log").read_text()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)


@contextmanager
def up(
    home: Path,
    *options: str,
    bind: str = "127.0.0.1:0",
    program: Sequence[str] = MANAGE,
    command: str = "up",
    **variables: str,
) -> Iterator[Up]:
    """`manage.py up` that answers; whatever a test leaves running of it is ended."""
    process = start(command, "--bind", bind, *options, home=home, program=program, **variables)
    running = Up(process, "", home, [])
    assert process.stdout is not None
    threading.Thread(target=running.lines.extend, args=[process.stdout], daemon=True).start()
    family: set[psutil.Process] = set()
    try:
        wait_until(lambda: process.poll() is not None or running.said("Serving on"))
        assert process.poll() is None, running.lines
        running.url = served_url("".join(running.lines))
        wait_until(running.answers)
        family.update(running.children())
        yield running
    finally:
        if process.poll() is None:
            family.update(running.children())
            process.terminate()
        _end(process, family)


def _end(process: subprocess.Popen[str], family: set[psutil.Process]) -> None:
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
    processes.kill(family)


def served_url(said: str) -> str:
    """The address that `up` printed; empty if it has not yet."""
    found = re.search(r"^Serving on (http\S+)\n", said, re.MULTILINE)
    return found[1] if found else ""


def first_run_link(running: Up) -> str:
    found = re.search(r"http\S+/first-run/\S+", "".join(running.lines))
    return found[0] if found else ""


def signed_in(running: Up, username: str = "alice", password: str = "") -> requests.Session:
    """A browser's session on a running instance that asks for no captcha; `served` addresses are absolute."""
    session = requests.Session()
    session.get(f"{running.url}/login")
    token = next(cookie.value for cookie in session.cookies if "csrf" in cookie.name)
    # `tests.fuzz` and others import this module before Django is set up.
    from tests.factories import PASSWORD

    form = {"username": username, "password": password or PASSWORD, "_csrf": token}
    answer = session.post(f"{running.url}/login", form, allow_redirects=False)
    assert answer.status_code == 302, answer.text
    session.headers["X-CSRF-Token"] = next(str(cookie.value) for cookie in session.cookies if "csrf" in cookie.name)
    return session
