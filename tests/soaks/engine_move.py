"""The move to PostgreSQL and back: `python -m tests.soaks.engine_move [--home FOLDER]`.

The data set of the benchmarks is backed up, restored on a PostgreSQL that is started for it, backed up there, and
restored on SQLite. After each step all reads must answer byte for byte as before, but for the audit of the move.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.backups.compared_answers import LISTS, READS, answers_in, pages, script
from tests.benchmarks import dataset
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.report import Report, mb
from tests.benchmarks.serving import PROJECT
from tests.private_servers import postgres
from tests.soaks import say

_OTHER = "other-2"
_SEARCHES = ("q=obsidian", "q=Refactor&model=model-b", "q=魍魉", "q=函数&order=credits_desc", "q=龘", "q=in")
_FILTERED = ("model=model-a&order=ts_asc", "client=WorkBuddy", "purpose=subagent:plan&order=credits_desc",
             "no_purpose=1", "from=2026-01-01&to=2026-03-31&order=model_asc", "credits_above=2")  # fmt: skip
_MORE = ("/api/daily?model=model-c", "/api/dims?dim=purpose", "/api/top?n=1000", "/api/repeated",
         "/api/summary?compare=year", "/api/bundle?topN=1000")  # fmt: skip


@dataclass(frozen=True)
class Store:
    """A data folder, with the database that its processes use."""

    home: Path
    database: str = ""

    def run(self, *arguments: str) -> str:
        """The output of Python with these arguments. Raises CalledProcessError."""
        return subprocess.run(
            [sys.executable, *arguments], cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True,
            env={**dataset.environment(self.home), "DATABASE_URL": self.database},
        ).stdout  # fmt: skip

    def answers(self) -> dict[str, tuple[int, str]]:
        lists = [*pages([*LISTS, *_FILTERED], [1, 2, 777], 50), *pages(_SEARCHES, [1, 2], 50)]
        return answers_in(self.run("-c", script([dataset.NAME, _OTHER], [*READS, *_MORE, *lists])))

    def backup(self) -> Path:
        self.run("manage.py", "backup", "create")
        return max((self.home / "backups").glob("*.zip"), key=lambda path: path.stat().st_mtime_ns)

    def restore(self, backup: Path) -> None:
        say("  " + self.run("manage.py", "backup", "restore", str(backup), "--yes").strip())


@contextmanager
def _timed(step: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    say(f"{step}: {time.monotonic() - began:.1f} s")


def _moved(source: Store, target: Store) -> None:
    with _timed("  backup"):
        backup = source.backup()
    say(f"  {mb(backup.stat().st_size)}")
    with _timed("  restore"):
        target.restore(backup)


def trial(home: Path, database: str) -> int:
    """How many answers differ after the move or the way back."""
    different = 0
    with tempfile.TemporaryDirectory(dir=home.parent) as folder:
        before, back = Store(Path(folder) / "before"), Store(Path(folder) / "back")
        there = Store(Path(folder) / "there", database)
        before.home.mkdir()
        for name in ("archive.sqlite3", "instance.key", "secret.key"):
            shutil.copy(home / name, before.home)
        with _timed("answers before"):
            expected = before.answers()
        say(f"  {len(expected)} answers, {sum(status == 200 for status, _ in expected.values())} of them 200")
        for step, source, target in (("to PostgreSQL", before, there), ("back to SQLite", there, back)):
            say(step)
            _moved(source, target)
            with _timed("  answers"):
                found = target.answers()
            changed = sorted(name for name in {*expected, *found} if found.get(name) != expected.get(name))
            different += len(changed)
            say("\n".join([f"  {len(changed)} answers differ", *(f"    {name}" for name in changed)]))
    return different


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soaks.engine_move")
    parser.add_argument("--home", type=Path, default=dataset.HOME, help="where the data set is kept")
    home = prepare(parser.parse_args().home, Report(sys.stdout))
    os.umask(0o077)
    with postgres() as database:
        different = trial(home, database)
    say("FAILED" if different else "All answers are the same there and back.")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
