"""Exports as CSV, JSON lines and Parquet, beside `sqlite3 -csv` and Datasette.

`python -m tests.benchmarks.export [--home FOLDER] [--rounds 3]`

Rows a second, the first byte, and the most memory above idle, over HTTP from the server that `manage.py up` starts,
over the data set of the other benchmarks (or any store with its account). The shell runs the same query on the
same file; both write to a pipe whose output is discarded. Datasette streams the same account's rows of the table of
records, but without prompts, since it cannot join them in a stream; this is less work than that of the others.
"""

import argparse
import http.client
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.dataset import ACCOUNT, HOME, environment, use
from tests.benchmarks.report import Report, mb, ms
from tests.benchmarks.rivals import Datasette
from tests.benchmarks.serving import Client, ended, resident, started, when_ready

PATH, FORMATS = "/records/export?format=", ("csv", "jsonl", "parquet")
QUESTION = (
    "SELECT r.request_id, r.credits / 1000000.0, p.text, r.model, r.client, r.ts FROM usage_record r "
    f"LEFT JOIN usage_prompt p ON p.record_id = r.id WHERE r.user_id = {ACCOUNT} ORDER BY r.ts DESC, r.request_id DESC"
)
_SHELL = "sqlite3 -csv"
READ = 256 * 1024
MIB = 2**20
LEAST_SHARE, MOST_MEMORY, MOST_FIRST_BYTE, LEAST_OF_DATASETTE = 0.5, 16 * MIB, 0.1, 5.0
# Of JSON lines.
LEAST_OF_CSV = 0.5
STREAMED = f"/archive/usage_record.csv?_stream=1&user_id={ACCOUNT}"
# Datasette would take many minutes for the whole export.
STREAMED_SECONDS = 20.0


@dataclass(frozen=True)
class Export:
    seconds: float
    first_byte: float
    size: int
    end: bytes


def drained(read: Callable[[int], bytes], begun: float) -> Export:
    """Read to the end and keep only the last part; times are seconds since `begun`."""
    first = read(1)
    first_byte = time.perf_counter() - begun
    size, end = len(first), first
    while part := read(READ):
        size, end = size + len(part), part
    return Export(time.perf_counter() - begun, first_byte, size, end)


@dataclass(frozen=True)
class Server:
    process: "subprocess.Popen[bytes]"
    port: int
    cookie: str

    def export(self, name: str) -> Export:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        begun = time.perf_counter()
        connection.request("GET", PATH + name, headers={"Cookie": self.cookie})
        response = connection.getresponse()
        if response.status != 200:
            sys.exit(f"{PATH}{name} was answered {response.status}")
        try:
            export = drained(response.read, begun)
        finally:
            connection.close()
        if b"NOT COMPLETE" in export.end:
            sys.exit(f"{PATH}{name} broke off after {export.size:,} bytes")
        return export


@contextmanager
def server(home: Path) -> Iterator[Server]:
    """Our server as `manage.py up` starts it, and a session of the account."""
    cookie = session()
    process, port = started(environment(home), "--no-worker")
    try:
        when_ready(Client(port), "/healthz", process)
        yield Server(process, port, cookie)
    finally:
        ended(process)


def session() -> str:
    """The cookie of a new session of the account."""
    from django.conf import settings
    from django.test import Client as Visitor

    from accounts.models import User

    visitor = Visitor()
    visitor.force_login(User.objects.get(pk=ACCOUNT))
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={visitor.cookies[name].value}"


def shell(store: Path) -> Export:
    begun = time.perf_counter()
    command = ["sqlite3", "-csv", "-readonly", str(store), QUESTION]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        return drained(process.stdout.read, begun)


def datasette_rate(home: Path) -> float:
    """Rows a second of Datasette's streaming CSV, over its first seconds."""
    with Datasette(home) as running:
        connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=600)
        begun = time.perf_counter()
        connection.request("GET", STREAMED)
        response = connection.getresponse()
        if response.status != 200:
            sys.exit(f"{STREAMED} was answered {response.status}")
        lines, part = 0, b" "
        while part and time.perf_counter() - begun < STREAMED_SECONDS:
            part = response.read1(READ)
            lines += part.count(b"\n")
        seconds = time.perf_counter() - begun
        connection.close()
    return (lines - 1) / seconds


@contextmanager
def peak_memory(process: "subprocess.Popen[bytes]") -> Iterator[list[int]]:
    """The peak of resident bytes so far, as the only item of a list, sampled fifty times a second."""
    most, done = [resident(process)], threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            most[0] = max(most[0], resident(process))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield most
    finally:
        done.set()
        watching.join()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.export")
    parser.add_argument("--home", type=Path, default=HOME)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    use(options.home)
    from usage.filters import RecordFilters
    from usage.reads import queries

    records = queries.count_records(ACCOUNT, RecordFilters())
    plain: list[Export] = []
    mine: dict[str, list[Export]] = {name: [] for name in FORMATS}
    peaks: dict[str, list[int]] = {name: [] for name in FORMATS}
    for name in FORMATS:
        # Memory that one format has taken would hide that of the next.
        with server(options.home) as running:
            idle = resident(running.process)
            for _ in range(options.rounds):
                if name == "csv":
                    plain.append(shell(options.home / "archive.sqlite3"))
                with peak_memory(running.process) as most:
                    mine[name].append(running.export(name))
                peaks[name].append(most[0] - idle)
    return reported(records, mine, plain, peaks, datasette_rate(options.home))


def reported(
    records: int, mine: dict[str, list[Export]], plain: list[Export], peaks: dict[str, list[int]], streamed: float
) -> int:
    """Print the measurements; return the exit code."""
    report = Report(sys.stdout)
    report.line(f"{records:,} records, median of {len(plain)} rounds in turn")
    sides = {**mine, _SHELL: plain}
    rates = {name: records / statistics.median(export.seconds for export in side) for name, side in sides.items()}
    rows = [
        [name, f"{rates[name]:,.0f}", mb(side[0].size), ms(max(export.first_byte for export in side))]
        + [mb(max(peaks[name])) if name in peaks else "-"]
        for name, side in sides.items()
    ]
    rows.append(["Datasette", f"{streamed:,.0f}", "-", "-", "-"])
    report.table(["", "rows/s", "size", "latest first byte", "most memory above idle"], rows)
    for name, taken in peaks.items():
        report.line(f"{name}: memory above idle in each round: {', '.join(mb(peak) for peak in taken)}")
    report.limit("export, share of the rows a second of sqlite3 -csv", rates["csv"] / rates[_SHELL], least=LEAST_SHARE)
    report.limit("export, times the rows a second of Datasette", rates["csv"] / streamed, least=LEAST_OF_DATASETTE)
    report.limit("JSON lines, share of the rows a second of CSV", rates["jsonl"] / rates["csv"], least=LEAST_OF_CSV)
    for name in ("csv", "jsonl"):
        report.limit(f"{name}, most MiB above idle", max(peaks[name]) / MIB, most=MOST_MEMORY / MIB)
        latest = max(export.first_byte for export in mine[name]) * 1000
        report.limit(f"{name}, latest first byte in ms", latest, most=MOST_FIRST_BYTE * 1000)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
