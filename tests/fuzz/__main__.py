"""`python -m tests.fuzz [--requests N] [--seed N]`: prints counts; exit code 1 if anything was wrong."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.attack import attack
from tests.fuzz.target import Target, stop

REQUESTS = 100_000


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.fuzz")
    options.add_argument("--requests", type=int, default=REQUESTS)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="usage-archive-fuzz-") as folder, Target(Path(folder) / "home") as target:
        process = target.up()
        began = time.monotonic()
        tally = attack(target, chosen.requests, chosen.seed)
        minutes = (time.monotonic() - began) / 60
        if stop(process) != 0:
            tally.wrong.append("the instance did not stop with exit code 0")
    sys.stdout.write("\n".join([f"seed {chosen.seed}, {minutes:.1f} minutes", *tally.lines()]) + "\n")
    sys.exit(1 if tally.wrong else 0)


if __name__ == "__main__":
    main()
