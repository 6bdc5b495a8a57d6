"""Hostile upstreams: `python -m tests.soaks.hostile_upstreams [--only WORDS …]`.

`manage.py collect` runs against each of them in turn, with the shortest possible timeout. Each run must end as `api`
within its tries, with less than 100 MiB above a run with an empty upstream; the largest valid answers take no more, and
are stored.
"""

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.collect import peak_mib
from tests.benchmarks.report import Report
from tests.collection.hostile_answers import HEAVY, LOUD, SILENT, bomb
from tests.collection.running_instance import Instance, made_instance
from tests.collection.scripted_upstream import ScriptedUpstream, Step, in_json

IDLE = "an upstream without a call"
STEPS = {IDLE: in_json({"code": 0, "data": None}), **LOUD, **HEAVY, **SILENT}

TIMEOUT = 3
# Five tries, and the waits between them.
MOST_SECONDS = 5 * TIMEOUT + 2 + 4 + 8 + 16
STARTING = 10
MOST_MIB = 100
API = 5
# These are read to the end, since they look like calls.
READ_WHOLE = {"pages without end": 600}


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit code, seconds, peak of resident memory in MiB, and message."""

    exit_code: int | None
    seconds: float
    peak: float
    message: str


def collected(template: Path, home: Path, step: Step) -> Ended:
    with Instance.copied(template, home) as instance, ScriptedUpstream(step) as upstream:
        instance.use_cookie(upstream.url, "session=x", timeout=TIMEOUT, page_size=200)
        began, peak = time.monotonic(), 0.0
        process = instance.start("collect", "alice")
        while process.poll() is None:
            peak = max(peak, peak_mib(process.pid))
            time.sleep(0.01)
        seconds = time.monotonic() - began
        rows = instance.sql("SELECT exit_code, message FROM collection_run")
    return Ended(rows[0][0], seconds, peak, rows[0][1]) if rows else Ended(None, seconds, peak, "no run")


def measure(only: list[str], report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="usage-archive-hostile-") as folder:
        template = made_instance(Path(folder) / "template")

        def against(name: str) -> Ended:
            return collected(template, Path(folder) / name, STEPS[name])

        idle = against(IDLE)
        report.verdict(idle.exit_code == 0, _line(IDLE, idle, 0))
        names = [name for name in STEPS if name != IDLE and any(words in name for words in only)]
        for name in names:
            if name not in SILENT:
                _judge(name, against(name), idle, report)
        silent = [name for name in names if name in SILENT]
        # These only wait, so they run together.
        with ThreadPoolExecutor() as pool:
            for name, ended in zip(silent, pool.map(against, silent), strict=True):
                _judge(name, ended, idle, report)


def _judge(name: str, ended: Ended, idle: Ended, report: Report) -> None:
    more = ended.peak - idle.peak
    is_in_time = ended.seconds < READ_WHOLE.get(name, MOST_SECONDS) + STARTING
    holds = ended.exit_code == (0 if name in HEAVY else API) and is_in_time and more < MOST_MIB
    report.verdict(holds, _line(name, ended, more))


def _line(name: str, ended: Ended, more: float) -> str:
    return f"{name:<38} exit {ended.exit_code}  {ended.seconds:5.1f} s  {more:+6.1f} MiB  {ended.message[:110]}"


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.soaks.hostile_upstreams")
    options.add_argument("--only", nargs="+", default=[""], metavar="WORDS", help="those whose name holds any")
    report = Report(sys.stdout)
    # Generating it takes longer than the timeout of an answer.
    bomb()
    measure(options.parse_args().only, report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
