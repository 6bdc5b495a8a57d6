"""Many clients at once: `python -m tests.load [--minutes N] [--clients N]`. Exit code 1 if a limit is not held.

Clients of 40 accounts read every two seconds: first alone, then while one collection follows another and a backup is
made every minute (docs/decisions/tests.md#load).
"""

import argparse
import http.client
import multiprocessing
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import quantiles

import psutil
from cryptography.fernet import Fernet

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.fuzz.target import Person, Target, stop
from tests.soaks import say

USERS, RECORDS = 40, 3_000
READ_EVERY = 2.0
# Until each client has read everything once.
WARM_SECONDS = 90.0
CALM_SHARE = 5
BACKUP_EVERY = 60.0
# How often slower the slowest hundredth may be beside a collection and backups, and how much more memory (MiB).
MOST_SLOWER, MOST_MORE_MIB = 10.0, 40.0
COLLECTED = 6
DAYS, PER_DAY = 30, 400
MONTH = date.today() - timedelta(days=30)
# What is read, and how often: like a browser, a client asks again only for what has changed.
READS = {
    "/api/status": 8, "/api/summary": 6, "/api/daily": 6, "/api/dims": 4, f"/api/summary?from={MONTH}": 4,
    f"/api/dims?from={MONTH}&model=alpha": 2, "/api/records": 4, "/api/records?page=7": 2, "/api/records?q=function": 1,
    "/api/manifest": 2, "/": 1,
}  # fmt: skip


