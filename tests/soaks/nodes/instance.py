"""Two web and two worker nodes, each a `manage.py up` with a folder of its own, on one PostgreSQL and Redis."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import psycopg
import requests

from tests.archive_site.commands import MANAGE, served_url
from tests.nodes.instance import KEYS
from tests.private_servers import Cluster
from tests.process_stores import environment
from tests.soaks.nodes.upstream import Upstream

WEB, WORKERS = ("web-a", "web-b"), ("workers-a", "workers-b")
COLLECTIONS = 6
START_SECONDS, STOP_SECONDS = 90.0, 20.0
# A time of day far from midnight, whenever the trial runs.
ZONES = ("Europe/Berlin", "Asia/Tokyo", "America/Los_Angeles")


@dataclass
class Outage:
    """From when until when something did not answer; it still does not where the end is endless."""

    begun: float
    ended: float = float("inf")

    def touches(self, begun: float, ended: float) -> bool:
        return begun <= self.ended and ended >= self.begun


@dataclass
class Node:
    name: str
    home: Path
    # Where it serves since its last start, as it has printed.
    url: str = ""
    process: "subprocess.Popen[str] | None" = None
    outages: list[Outage] = field(default_factory=list)
    # How much it had printed before its last start.
    said_before: int = 0

    @property
    def is_web(self) -> bool:
        return self.name in WEB

    @property
    def log(self) -> Path:
        """What it prints, at all of its starts."""
        return self.home.with_name(f"{self.name}.log")

    def answers(self) -> bool:
        """Whether it has said where it serves since its last start, and answers there."""
        found = served_url(self.log.read_text()[self.said_before :])
        if not found:
            return False
        self.url = found
        with suppress(requests.RequestException):
            return requests.get(f"{self.url}/healthz", timeout=10).ok
        return False

    def processes(self) -> list[psutil.Process]:
        """All processes of this node, found by its folder in their environment."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get("ARCHIVE_HOME") == str(self.home):
                    found.append(process)
        return found


