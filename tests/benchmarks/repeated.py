"""The groups of repeated prompts, of a year, a month and a client, beside `dims` of the same calls.

    python -m tests.benchmarks.repeated [--home FOLDER]

Times are medians of the processor, within this process; all reads take turns in each round.
"""

import argparse
import sys
import time
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from statistics import median

from tests.benchmarks import dataset
from tests.benchmarks.dataset import ACCOUNT
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.report import Report, ms

ROUNDS, GROUPS = 7, 50
# Seconds for a million calls.
MOST = 0.4


def measure(home: Path, report: Report) -> None:
    dataset.use(home)
    from archive_site.lib.http.parameter_parsing import Days
    from usage.filters import RecordFilters
    from usage.reads.dimensions import dims
    from usage.repeated.groups import repeated

    chosen = {
        "the whole year": RecordFilters(),
        "a month": RecordFilters(Days(date(2026, 3, 1), date(2026, 3, 31))),
        "a client": RecordFilters(client="WorkBuddy"),
        "a purpose": RecordFilters(purpose="conversation"),
    }
    rows = []
    for name, filters in chosen.items():
        groups, sums = _medians(partial(repeated, ACCOUNT, filters, GROUPS), partial(dims, ACCOUNT, filters))
        rows.append((name, ms(groups), ms(sums), f"{len(repeated(ACCOUNT, filters, 1000)):,}"))
        report.limit(f"{name}: seconds for a million calls", groups * 1_000_000 / dataset.RECORDS, most=MOST)
    report.table(("", "groups", "dims", "of at most 1,000"), rows)


def _medians(*reads: Callable[[], object]) -> list[float]:
    times: list[list[float]] = [[] for _ in reads]
    for _ in range(ROUNDS):
        for taken, read in zip(times, reads, strict=True):
            begun = time.process_time()
            read()
            taken.append(time.process_time() - begun)
    return [median(taken) for taken in times]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.repeated")
    parser.add_argument("--home", type=Path, default=dataset.HOME)
    report = Report(sys.stdout)
    measure(prepare(parser.parse_args().home, report), report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