@dataclass
class Phase:
    """The answers of one phase: statuses, and seconds of each read."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    @property
    def p99(self) -> float:
        return quantiles(self.seconds, n=100)[98]

    def line(self, name: str) -> str:
        middle = quantiles(self.seconds, n=2)[0]
        return (
            f"{name}: {len(self.seconds):,} reads {dict(self.statuses)}, median {middle * 1e3:.1f} ms, "
            f"p99 {self.p99 * 1e3:.1f} ms, longest {max(self.seconds) * 1e3:.0f} ms"
        )


class Clients:
    """Threads that read, each on a connection of its own; `phase` takes their answers."""

    def __init__(self, target: Target, number: int) -> None:
        self.target, self.phase = target, Phase()
        self.over = threading.Event()
        users = target.people[1:]
        self.threads = [
            threading.Thread(target=self._read, args=[users[place % len(users)], place], daemon=True)
            for place in range(number)
        ]

    def run_for(self, seconds: float) -> Phase:
        """Read for a number of seconds; the phase has the answers."""
        self.phase = phase = Phase()
        time.sleep(seconds)
        self.phase = Phase()
        return phase

    def _read(self, person: Person, place: int) -> None:
        dice = random.Random(place)
        tags: dict[str, str] = {}
        paths, weights = list(READS), list(READS.values())
        connection = http.client.HTTPConnection("127.0.0.1", self.target.port, timeout=60)
        cookie = f"{self.target.session_cookie}={person.sessions[place // USERS]}"
        self.over.wait(dice.uniform(0, READ_EVERY))
        while not self.over.is_set():
            (path,), phase, began = dice.choices(paths, weights), self.phase, time.monotonic()
            headers = {"Cookie": cookie, **({"If-None-Match": tags[path]} if path in tags else {})}
            try:
                connection.request("GET", path, headers=headers)
                response = connection.getresponse()
                response.read()
                status, tag = response.status, response.headers.get("ETag")
            except (OSError, http.client.HTTPException):
                connection.close()
                status, tag = 0, None
            if tag:
                tags[path] = tag
            phase.statuses[status] += 1
            phase.seconds.append(time.monotonic() - began)
            self.over.wait(max(0.0, READ_EVERY - (time.monotonic() - began)))


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.load")
    options.add_argument("--minutes", type=float, default=10)
    options.add_argument("--clients", type=int, default=200)
    chosen = options.parse_args()
    wrong: list[str] = []
    with (
        tempfile.TemporaryDirectory(prefix="usage-archive-load-") as folder,
        Target(Path(folder) / "home", users=USERS, records=RECORDS) as target,
        _upstream(target),
    ):
        for name in ("schedule_enabled", "backup_enabled"):
            # Nothing runs in the calm phase.
            target.run("config", "set", name, "0")
        process = target.up()
        clients = Clients(target, chosen.clients)
        for thread in clients.threads:
            thread.start()
        clients.run_for(WARM_SECONDS)
        calm = clients.run_for(chosen.minutes * 60 / CALM_SHARE)
        say(calm.line("alone"))
        before = _memory(process.pid)
        with (
            _repeated(lambda: _collect(target, wrong)) as collections,
            _repeated(lambda: _back_up(target, wrong), BACKUP_EVERY) as backups,
        ):
            busy = clients.run_for(chosen.minutes * 60)
        say(busy.line("beside collections and backups"))
        clients.over.set()
        after = _memory(process.pid)
        say(f"{collections[0]} collections, {backups[0]} backups; the web server had {before:.0f}, has {after:.0f} MiB")
        wrong += _faults(calm, busy, after - before, target.log_text())
        if stop(process) != 0:
            wrong.append("the instance did not stop with exit code 0")
    for line in wrong:
        say(f"FAILS  {line}")
    sys.exit(1 if wrong else 0)


def _faults(calm: Phase, busy: Phase, more: float, log: str) -> Iterator[str]:
    for phase in (calm, busy):
        odd = {status: count for status, count in phase.statuses.items() if status not in (200, 304, 429)}
        if odd:
            yield f"answers {odd}"
    if calm.statuses[429] or busy.statuses[429]:
        # Each account stays below its limit.
        yield f"{calm.statuses[429] + busy.statuses[429]} answers 429"
    ratio = busy.p99 / calm.p99
    say(f"p99 {ratio:.2f} times that of the calm phase (at most {MOST_SLOWER:g})")
    if ratio > MOST_SLOWER:
        yield f"p99 is {ratio:.1f} times as long"
    if more > MOST_MORE_MIB:
        yield f"{more:.0f} MiB more memory"
    for words in ("locked", "Traceback"):
        if words in log:
            yield f"the log has '{words}' {log.count(words)} times"


@contextmanager
def _repeated(act: Callable[[], None], pause: float = 0.0) -> Iterator[list[int]]:
    """Do something again and again beside the block; yields a list with how often it was done."""
    done, over = [0], threading.Event()

    def repeat() -> None:
        while not over.is_set():
            act()
            done[0] += 1
            over.wait(pause)

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield done
    finally:
        over.set()
        thread.join()


def _collect(target: Target, wrong: list[str]) -> None:
    name = random.choice(target.people[1 : COLLECTED + 1]).name
    _command(target, wrong, "collect", name, "--from", str(date.today() - timedelta(days=DAYS)))


def _back_up(target: Target, wrong: list[str]) -> None:
    _command(target, wrong, "backup", "create")


def _command(target: Target, wrong: list[str], *arguments: str) -> None:
    process = target.start(*arguments)
    out, error = process.communicate(timeout=300)
    if process.returncode != 0:
        wrong.append(f"{arguments}: exit code {process.returncode}: {out} {error}")


@contextmanager
def _upstream(target: Target) -> Iterator[None]:
    """An upstream in a process of its own, and its cookies in some accounts."""
    ours, theirs = multiprocessing.Pipe()
    upstream = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    upstream.start()
    base_url, *cookies = ours.recv()
    key = Fernet((target.home / "instance.key").read_text().strip())
    target.sql("UPDATE accounts_setting SET value = ? WHERE key = 'api_base'", base_url)
    for person, cookie in zip(target.people[1:], cookies, strict=False):
        stored = key.encrypt(cookie.encode()).decode()
        target.sql("UPDATE accounts_setting SET value = ? WHERE key = 'cookie' AND user_id = ?", stored, person.id)
    yield
    upstream.kill()


def _serve(pipe: Connection) -> None:
    with Simulator(accounts=COLLECTED, days=DAYS, per_day=PER_DAY) as simulator:
        pipe.send([simulator.base_url, *(simulator.cookie(place) for place in range(COLLECTED))])
        pipe.recv()


def _memory(up: int) -> float:
    """MiB of the web server."""
    (web,) = [child for child in psutil.Process(up).children() if child.name() == "web server"]
    return float(web.memory_info().rss) / 2**20


if __name__ == "__main__":
    main()