class Instance:
    """The nodes, and the store that they share."""

    def __init__(self, folder: Path, cluster: Cluster, redis_url: str, zone: str) -> None:
        self.folder, self.cluster, self.redis_url, self.zone = folder, cluster, redis_url, zone
        self.nodes = {name: Node(name, folder / name) for name in (*WEB, *WORKERS)}
        self.store_outages: list[Outage] = []

    @property
    def web(self) -> list[Node]:
        return [self.nodes[name] for name in WEB]

    @property
    def workers(self) -> list[Node]:
        return [self.nodes[name] for name in WORKERS]

    # The store

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.cluster.url, autocommit=True) as connection:
            # Without values, a percent sign is one.
            cursor = connection.execute(query.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def count(self, source: str, *values: object) -> int:
        return int(self.sql(f"SELECT count(*) FROM {source}", *values)[0][0])

    def restart_store(self, *, crash: bool) -> None:
        outage = Outage(time.monotonic())
        self.store_outages.append(outage)
        self.cluster.stop(crash=crash)
        self.cluster.start()
        outage.ended = time.monotonic()

    # Commands

    def environment(self, node: Node) -> dict[str, str]:
        variables = {
            # Its connections are those of the node.
            "DATABASE_URL": f"{self.cluster.url}?application_name={node.name}",
            "REDIS_URL": self.redis_url,
            "ARCHIVE_NODE": node.name,
            "ARCHIVE_COLLECTIONS": str(COLLECTIONS),
            "TZ": self.zone,
            "DJANGO_SETTINGS_MODULE": "archive_site.settings",
        }
        return environment(node.home, **variables)

    def manage(self, node: Node, *arguments: str) -> str:
        return self._run(node, [*MANAGE, *arguments])

    def python(self, node: Node, script: str, given: object = None) -> Any:
        """Run a script that reads JSON and prints JSON, in the environment of a node."""
        return json.loads(self._run(node, [sys.executable, "-c", script], json.dumps(given)) or "null")

    def _run(self, node: Node, command: list[str], text: str = "") -> str:
        done = subprocess.run(
            command, env=self.environment(node), input=text, capture_output=True, text=True, timeout=600
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    # Nodes

    def share_keys(self) -> None:
        """Give the keys of the first node, which has made them, to the others."""
        first, *others = self.nodes.values()
        for node in others:
            node.home.mkdir()
            for name in KEYS:
                shutil.copy2(first.home / name, node.home)

    def start(self, node: Node) -> None:
        """Start a node, and wait until it answers or its workers work."""
        part = ("--no-worker", "--bind", "127.0.0.1:0") if node.is_web else ("--no-web",)
        before = self._beat(node)
        with node.log.open("a") as log:
            node.said_before = log.tell()
            node.process = subprocess.Popen(
                [*MANAGE, "up", *part],
                env=self.environment(node), stdout=log, stderr=log, stdin=subprocess.DEVNULL, text=True,
            )  # fmt: skip
        until = time.monotonic() + START_SECONDS
        while not (node.answers() if node.is_web else self._beat(node) not in (None, before)):
            assert node.process.poll() is None, f"{node.name} ended at its start"
            assert time.monotonic() < until, f"{node.name} did not start"
            time.sleep(0.1)
        for outage in node.outages:
            outage.ended = min(outage.ended, time.monotonic())

    def _beat(self, node: Node) -> object:
        rows = self.sql("SELECT at FROM collection_heartbeat WHERE name = %s", f"workers of {node.name}")
        return rows[0][0] if rows else None

    def kill(self, node: Node, *, leaving_children: bool = False) -> None:
        """Kill a node with all its processes, or its supervisor alone."""
        assert node.process
        node.outages.append(Outage(time.monotonic()))
        node.process.kill()
        node.process.wait()
        while not leaving_children and (left := node.processes()):
            for process in left:
                with suppress(psutil.Error):
                    process.kill()
            psutil.wait_procs(left, 5)

    def stop(self, node: Node) -> int:
        """SIGTERM to a node; gives its exit code."""
        assert node.process
        node.process.terminate()
        return node.process.wait(STOP_SECONDS)

    def end(self) -> None:
        for node in self.nodes.values():
            if node.process and node.process.poll() is None:
                self.kill(node)

    def logs(self) -> str:
        files = [*self.folder.glob("*/logs/*"), *self.folder.glob("*.log")]
        return "".join(file.read_text(errors="replace") for file in files if file.is_file())


FILL = """
import json, sys
import django
django.setup()
from accounts import config
from accounts.credentials import credential
from accounts.store_identity import open_store
from tests.factories import make_user
open_store()
given = json.load(sys.stdin)
outcome = config.write(given["settings"], archive_id=0, may_edit_instance=True)
assert not outcome.errors, outcome.errors
make_user("root", is_admin=True)
users = [make_user(f"account-{number}").pk for number in range(len(given["cookies"]))]
for user_id, cookie in zip(users, given["cookies"]):
    credential.store(user_id, cookie)
print(json.dumps(users))
"""
SESSIONS = """
import json, sys
from tests.fuzz.filling import session_of
from accounts.models import User
print(json.dumps({user.pk: session_of(user) for user in User.objects.all()}))
"""


@dataclass
class Filled:
    """An instance with its accounts in the order of the upstream's, and the administrator."""

    instance: Instance
    accounts: list[int]
    root: int
    sessions: dict[int, str]

    def sign_all_in(self) -> None:
        """A session for each account, as after a sign-in."""
        made = self.instance.python(self.instance.web[0], SESSIONS)
        self.sessions = {int(user_id): key for user_id, key in made.items()}


@contextmanager
def running(folder: Path, cluster: Cluster, redis_url: str, upstream: Upstream, zone: str) -> Iterator[Filled]:
    """An instance with an account for each cookie of the upstream, and its nodes."""
    instance = Instance(folder, cluster, redis_url, zone)
    try:
        first = instance.web[0]
        instance.manage(first, "migrate", "--verbosity", "0")
        settings = {
            "api_base": upstream.base_url, "page_size": "20", "verify_days": "1", "collect_max_range_days": "3",
            "schedule_enabled": "0", "backup_enabled": "0", "captcha_policy": "off",
        }  # fmt: skip
        accounts = instance.python(first, FILL, {"settings": settings, "cookies": upstream.cookies})
        instance.share_keys()
        for node in instance.nodes.values():
            instance.start(node)
        [(root,)] = instance.sql("SELECT id FROM accounts_user WHERE username = 'root'")
        filled = Filled(instance, accounts, root, {})
        filled.sign_all_in()
        yield filled
    finally:
        instance.end()
