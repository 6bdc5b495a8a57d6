"""A real instance (`manage.py up`) on a folder of its own, for tests of pages."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any

import pytest

from archive_site.lib.storage.data_folder import DataFolder, read_secret_key
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests import process_stores
from tests.archive_site.path_proxy import Proxy
from tests.browser.waiting import until
from tests.collection.running_instance import SET
from tests.process_stores import AFTERNOON, environment
from tests.statements import OF_TESTS

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60
STOP_SECONDS = 20
# What each instance said after its first-run link, by that link.
_outputs: dict[str, "Queue[str]"] = {}


@dataclass
class Instance:
    """A running instance that collects from a simulator; `first_run` is the link that it printed."""

    url: str
    first_run: str
    home: Path

    def __post_init__(self) -> None:
        KNOWN.append(self)

    @property
    def output(self) -> list[str]:
        """The lines that it printed after the link."""
        return list(_outputs[self.first_run].queue)

    @cached_property
    def secret_key(self) -> str:
        """The key that signs its sessions."""
        return read_secret_key(DataFolder(self.home))

    def behind(self, origin: str) -> "Instance":
        """The same instance, visited at another address."""
        link = self.first_run.replace(self.url, origin)
        _outputs[link] = _outputs[self.first_run]
        return Instance(origin, link, self.home)

    def manage(self, *arguments: str) -> str:
        """What a command says on this instance's store."""
        return run_command(self.home, *arguments)

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement, with `?` for each value, on this instance's store. Return its rows."""
        return process_stores.sql(self.home, statement, values)

    def wait_for_first_backup(self) -> None:
        """Wait until the backup that is made soon after the start is there: meanwhile another is refused as busy."""
        log = self.home / "logs" / "app.log"
        made = "created the automatic backup"
        until(None, lambda: log.exists() and made in log.read_text(), "the first automatic backup is not made")

    def forget_counts(self) -> None:
        """Empty the counters of limits: the tests of a minute read more than one account may."""
        process_stores.forget_counts(self.home)


# All instances that this process has started.
KNOWN: list[Instance] = []


def prepare(home: Path) -> Path:
    """A data folder with an empty store. Captchas are off; the tests about them switch them on."""
    run_command(home, "config", "set", "captcha_policy", "off")
    return home


def serve(home: Path, prepared: Path, upstream: Simulator, **variables: str) -> Iterator[Instance]:
    """An instance on a copy of a folder, which collects from the upstream."""
    process_stores.copy(prepared, home)
    for name in ("api_base", "token_base"):
        process_stores.sql(home, SET, (0, name, upstream.base_url))
    process = subprocess.Popen(
        manage_command("up", "--bind", "127.0.0.1:0"),
        env=environment(home, **{"TZ": AFTERNOON, "DJANGO_SETTINGS_MODULE": "tests.patient_settings", **variables}),
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        link = _first_run_link(process)
        yield Instance(link.partition("/first-run/")[0], link, home)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def serve_by_name(
    before: Proxy, home: Path, prepared: Path, upstream: Simulator, **variables: str
) -> Iterator[Instance]:
    """An instance that is visited through a proxy, at a name: browsers have passkeys for names alone, and in http for
    this one."""
    for instance in serve(home, prepared, upstream, ARCHIVE_ORIGIN=before.origin, **variables):
        before.lead_to(instance.url)
        yield instance.behind(before.origin)


def run_command(home: Path, *arguments: str) -> str:
    # Only code of tests runs in a shell.
    asked_by = {"PGAPPNAME": OF_TESTS} if arguments[0] == "shell" else {}
    done = subprocess.run(
        manage_command(*arguments), env=environment(home, TZ=AFTERNOON, **asked_by),
        cwd=ROOT, capture_output=True, text=True, timeout=START_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def manage_command(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), *arguments]


def _first_run_link(process: subprocess.Popen[str]) -> str:
    """The link on the instance's output, which a thread goes on reading so that it never blocks."""
    lines: Queue[str] = Queue()
    assert process.stdout is not None
    threading.Thread(target=_read_on, args=[process.stdout, lines], daemon=True).start()
    said: list[str] = []
    try:
        while "/first-run/" not in (said or [""])[-1]:
            said.append(lines.get(timeout=START_SECONDS))
    except Empty:
        pytest.fail(f"The instance printed no first-run link but: {''.join(said)!r}")
    link = said[-1].split()[-1]
    _outputs[link] = lines
    return link


def _read_on(output: IO[str], lines: "Queue[str]") -> None:
    for line in output:
        lines.put(line)
