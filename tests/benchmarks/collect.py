"""A big collection from end to end: `python -m tests.benchmarks.collect`. It fails on any deviation.

The simulator runs in a separate process. Peak memory is reported with and without the page cache of SQLite, which fills
up to its 64 MiB; the rest must not grow with the length of a run.
"""

import multiprocessing
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

from collection.sources.codebuddy.simulator.data import invent_call
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.rollup_errors import ROLLUP_ERRORS
from tests.collection.running_instance import Instance, made_instance

DAYS = 90
SIZES = (12_500, 50_000)
# How much more memory four times the records may take: noise, not growth.
MEMORY_NOISE = 1.05


@dataclass(frozen=True)
class Figures:
    records: int
    seconds: float
    peak_mib: float
    ownpeak_mib: float
    again_seconds: float

    def line(self) -> str:
        return (
            f"{self.records:>7,} records  {self.seconds:6.1f} s  {self.records / self.seconds:6,.0f} records/s  "
            f"peak {self.peak_mib:5.1f} MiB, {self.ownpeak_mib:.1f} without cache  again {self.again_seconds:5.1f} s"
        )


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="usage-archive-benchmark-") as folder:
        template = made_instance(Path(folder) / "template")
        found = [_measured(size, template, Path(folder) / str(size)) for size in SIZES]
    _require(found[-1].ownpeak_mib <= found[0].ownpeak_mib * MEMORY_NOISE, "memory grows with the length of a run")


def _measured(size: int, template: Path, home: Path) -> Figures:
    ours, theirs = multiprocessing.Pipe()
    upstream = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, size), daemon=True)
    upstream.start()
    base_url, cookie, micro = ours.recv()
    with Instance.copied(template, home) as instance:
        instance.use_cookie(base_url, cookie, page_size=200)
        seconds, peak, words = _collect(instance)
        _require(words.startswith(f"{size} new records, "), words)
        _require(instance.sql("SELECT COUNT(*) FROM usage_record") == [(size,)], "not every record is there")
        _require(instance.sql("SELECT SUM(credits) FROM usage_record") == [(micro,)], "the sum of credits differs")
        again, _, words = _collect(instance)
        _require(words.startswith(f"0 new records, {size} already known"), words)
        _require(all(instance.sql(query) == [] for query in ROLLUP_ERRORS), "a rollup differs from its GROUP BY")
    with Instance.copied(template, home / "small cache") as instance:
        instance.settings = "tests.benchmarks.small_cache"
        instance.use_cookie(base_url, cookie, page_size=200)
        own_peak = _collect(instance)[1]
    ours.send("stop")
    upstream.join()
    shutil.rmtree(home)
    figures = Figures(size, seconds, peak, own_peak, again)
    sys.stdout.write(figures.line() + "\n")
    return figures


def _collect(instance: Instance) -> tuple[float, float, str]:
    """Seconds, peak of resident memory in MiB, and the output of one run of the command."""
    started = time.monotonic()
    process = instance.start("collect", "alice", "--from", str(date.today() - timedelta(days=DAYS)))
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, peak_mib(process.pid))
        time.sleep(0.02)
    seconds = time.monotonic() - started
    out, error = process.communicate()
    _require(process.returncode == 0, error)
    return seconds, peak, out.strip()


def peak_mib(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def _serve(pipe: Connection, size: int) -> None:
    """Serve exactly `size` calls of the last days until a stop; sends URL, cookie and the sum of credits."""
    simulator = Simulator(days=DAYS, per_day=int(size / DAYS * 0.95))
    calls = simulator.rows()
    dice = random.Random(size)
    first, last = calls[0].time, calls[-1].time
    for _ in range(size - len(calls)):
        moment = first + timedelta(seconds=dice.randrange(int((last - first).total_seconds())))
        simulator.add(0, invent_call(dice, moment))
    with simulator:
        micro = sum(call.amount for call in simulator.rows())
        pipe.send((simulator.base_url, simulator.cookie(), micro))
        pipe.recv()


def _require(holds: bool, words: str) -> None:
    if not holds:
        sys.exit(f"Failed: {words}")


if __name__ == "__main__":
    main()
