"""One account against all: `python -m tests.worst [--seconds N] [--records N] [--kinds WORD …] [--postgres]`.

An account with very many names sends eight of the worst requests of a kind at once, as fast as they are answered, kind
after kind with all of its limits unused, while probes ask for `/healthz` and another account reads. Exit code 1 if a
limit is not held (docs/decisions/tests.md#worst-use).
"""

import argparse
import http.client
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import psutil

from tests import process_stores
from tests.fuzz.target import Person, Target, stop
from tests.private_servers import postgres, redis_server
from tests.soaks import say
from tests.worst.requests import Sent, calls, worst

AT_ONCE = 8
# Records of the account that is hurt, and of the one that attacks, which has as many models and clients as `NAMES`.
READERS, RECORDS, NAMES = 20_000, 150_000, 20_000
SECONDS = 10.0
# What probes and reads may take at most, and how much memory all processes may take more than idle.
MOST_PROBE, MOST_READ, MOST_MORE_MB = 1.0, 2.0, 250.0
_READS = ("/api/summary?from={0}&to={1}", "/api/records?page=2", "/api/daily?from={0}&to={1}")


@dataclass
class Session:
    """A session of an account, on connections of its own."""

    target: Target
    person: Person
    place: int = 0
    statuses: Counter[int] = field(default_factory=Counter)

    def send(self, sent: Sent) -> int:
        """Send a request and read the whole answer; gives its status, 0 where there was none."""
        cookies = {self.target.session_cookie: self.person.sessions[self.place], self.target.csrf_cookie: "t" * 32}
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()), "X-CSRF-Token": "t" * 32}
        if sent.body is not None:
            headers["Content-Type"] = sent.type
        connection = http.client.HTTPConnection("127.0.0.1", self.target.port, timeout=180)
        status = 0
        with suppress(OSError, http.client.HTTPException):
            # A server that refuses an upload before its end has answered, and reads no more of it.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request("GET" if sent.body is None else "POST", sent.path, sent.body, headers)
            answer = connection.getresponse()
            status = answer.status
            while answer.read(2**20):
                pass
        connection.close()
        self.statuses[status] += 1
        return status


@dataclass
class Found:
    """What others met beside one kind: the longest probe and read in seconds, and the memory in MB."""

    statuses: Counter[int]
    others: Counter[int]
    probe: float
    read: float
    memory: float

    def line(self, kind: str, idle: float) -> str:
        answers = ", ".join(f"{status}: {count:,}" for status, count in sorted(self.statuses.items()))
        return (
            f"{kind:14} healthz {self.probe * 1e3:5.0f} ms, read {self.read * 1e3:5.0f} ms, "
            f"{self.memory - idle:+5.0f} MB; {answers}"
        )

    def faults(self, kind: str, idle: float) -> Iterator[str]:
        if self.probe > MOST_PROBE:
            yield f"{kind}: /healthz took {self.probe:.1f} s"
        if self.read > MOST_READ:
            yield f"{kind}: a read took {self.read:.1f} s"
        if self.memory - idle > MOST_MORE_MB:
            yield f"{kind}: {self.memory - idle:.0f} MB more memory"
        if odd := {status: count for status, count in (self.statuses + self.others).items() if status in (0, 500)}:
            yield f"{kind}: answers {odd}"
        if wrong := {status: count for status, count in self.others.items() if status != 200}:
            yield f"{kind}: others were answered {wrong}"


def beside(target: Target, attacker: Person, reader: Person, sent: Sent, seconds: float, up: int) -> Found:
    """What probes and reads take while eight requests at once are sent again and again for as long."""
    until = time.monotonic() + seconds
    sessions = [Session(target, attacker, place) for place in range(AT_ONCE)]

    def attack(session: Session) -> None:
        while time.monotonic() < until:
            if session.send(sent) == 429:
                # Who is refused asks again, as a program without patience does.
                time.sleep(0.05)

    threads = [threading.Thread(target=attack, args=[session]) for session in sessions]
    for thread in threads:
        thread.start()
    other = Session(target, reader)
    first, last = date.today() - timedelta(days=60), date.today()
    probe = read = memory = 0.0
    number = 0
    while any(thread.is_alive() for thread in threads):
        probe = max(probe, _seconds(other, "/healthz"))
        read = max(read, _seconds(other, _READS[number % len(_READS)].format(first, last)))
        memory = max(memory, _memory(up))
        number += 1
        time.sleep(0.2)
    return Found(sum((session.statuses for session in sessions), Counter()), other.statuses, probe, read, memory)


def _seconds(session: Session, path: str) -> float:
    begun = time.monotonic()
    session.send(Sent(path))
    return time.monotonic() - begun


def _memory(up: int) -> float:
    """Resident MB of all processes of the service."""
    total = 0
    process = psutil.Process(up)
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.Error):
            total += one.memory_info().rss
    return total / 1e6


def _filled(folder: Path, records: int) -> Target:
    target = Target(folder / "home", users=2, records=READERS)
    for name in ("schedule_enabled", "backup_enabled"):
        target.run("config", "set", name, "0")
    file = folder / "calls.csv"
    file.write_bytes(calls(records, NAMES, "r"))
    importing = target.start("import", target.people[1].name, str(file))
    _, error = importing.communicate(timeout=1200)
    assert importing.returncode == 0, error
    return target


def trial(chosen: argparse.Namespace) -> list[str]:
    """Try each kind, and say what it did; gives what was wrong."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="usage-archive-worst-") as folder, ExitStack() as stack:
        target = stack.enter_context(_filled(Path(folder), chosen.records))
        attacker, reader = target.people[1:3]
        process = target.up()
        # The first read makes the counters of limits.
        Session(target, reader).send(Sent("/api/records"))
        time.sleep(5)
        idle = _memory(process.pid)
        say(f"idle: {idle:.0f} MB in all processes")
        for kind, sent in worst(reader.name, calls(60_000, 2_000, "n")):
            if chosen.kinds and kind not in chosen.kinds:
                continue
            process_stores.forget_counts(target.home)
            found = beside(target, attacker, reader, sent, chosen.seconds, process.pid)
            say(found.line(kind, idle))
            wrong += found.faults(kind, idle)
        if "Traceback" in target.log_text():
            wrong.append("the log has a traceback")
        if stop(process) != 0:
            wrong.append("the instance did not stop with exit code 0")
    return wrong


def _on_postgres(arguments: list[str]) -> int:
    with postgres() as database, redis_server() as counters:
        servers: Mapping[str, str] = {"TESTS_DATABASE_URL": database, "TESTS_REDIS_URL": counters}
        return subprocess.run(
            [sys.executable, "-m", "tests.worst", *arguments], env={**os.environ, **servers}
        ).returncode


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.worst")
    options.add_argument("--seconds", type=float, default=SECONDS, help="of each kind")
    options.add_argument("--records", type=int, default=RECORDS, help="of the account that attacks")
    options.add_argument("--kinds", nargs="+", default=[], help="only these")
    options.add_argument("--postgres", action="store_true", help="on a private PostgreSQL and Redis")
    chosen = options.parse_args()
    if chosen.postgres:
        sys.exit(_on_postgres([argument for argument in sys.argv[1:] if argument != "--postgres"]))
    wrong = trial(chosen)
    for line in wrong:
        say(f"FAILS  {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
