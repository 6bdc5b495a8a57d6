"""All comparative benchmarks in one run and one report (`make bench`); fails if a limit is exceeded.

python -m tests.benchmarks [--home FOLDER] [--results FILE] [--huge]
"""

import argparse
import platform
import sqlite3
import subprocess
import sys
from pathlib import Path

from tests.benchmarks import dataset, memory, reads, record_pages, while_writing
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.report import Report
from tests.benchmarks.serving import PROJECT

# The benchmarks that run in a separate process, and their arguments.
ON_THE_DATA_SET = ("search", "export")
ON_THEIR_OWN = ("ingest", "footprint")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("--home", type=Path, default=dataset.HOME, help="where the data sets are kept")
    parser.add_argument("--results", type=Path, default=Path("bench-results.txt"))
    parser.add_argument("--huge", action="store_true", help="growth up to 10,000,000 records, too")
    options = parser.parse_args()
    with options.results.open("w") as results:
        report = Report(sys.stdout, results)
        report.line(f"{platform.platform()}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}")
        homes = {size: prepare(options.home, report, size) for size in reads.sizes(options.huge)}
        home = homes[dataset.RECORDS]
        reads.compare(home, report)
        reads.growth(homes, report)
        memory.measure(home, report)
        record_pages.measure(home, report)
        while_writing.measure(home, report)
        for name in ON_THE_DATA_SET:
            _run(name, ["--home", str(home)], report)
        for name in ON_THEIR_OWN:
            _run(name, [], report)
        report.line()
        report.line("\n".join(["Not held:", *report.failed]) if report.failed else "All limits hold.")
    return 1 if report.failed else 0


def _run(name: str, arguments: list[str], report: Report) -> None:
    """Run a benchmark with its own command; its lines go to the report."""
    report.line(f"\n== {name}")
    command = [sys.executable, "-u", "-m", f"tests.benchmarks.{name}", *arguments]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout or ():
            report.line(line.rstrip("\n"))
    if running.returncode:
        report.failed.append(f"{name} (see there)")


if __name__ == "__main__":
    sys.exit(main())
