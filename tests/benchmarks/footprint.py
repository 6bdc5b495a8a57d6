"""Memory of an idle instance in all its processes together, and the time from its start to its first answer.

    python -m tests.benchmarks.footprint

Memory is the proportional share (PSS) a minute after the start, as Linux counts it: a page that several processes share
counts once. Memory and times with a limit are those of starts on an existing store, whose modules are compiled; the
times stand beside a loop that shows how fast the machine was.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil

from tests.benchmarks import serving
from tests.benchmarks.dataset import environment
from tests.benchmarks.report import Report, mb
from tests.benchmarks.serving import PATIENCE, Client, ended

MOST_MEBIBYTES = 160.0
MOST_SECONDS = 1.5
IDLE_SECONDS = 60.0
STARTS = 15
LOOPS = 10**7


@dataclass(frozen=True)
class Started:
    process: "subprocess.Popen[bytes]"
    seconds: float


def measure(report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="usage-archive-footprint-") as folder:
        home = Path(folder) / "home"
        with started(home) as first:
            report.line(f"a first start, which compiles, migrates and collects: {first.seconds:.2f} s")
            # Its workers compile what they need, too.
            time.sleep(IDLE_SECONDS)
            report.line(f"memory after it: {_memory(first.process.pid, report):.1f} MiB of PSS")
        with started(home) as installed:
            time.sleep(IDLE_SECONDS)
            whole = _memory(installed.process.pid, report)
        report.limit("footprint: MiB of PSS in all processes of an idle instance", whole, most=MOST_MEBIBYTES)
        loops, starts = [], []
        for _ in range(STARTS):
            loops.append(_loop())
            with started(home) as again:
                starts.append(again.seconds)
    report.table(
        (f"{STARTS} times", "least", "median", "most"),
        [
            (what, *(f"{value:.2f} s" for value in (min(taken), median(taken), max(taken))))
            for what, taken in (("start to first answer", starts), (f"a loop of {LOOPS:,}", loops))
        ],
    )
    # What other programs take of the machine only makes a start longer, so the least is that of the instance.
    report.limit("footprint: least seconds from a start to its first answer", min(starts), most=MOST_SECONDS)


@contextmanager
def started(home: Path) -> Iterator[Started]:
    """A whole `manage.py up` that has answered once."""
    begun = time.perf_counter()
    process, port = serving.started(_environment(home))
    try:
        while not _answers(port):
            if process.poll() is not None or time.perf_counter() - begun > PATIENCE:
                sys.exit("the instance does not answer")
            time.sleep(0.01)
        yield Started(process, time.perf_counter() - begun)
    finally:
        ended(process)


def _environment(home: Path) -> dict[str, str]:
    """With compiled modules, as an installation has them, in a folder of their own."""
    kept = {name: value for name, value in environment(home).items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "archive_site.settings",
        "PYTHONPYCACHEPREFIX": str(home.with_name("compiled")),
    }


def _answers(port: int) -> bool:
    client = Client(port)
    try:
        return client.get("/healthz").status == 200
    except OSError:
        return False
    finally:
        client.close()


def _memory(pid: int, report: Report) -> float:
    """MiB of PSS in all its processes."""
    leader = psutil.Process(pid)
    shares = []
    for member in [leader, *leader.children(recursive=True)]:
        memory = member.memory_full_info()
        name = "supervisor" if member == leader else member.name()
        shares.append((f"{name} {member.pid}", memory.pss, memory.uss, memory.rss))
    report.table(
        ("process", "PSS", "of its own", "RSS"),
        [
            (name, *(mb(size) for size in sizes))
            for name, *sizes in [*shares, ("all", *(sum(column) for column in list(zip(*shares, strict=True))[1:]))]
        ],
    )
    return sum(share for _, share, *_ in shares) / 2**20


def _loop() -> float:
    """Seconds of a loop in plain Python."""
    begun, total = time.perf_counter(), 0
    for number in range(LOOPS):
        total += number
    return time.perf_counter() - begun


def main() -> int:
    report = Report(sys.stdout)
    if not os.path.exists("/proc/self/smaps"):
        report.line("NOT MEASURED: this system does not count shared pages")
        return 0
    measure(report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
