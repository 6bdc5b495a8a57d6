"""The data sets of the benchmarks, each generated or found in a separate process."""

import subprocess
import sys
from pathlib import Path

from tests.benchmarks.dataset import OTHERS, RECORDS
from tests.benchmarks.report import Report
from tests.benchmarks.serving import PROJECT


def prepare(home: Path, report: Report, records: int = RECORDS) -> Path:
    """The folder with this number of records: `home`, or for another number a folder beside it.

    Raises SystemExit if it cannot be created.
    """
    folder = home if records == RECORDS else home.with_name(f"{home.name}-{records}")
    made = subprocess.run(
        [
            sys.executable, "-m", "tests.benchmarks.dataset", "--home", str(folder), "--records", str(records),
            "--others", str(min(records, OTHERS)),
        ],
        cwd=PROJECT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    if made.returncode:
        sys.exit(f"the data set in {folder} could not be made")
    report.line(made.stdout.strip())
    return folder
