"""The instance under test: accounts with records that only they may see, their sessions, and `manage.py up`."""

import json
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.archive_site.commands import served_url
from tests.collection.running_instance import Instance, eventually, made_instance

USERS = 40
SESSIONS = 30
START_SECONDS = 60


@dataclass
class Person:
    """An account, its password, the word of its records, its upstream cookie, and sessions that it has left."""

    id: int
    name: str
    password: str
    word: str
    secret: str
    sessions: list[str]


class Target(Instance):
    """A filled data folder with its `up`."""

    def __init__(self, home: Path, *, users: int = USERS, records: int = 200) -> None:
        super().__init__(home)
        made_instance(home)
        # It refuses the cookies of all accounts at once.
        self.upstream = Simulator(days=1, per_day=1)
        self.upstream.start()
        numbers = [str(number) for number in (users, records, SESSIONS)]
        facts = self._filled("tests.fuzz.filling", *numbers, self.upstream.base_url)
        self.people = [Person(**person) for person in facts["people"]]
        self.routes: list[str] = facts["routes"]
        self.columns: dict[str, list[str]] = facts["columns"]
        self.session_cookie, self.csrf_cookie = facts["cookie"], facts["csrf"]
        key = (home / "instance.key").read_text().strip()
        self.secrets = [*facts["secrets"], key]
        self._guard(self.people)
        # Known when `up` has printed it.
        self.url = ""

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def newcomers(self, users: int, administrators: int) -> list[Person]:
        """Further accounts, administrators last, while the instance runs. The upstream takes every other cookie."""
        made = self._filled("tests.fuzz.newcomers", str(users), str(administrators), self.upstream.cookie())
        people = [Person(**person) for person in made["people"]]
        self._guard(people)
        return people

    def _guard(self, people: list[Person]) -> None:
        """No answer may hold their cookies from now on."""
        self.secrets += {person.secret.partition("=")[2] for person in people} - set(self.secrets)

    def _filled(self, module: str, *arguments: str) -> dict[str, Any]:
        """What a module of the tests prints that fills the data folder."""
        filling = self._popen(["-m", module, *arguments])
        out, error = filling.communicate(timeout=600)
        assert filling.returncode == 0, error
        facts: dict[str, Any] = json.loads(out.splitlines()[-1])
        return facts

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        self.upstream.stop()

    def up(self, *options: str) -> "subprocess.Popen[str]":
        said = self.home.parent / "up.log"
        with said.open("w") as log:
            process = self.start("up", "--bind", "127.0.0.1:0", *options, stdout=log, stderr=log)
        assert eventually(lambda: served_url(said.read_text()), START_SECONDS), said.read_text()
        self.url = served_url(said.read_text())
        assert eventually(self.answers, START_SECONDS), said.read_text()
        return process

    def answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/healthz", timeout=2).ok
        except (requests.ConnectionError, requests.Timeout):
            return False

    def log_text(self) -> str:
        """All that the instance has logged and printed."""
        files = [*sorted((self.home / "logs").glob("*")), self.home.parent / "up.log"]
        return "".join(file.read_text(errors="replace") for file in files if file.is_file())


def stop(process: "subprocess.Popen[str]") -> Any:
    process.send_signal(signal.SIGTERM)
    return process.wait(20)
