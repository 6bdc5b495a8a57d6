"""A data folder whose commands run in processes of their own, looked at from outside with plain SQL."""

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import psutil
from cryptography.fernet import Fernet

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests import process_stores, processes

PROJECT = Path(__file__).parents[2]
MAKE = """
import django
django.setup()
from django.core.management import call_command
from accounts.store_identity import open_store
from tests.factories import make_user
call_command("migrate", verbosity=0)
open_store()
make_user("alice")
make_user("root", is_admin=True)
"""
SET = """
INSERT INTO accounts_setting (user_id, key, value, updated_at) VALUES (?, ?, ?, '2026-01-01 00:00:00')
ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value
"""


class Instance:
    """One data folder with its processes."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.settings = "archive_site.settings"
        # Further variables of its processes, such as the address of a database.
        self.variables: dict[str, str] = {}
        self._started: list[subprocess.Popen[str]] = []

    @classmethod
    def copied(cls, template: Path, home: Path) -> Self:
        return cls(process_stores.copy(template, home))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for process in self._started:
            # The children of `up` lead sessions of their own, and hold its output open.
            processes.kill(_family(process.pid))
            process.communicate()

    def use(self, simulator: Simulator, **settings: object) -> None:
        """Point the instance at the simulator, and give alice its first cookie."""
        self.use_cookie(simulator.base_url, simulator.cookie(), **{"page_size": 20, **settings})

    def use_cookie(self, api_base: str, cookie: str, **settings: object) -> None:
        key = (self.home / "instance.key").read_text().strip()
        encrypted = Fernet(key).encrypt(cookie.encode()).decode()
        values = {"api_base": api_base, **settings}
        scoped = [(0, name, str(value)) for name, value in values.items()]
        for row in [*scoped, (1, "cookie", encrypted)]:
            self.sql(SET, *row)

    @property
    def store(self) -> Path:
        return self.home / "archive.sqlite3"

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a statement on the store."""
        return process_stores.sql(self.home, query, values)

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Start `manage.py` with these arguments, in a session of its own."""
        return self._popen(["manage.py", *arguments], **options)

    def start_python(self, script: str, **options: Any) -> subprocess.Popen[str]:
        """Start a script under this data folder."""
        return self._popen(["-c", script], **options)

    def start_module(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a module of the tests under this data folder."""
        return self._popen(["-m", *arguments])

    def python(self, script: str) -> str:
        """Run a script under this data folder; return its output."""
        process = self.start_python(script)
        out, error = process.communicate(timeout=60)
        assert process.returncode == 0, error
        return out

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run `manage.py` with these arguments to its end."""
        process = self.start(*arguments)
        out, error = process.communicate(timeout=60)
        return subprocess.CompletedProcess(arguments, process.returncode, out, error)

    def _popen(self, arguments: list[str], **options: Any) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=PROJECT,
            env=process_stores.environment(self.home, DJANGO_SETTINGS_MODULE=self.settings, **self.variables),
            start_new_session=True,
            text=True,
            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
        )
        self._started.append(process)
        return process


def _family(pid: int) -> list[psutil.Process]:
    """A process and all that it has started, children first; empty if it was waited for."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        # What is stopped starts nothing more.
        process.suspend()
        return [*process.children(recursive=True), process]
    return []


def made_instance(home: Path) -> Path:
    """A data folder with the accounts alice (1) and root (2, administrator)."""
    with Instance(home) as made:
        made.python(MAKE)
    return home


def eventually(tell: Callable[[], object], seconds: float = 60) -> bool:
    """Whether a condition becomes true within a number of seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if tell():
            return True
        time.sleep(0.02)
    return False
