"""The server's memory before and after its large answers.

python -m tests.benchmarks.memory [--home FOLDER]
"""

import argparse
import sys
from pathlib import Path

from tests.benchmarks import dataset
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.report import Report, mb
from tests.benchmarks.serving import Site

# Enough that each thread of the server has answered, and opened its connection to the store.
SMALL = 64
ROUNDS = 9
MOST_MORE = 25.0
LARGE = (
    "/api/bundle",
    "/api/bundle?topN=1000",
    "/api/dims?dim=purpose&trend=1",
    "/api/daily",
    "/api/daily?model=model-a",
    "/api/top?n=1000",
    "/api/records?size=500",
    "/api/coverage?from=2016-10-01&to=2026-09-30",
)


def measure(home: Path, report: Report) -> None:
    """Each large answer to each kind of client in turn: a thread that answered one has answered all of them."""
    with Site(home) as site:
        for _ in range(SMALL):
            site.get("/api/summary?from=2026-09-01&to=2026-09-07")
        before = site.resident()
        for path in LARGE * ROUNDS:
            for coding in ("identity", "gzip"):
                site.get(path, **{"Accept-Encoding": coding})
        after = site.resident()
    report.line(f"memory: {mb(before)} before the large answers, {mb(after)} after them")
    report.limit("memory: MiB after the large answers above before", (after - before) / 2**20, most=MOST_MORE)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.memory")
    parser.add_argument("--home", type=Path, default=dataset.HOME)
    report = Report(sys.stdout)
    measure(prepare(parser.parse_args().home, report), report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
