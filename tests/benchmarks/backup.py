"""Creating a backup, compared with `VACUUM INTO` and `zip -6`, during writes.

    python -m tests.benchmarks.backup [--home FOLDER]

It works on a copy of the data set. `manage.py backup create` creates the backup; the writer stores pages of records as
a collection does, at the pace of an upstream that answers at once. Memory is compared with that of a backup of an empty
store.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from itertools import count
from pathlib import Path
from statistics import median, quantiles

import psutil

from tests.benchmarks import dataset
from tests.benchmarks.report import Report, mb, ms
from tests.benchmarks.serving import PROJECT

# The smallest size of a page.
PAGE, PAUSE = 20, 0.03
MOST_OF_RIVAL, MOST_P99, MOST_MEMORY = 1.0, 0.05, 16 * 2**20
LEAST_PAGES = 20
IDLE = 10.0


def measure(home: Path, report: Report) -> None:
    """Measure on a copy of the data set in this folder. Once in a process: it sets Django up for that copy."""
    with tempfile.TemporaryDirectory(dir=home.parent) as folder:
        copy, small = Path(folder) / "copy", Path(folder) / "small"
        copy.mkdir()
        for name in ("archive.sqlite3", "instance.key", "secret.key"):
            shutil.copy(home / name, copy)
        dataset.use(copy)
        vacuumed, zipped, rival_size = _rival(copy / "archive.sqlite3", Path(folder))
        rival = vacuumed + zipped
        with _writing() as idle:
            time.sleep(IDLE)
        with _writing() as taken:
            ours, memory = _create(copy)
        least = _create(small)[1]
        size = next((copy / "backups").glob("*.zip")).stat().st_size
    report.table(
        ("", "seconds", "size", "most memory"),
        [
            ("VACUUM INTO and zip -6", f"{rival:.1f}", mb(rival_size), "-"),
            ("backup create", f"{ours:.1f}", mb(size), mb(memory)),
            ("backup create of an empty store", "-", "-", mb(least)),
        ],
    )
    report.line(f"VACUUM INTO took {vacuumed:.1f} s of it, zip {zipped:.1f} s")
    for words, pages in (("before", idle), ("meanwhile", taken)):
        figures = f"median {ms(median(pages))}, p99 {ms(_p99(pages))}, longest {ms(max(pages))}"
        report.line(f"{len(pages)} pages of {PAGE} records written {words}: {figures}")
    report.limit("backup create to VACUUM INTO and zip -6", ours / rival, most=MOST_OF_RIVAL)
    report.limit("writer's p99 meanwhile in ms", _p99(taken) * 1000, most=MOST_P99 * 1000)
    report.limit("MiB of memory above that of an empty store", (memory - least) / 2**20, most=MOST_MEMORY / 2**20)
    report.verdict(len(taken) >= LEAST_PAGES, f"at least {LEAST_PAGES} pages were written meanwhile")


def _rival(store: Path, folder: Path) -> tuple[float, float, int]:
    """Seconds of `VACUUM INTO`, seconds of `zip -6`, and the size of their results."""
    vacuumed, zipped = folder / "vacuumed.sqlite3", folder / "vacuumed.zip"
    seconds = [
        _timed(["sqlite3", str(store), f"VACUUM INTO '{vacuumed}'"]),
        _timed(["zip", "-6", "-q", "-j", str(zipped), str(vacuumed)]),
    ]
    size = zipped.stat().st_size
    vacuumed.unlink()
    zipped.unlink()
    return seconds[0], seconds[1], size


def _timed(command: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - begun


def _create(home: Path) -> tuple[float, int]:
    """Seconds of `manage.py backup create`, and the peak of resident bytes."""
    begun, most = time.perf_counter(), 0
    command = [sys.executable, "manage.py", "backup", "create"]
    with subprocess.Popen(command, cwd=PROJECT, env=dataset.environment(home), stdout=subprocess.DEVNULL) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            with suppress(psutil.NoSuchProcess):
                most = max(most, watched.memory_info().rss)
            time.sleep(0.02)
    if process.returncode:
        sys.exit("the backup was not made")
    return time.perf_counter() - begun, most


@contextmanager
def _writing() -> Iterator[list[float]]:
    """Store page after page until the block ends; the seconds of each."""
    taken, done = list[float](), threading.Event()
    writer = threading.Thread(target=_write, args=(done, taken))
    writer.start()
    try:
        yield taken
    finally:
        done.set()
        writer.join()


def _write(done: threading.Event, taken: list[float]) -> None:
    from django.db import connection

    from tests.usage.record_factories import archive, call

    run = time.time_ns()
    for page in count():
        if done.wait(PAUSE):
            break
        # One day for each page: a page recomputes the sums of its days, as in a collection.
        day = date(2027, 1, 1) + timedelta(days=page)
        calls = [
            call(f"{run}-{page}-{number}", ts=f"{day} 12:30:00", prompt=f"a question of page {page} " * 20)
            for number in range(PAGE)
        ]
        begun = time.perf_counter()
        archive(dataset.ACCOUNT, *calls)
        taken.append(time.perf_counter() - begun)
    connection.close()


def _p99(seconds: list[float]) -> float:
    return quantiles(seconds, n=100, method="inclusive")[-1]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.backup")
    parser.add_argument("--home", type=Path, default=dataset.HOME, help="a data set that is there already")
    report = Report(sys.stdout)
    measure(parser.parse_args().home, report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
