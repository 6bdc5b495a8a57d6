"""The time of a summary while a collection writes to the same archive without pause, compared with an idle one.

    python -m tests.benchmarks.while_writing [--home FOLDER]

It works on a copy of the data set, since it adds records. The upstream is the simulator in a separate process, and
`manage.py collect` collects.
"""

import argparse
import multiprocessing
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.benchmarks import dataset
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.report import Report, ms, p95
from tests.benchmarks.serving import Site
from tests.collection.running_instance import Instance

MOST = 2.0
READS = 400
# Seconds between reads on both sides, as from an open page.
PAUSE = 0.02
UPSTREAM_DAYS, UPSTREAM_PER_DAY = 30, 2500
LEAST_WRITTEN = 2000


def measure(home: Path, report: Report) -> None:
    with tempfile.TemporaryDirectory(dir=home.parent) as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(home, copy, ignore=shutil.ignore_patterns("*.duckdb", "[0-9]*"))
        with Site(copy) as site, Instance(copy) as instance, upstream() as (base_url, cookie):
            instance.settings = "tests.benchmarks.settings"
            instance.use_cookie(base_url, cookie, page_size=200)
            before = _count(instance)
            idle, _ = _read(site, lambda: True)
            collection = instance.start(
                "collect", dataset.NAME, "--from", str(date.today() - timedelta(days=UPSTREAM_DAYS))
            )
            while _count(instance) == before and collection.poll() is None:
                time.sleep(0.1)
            begun, at = _count(instance), time.perf_counter()
            busy, failed = _read(site, lambda: collection.poll() is None)
            written, seconds = _count(instance) - begun, time.perf_counter() - at
    report.line()
    report.table(
        ("summary", "median", "p95", "longest", "reads"),
        [
            (name, ms(median(taken)), ms(p95(taken)), ms(max(taken)), str(len(taken)))
            for name, taken in (("idle", idle), ("while a collection writes", busy))
        ],
    )
    report.line(f"{written:,} records were written meanwhile, {written / seconds:,.0f} a second")
    report.verdict(written >= LEAST_WRITTEN, f"the collection wrote at least {LEAST_WRITTEN:,} records meanwhile")
    report.limit("summary: p95 while a collection writes to idle", p95(busy) / p95(idle), most=MOST)
    report.verdict(not failed, f"of {len(busy)} reads meanwhile {failed} failed")


def _read(site: Site, goes_on: Callable[[], bool]) -> tuple[list[float], int]:
    """The seconds of successive reads until the end, and the number of failed ones."""
    taken: list[float] = []
    failed = 0
    while len(taken) < READS and goes_on():
        answer = site.client.get("/api/summary")
        taken.append(answer.seconds)
        failed += answer.status != 200
        time.sleep(PAUSE)
    return taken, failed


def _count(instance: Instance) -> int:
    return int(instance.sql("SELECT COUNT(*) FROM usage_record WHERE user_id = ?", dataset.ACCOUNT)[0][0])


@contextmanager
def upstream() -> Any:
    """A simulator in a separate process: its address and a cookie."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("stop")
        process.join()


def _serve(pipe: Connection) -> None:
    with Simulator(days=UPSTREAM_DAYS, per_day=UPSTREAM_PER_DAY) as simulator:
        pipe.send((simulator.base_url, simulator.cookie()))
        with suppress(EOFError):
            pipe.recv()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.while_writing")
    parser.add_argument("--home", type=Path, default=dataset.HOME)
    report = Report(sys.stdout)
    measure(prepare(parser.parse_args().home, report), report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
