"""Clients that read and store views through both web nodes while these are killed; each answer is judged at the end."""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import requests
from django.conf import settings

from tests.soaks.nodes.instance import Filled, Node

CLIENTS, ACCOUNTS = 6, 40
EVERY = 1.0
READS = (
    "/api/status", "/api/summary", "/api/daily", "/api/dims", "/api/records", "/api/records?q=test", "/api/coverage",
    "/api/runs", "/",
)  # fmt: skip
WRITTEN = 0.2
# An account may have 50.
MOST_VIEWS = 45
# Any text of this length is a token where cookie and header agree.
TOKEN = "t" * 32
GOOD = (200, 304)


def get(node: Node, path: str, session: str) -> requests.Response:
    cookies = {settings.SESSION_COOKIE_NAME: session}
    return requests.get(node.url + path, cookies=cookies, timeout=60, allow_redirects=False)


def post(node: Node, path: str, session: str, body: object = None, seconds: float = 60) -> requests.Response:
    cookies = {settings.SESSION_COOKIE_NAME: session, settings.CSRF_COOKIE_NAME: TOKEN}
    headers = {"X-CSRF-Token": TOKEN}
    return requests.post(node.url + path, json=body or {}, cookies=cookies, headers=headers, timeout=seconds)


@dataclass(frozen=True)
class Odd:
    """An answer other than the usual; status 0 for none."""

    node: Node
    request: str
    status: int
    begun: float
    ended: float


@dataclass
class Clients:
    """Threads that go on until the block of `reading` ends; views that were answered with success are `stored`."""

    filled: Filled
    dice: random.Random
    statuses: Counter[int] = field(default_factory=Counter)
    odd: list[Odd] = field(default_factory=list)
    stored: list[tuple[int, str]] = field(default_factory=list)
    tried: Counter[int] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def reading(self) -> Iterator[None]:
        over = threading.Event()
        seeds = [self.dice.random() for _ in range(CLIENTS)]
        threads = [threading.Thread(target=self._go_on, args=[over, seed]) for seed in seeds]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def _go_on(self, over: threading.Event, seed: float) -> None:
        dice = random.Random(seed)
        while not over.wait(dice.uniform(0, 2 * EVERY)):
            user_id = dice.choice(self.filled.accounts[:ACCOUNTS])
            node = dice.choice(self.filled.instance.web)
            if dice.random() < WRITTEN and self.tried[user_id] < MOST_VIEWS:
                self._write(node, user_id)
            else:
                self._ask(node, dice.choice(READS), user_id)

    def _write(self, node: Node, user_id: int) -> None:
        with self._lock:
            self.tried[user_id] += 1
            name = f"view {self.tried[user_id]}"
        if self._ask(node, "/api/views", user_id, {"name": name, "query": "model=alpha"}) == 200:
            self.stored.append((user_id, name))

    def _ask(self, node: Node, path: str, user_id: int, body: object = None) -> int:
        session, begun = self.filled.sessions[user_id], time.monotonic()
        try:
            status = (post(node, path, session, body) if body else get(node, path, session)).status_code
        except requests.RequestException:
            status = 0
        with self._lock:
            self.statuses[status] += 1
            if status not in GOOD:
                self.odd.append(Odd(node, path, status, begun, time.monotonic()))
        return status

    def faults(self) -> Iterator[str]:
        """Answers that no death of a node or of the store explains, and stored views that are gone or doubled."""
        store = self.filled.instance.store_outages
        for one in self.odd:
            its = one.node.outages if one.status == 0 else []
            down = [outage for outage in [*its, *store] if outage.touches(one.begun, one.ended)]
            if not down or one.status not in (0, 500, 503):
                yield f"{one.node.name} answered {one.request} with {one.status or 'nothing'}"
        rows = self.filled.instance.sql("SELECT user_id, name FROM usage_savedview")
        kept = Counter((int(user_id), str(name)) for user_id, name in rows)
        lost = [view for view in self.stored if kept[view] != 1]
        yield from (f"the view {name!r} of account {user_id} was stored and is gone" for user_id, name in lost)
        if any(number > 1 for number in kept.values()):
            yield "views are there twice"

    @property
    def line(self) -> str:
        answers = ", ".join(f"{status or 'none'}: {count:,}" for status, count in sorted(self.statuses.items()))
        return f"clients: answers {answers}; {len(self.stored)} views stored"
