"""Reads of one archive, alone and beside nine others of the account that have as many records each:
`python -m tests.benchmarks.beside_archives [--home FOLDER]`.

The others are copies of the first, one of them with its prompts, as a second account of the same service has them; the
rest without, with tokens. It takes a quarter of an hour the first time, and ten gigabytes.
"""

import argparse
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from statistics import median

from tests.benchmarks import dataset
from tests.benchmarks.dataset import ACCOUNT, MARK, environment
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.questions import QUESTIONS
from tests.benchmarks.report import Report, ms
from tests.benchmarks.serving import PROJECT, Answer, Site

FURTHER = 9
MOST = 1.2
ROUNDS, WARM = 150, 10
FIRST_FURTHER = 2**32
# Above the ids of all records that are there.
APART = 10_000_000
STEP = 2000
READS = (
    *(question.path for question in QUESTIONS),
    "/api/records?size=50",
    "/api/records?size=50&page=200",
    "/api/records?size=50&order=credits_desc",
    "/api/records?size=50&model=model-l&order=credits_asc",
    "/api/records?size=50&q=obsidian",
    "/api/records?size=50&q=Refactor",
    "/api/coverage",
    "/api/changes?after=0&limit=100",
)
_INDEXED = "SELECT r.user_id, r.id, r.day, p.text FROM usage_record r JOIN usage_prompt p ON p.record_id = r.id"


def further_of(home: Path, report: Report) -> Path:
    """A copy of the data set with the further archives. Raises SystemExit if it cannot be created."""
    folder = home.with_name(f"{home.name}-archives")
    wanted = {**json.loads((home / MARK).read_text()), "archives": 1 + FURTHER}
    if not (folder / MARK).exists() or json.loads((folder / MARK).read_text()) != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(home, folder)
        (folder / MARK).write_text("{}")
        _copy_rows(folder / "archive.sqlite3")
        filled = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.beside_archives", "--index", str(folder)],
            cwd=PROJECT, env=environment(folder),
        )  # fmt: skip
        if filled.returncode:
            sys.exit(f"the data set in {folder} could not be made")
        (folder / MARK).write_text(json.dumps(wanted))
    report.line(f"{folder}: {(folder / 'archive.sqlite3').stat().st_size / 1e6:,.0f} MB")
    return folder


def _copy_rows(path: Path) -> None:
    """Copy all rows of the first archive to each of the others."""
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        dataset.write_fast(store)
        names = [name for (name,) in store.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        own = [name for name in names if name.startswith("usage_") and "user_id" in _columns(store, name)]
        for number in range(1, FURTHER + 1):
            archive_id, apart = FIRST_FURTHER + number, number * APART
            has_prompts = number == 1
            store.execute("BEGIN")
            kind, unit = ("codebuddy", "credits") if has_prompts else ("litellm", "USD")
            store.execute(
                "INSERT INTO accounts_archive (id, user_id, kind, label, unit) VALUES (?, ?, ?, ?, ?)",
                [archive_id, ACCOUNT, kind, f"archive {number}", unit],
            )
            for name in own:
                values = {"user_id": f"{archive_id}", "id": f"id + {apart}", "record_id": f"record_id + {apart}"}
                columns = _columns(store, name)
                if name == "usage_record" and not has_prompts:
                    values |= {"without_prompt": "1", "prompt_key": "NULL"}
                store.execute(
                    f"INSERT INTO {name} ({', '.join(columns)}) "  # noqa: S608 - the schema's own names
                    f"SELECT {', '.join(values.get(column, column) for column in columns)} "
                    f"FROM {name} WHERE user_id = {ACCOUNT}"
                )
            its = f"FROM usage_record WHERE user_id = {archive_id}"
            if has_prompts:
                store.execute(
                    f"INSERT INTO usage_prompt (record_id, text) SELECT p.record_id + {apart}, p.text "  # noqa: S608
                    f"FROM usage_prompt p JOIN usage_record r ON r.id = p.record_id WHERE r.user_id = {ACCOUNT}"
                )
            else:
                store.execute(
                    "INSERT INTO usage_recordmeasures (record_id, provenance, status, tokens_in, tokens_out, "  # noqa: S608
                    f"cache_read, cache_write, at) SELECT id, 2, 0, 1000, 50, 900, 0, ts {its}"
                )
            store.execute("COMMIT")


def _columns(store: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in store.execute(f"PRAGMA table_info({table})")]


def index(home: Path) -> None:
    """Add the prompts of the further archives to the search index, in a process of its own."""
    dataset.use(home)
    from django.db import transaction

    from archive_site.lib.storage.sql import fetch
    from usage.search import engine_index as search_index
    from usage.search.entry import Entry

    after, last = APART, 2 * APART
    while True:
        with transaction.atomic(savepoint=False):
            rows = fetch(f"{_INDEXED} WHERE r.id > %s AND r.id <= %s ORDER BY r.id LIMIT {STEP}", [after, last])
            search_index.add(Entry(*row) for row in rows)
        if not rows:
            break
        after = rows[-1][1]
    while search_index.tidy():
        pass


def compare(alone: Path, beside: Path, report: Report) -> None:
    """The reads of both stores in turn; answers must be equal."""
    with ExitStack() as stack:
        sides = {name: stack.enter_context(Site(home)) for name, home in (("alone", alone), ("beside", beside))}
        rows = []
        for path in READS:
            bodies = {name: site.get(path).body for name, site in sides.items()}
            report.verdict(bodies["alone"] == bodies["beside"], f"{path}: the same bytes")
            taken = _medians({name: partial(site.get, path) for name, site in sides.items()})
            rows.append((path, *map(ms, taken.values()), f"{taken['beside'] / taken['alone']:.2f}"))
            report.limit(f"{path}: beside to alone", taken["beside"] / taken["alone"], most=MOST)
        report.line()
        report.table(("read", *sides, "ratio"), rows)


def _medians(sides: dict[str, Callable[[], Answer]]) -> dict[str, float]:
    """The median seconds of each side; they take turns, each as often first, after a warm-up."""
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(-WARM, ROUNDS):
        for name in sorted(sides, reverse=number % 2 == 0):
            seconds = sides[name]().seconds
            if number >= 0:
                taken[name].append(seconds)
    return {name: median(seconds) for name, seconds in taken.items()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.beside_archives")
    parser.add_argument("--home", type=Path, default=dataset.HOME)
    parser.add_argument("--index", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.index:
        index(chosen.index)
        return 0
    report = Report(sys.stdout)
    home = prepare(chosen.home, report)
    compare(home, further_of(home, report), report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
