"""An instance of several nodes: its store, and starting its nodes."""

import shutil
import subprocess
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from cryptography.fernet import Fernet

from tests import process_stores, processes
from tests.archive_site.commands import Up, manage, start, up

KEYS = ("instance.key", "secret.key")


def end(process: "subprocess.Popen[str]") -> None:
    """Kill a node with all its processes."""
    with suppress(psutil.NoSuchProcess):
        processes.kill(psutil.Process(process.pid).children(recursive=True))
    process.kill()
    process.wait()
    if process.stdout:
        process.stdout.close()


@dataclass
class Nodes:
    # The folders of the nodes are in this one.
    folder: Path
    # A folder with the store of the instance, which is that of no node.
    store: Path
    running: ExitStack
    # What every process of the instance gets.
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        servers = process_stores.environment(self.store)
        self.variables |= {name: servers[name] for name in ("DATABASE_URL", "REDIS_URL")}

    def home(self, name: str) -> Path:
        return self.folder / name

    def manage(self, name: str, *arguments: str, text: str = "") -> "subprocess.CompletedProcess[str]":
        """A command of a node."""
        return manage(*arguments, home=self.home(name), text=text, **self.variables)

    def script(self, name: str, text: str) -> "subprocess.Popen[str]":
        """A script that goes on, in the environment of a node."""
        variables = {"DJANGO_SETTINGS_MODULE": "archive_site.settings", **self.variables}
        return start(home=self.home(name), program=[sys.executable, "-c", text], **variables)

    def python(self, name: str, text: str) -> str:
        """The output of a script in the environment of a node."""
        with self.script(name, text) as process:
            return process.communicate(timeout=60)[0]

    def up(self, name: str, *options: str, **variables: str) -> Up:
        """A node that answers, until the test ends."""
        return self.running.enter_context(up(self.home(name), *options, **self.variables, **variables))

    def workers(self, name: str, **variables: str) -> "subprocess.Popen[str]":
        """A node of workers that run, until the test ends."""
        home = self.home(name)
        process = start("up", "--no-web", home=home, **self.variables, **variables)
        self.running.callback(end, process)
        assert process.stdout is not None
        while "workers of" not in (line := process.stdout.readline()):
            assert line, "the workers did not start"
        return process

    def copy_keys(self, source: str, target: str) -> None:
        self.home(target).mkdir(exist_ok=True)
        for name in KEYS:
            shutil.copy2(self.home(source) / name, self.home(target))

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        return process_stores.sql(self.store, statement, values)

    def set(self, user_id: int, **values: object) -> None:
        """Store settings of an account, or of the instance (0)."""
        for key, value in values.items():
            self.sql(
                "INSERT INTO accounts_setting (user_id, key, value, updated_at) VALUES (?, ?, ?, '2026-01-01Z') "
                "ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value",
                user_id, key, str(value),
            )  # fmt: skip

    def encrypted(self, name: str, cookie: str) -> str:
        """A cookie as the store keeps it, under the key of a node."""
        key = (self.home(name) / "instance.key").read_text().strip()
        return Fernet(key).encrypt(cookie.encode()).decode()
