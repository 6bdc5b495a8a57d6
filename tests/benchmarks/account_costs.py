"""What an account, a record and a request cost on SQLite and on PostgreSQL: disk, memory, processor, connections.

    python -m tests.benchmarks.account_costs [--records 100000] [--home FOLDER]

The figures of docs/scaling.md. Both stores hold the same archive: the data set of the benchmarks, as many records of
one account as of twenty others, moved by a backup. There are no limits to hold.
"""

import argparse
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.benchmarks import dataset
from tests.benchmarks.costs_of_serving import Serving, measured
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.report import Report, mb
from tests.benchmarks.serving import PROJECT
from tests.private_servers import cluster, redis_server

RECORDS = 100_000
# Parts of the store, by the names of tables and indexes; the first that fits.
PARTS = {
    "search index": r"usage_(narrow|wide|search)|usage_prompt_(trigrams|characters)",
    "records": r"^usage_record$",
    "indexes of the records": r"^(record_|usage_record|sqlite_autoindex_usage_record)",
    "prompts": r"^usage_prompt",
    "sums of days and months": r"^(usage_day|usage_month|daygroup)",
    "all else": r"",
}
OF_POSTGRES = """
    SELECT relname, pg_relation_size(pg_class.oid) + coalesce(pg_total_relation_size(nullif(reltoastrelid, 0)), 0)
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')"""
MILLION = 1_000_000


@dataclass(frozen=True)
class Store:
    """A data folder with its engine; `server` is the process of PostgreSQL, 0 for none."""

    name: str
    home: Path
    variables: Mapping[str, str]
    server: int = 0

    def environment(self, **more: str) -> dict[str, str]:
        return {**dataset.environment(self.home), **self.variables, **more}

    @property
    def backups(self) -> Path:
        return self.home / "backups"

    def python(self, *arguments: str) -> tuple[float, str]:
        """Seconds and output of a program on this store."""
        begun = time.perf_counter()
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=PROJECT, env=self.environment(), capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(arguments)} on {self.name}: {done.stderr[-2000:]}")
        return time.perf_counter() - begun, done.stdout

    def sizes(self) -> Counter[str]:
        """Bytes of each part."""
        if not self.server:
            with closing(sqlite3.connect(self.home / "archive.sqlite3")) as store:
                rows = store.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall()
        else:
            with psycopg.connect(self.variables["DATABASE_URL"]) as connection:
                connection.execute("ANALYZE")
                rows = connection.execute(OF_POSTGRES).fetchall()
        found: Counter[str] = Counter()
        for name, taken in rows:
            found[next(part for part, pattern in PARTS.items() if re.search(pattern, name))] += int(taken)
        return found


def disk(stores: Sequence[Store], records: int, report: Report) -> None:
    sizes = [store.sizes() for store in stores]
    rows = [(part, *(f"{each[part] / records:,.0f}" for each in sizes)) for part in PARTS]
    rows.append(("together", *(f"{each.total() / records:,.0f}" for each in sizes)))
    report.table(("bytes of a record", *(store.name for store in stores)), rows)


def backups(embedded: Store, grown: Store, records: int, report: Report) -> None:
    """A backup and a restore on SQLite; then the restore of this backup, which fills it, and a backup on PostgreSQL."""
    created, archive = _backed_up(embedded)
    restored = _restored(embedded, archive)
    filled = _restored(grown, archive)
    again, other = _backed_up(grown)
    rows = [
        (store.name, *(f"{seconds * MILLION / records:,.0f} s" for seconds in taken), mb(size * MILLION / records))
        for store, taken, size in (
            (embedded, (created, restored), archive.stat().st_size),
            (grown, (again, filled), other.stat().st_size),
        )
    ]
    report.table(("for a million records", "backup", "restore", "size of the backup"), rows)


def _backed_up(store: Store) -> tuple[float, Path]:
    """Seconds without those of the start of a command, and the file."""
    before = {*store.backups.glob("*")}
    seconds, _ = store.python("manage.py", "backup", "create")
    [archive] = {*store.backups.glob("*-manual.zip")} - before
    return seconds - _start(store), archive


def _restored(store: Store, archive: Path) -> float:
    if archive.parent != store.backups:
        shutil.copy2(archive, store.backups)
    seconds, _ = store.python("manage.py", "backup", "restore", archive.name, "--yes")
    return seconds - _start(store)


def _start(store: Store) -> float:
    return store.python("manage.py", "backup", "list")[0]


def in_process(stores: Sequence[Store], report: Report) -> None:
    found = []
    for store in stores:
        _, out = store.python("-m", "tests.benchmarks.costs_in_process", str(store.server))
        found.append(json.loads(out.splitlines()[-1]))
    timed = [name for name in found[0] if f"{name}, server" in found[0]]
    report.table(
        ("milliseconds", *(f"{store.name}{what}" for store in stores for what in ("", " server", " clock"))),
        [
            (name, *(f"{each[f'{name}{what}']:.3g}" for each in found for what in ("", ", server", ", clock")))
            for name in timed
        ],
    )
    others = [name for name in found[0] if not any(name.startswith(one) for one in timed)]
    report.line()
    report.table(
        ("", *(store.name for store in stores)),
        [(name, *(f"{each[name]:,.1f}" for each in found)) for name in others],
    )


def serving(stores: Sequence[Store], report: Report) -> None:
    found = [measured(store.environment(), store.server) for store in stores]
    _report_requests(stores, found, report)
    report.line()
    rows = [(name, *(mb(each.memory[name]) for each in found)) for name in found[0].memory]
    report.table(("PSS of a process", *(store.name for store in stores)), rows)
    report.line(f"connections of a node to PostgreSQL: {found[-1].connections}")


def _report_requests(stores: Sequence[Store], found: Sequence[Serving], report: Report) -> None:
    report.table(
        ("milliseconds", *(f"{store.name}{what}" for store in stores for what in ("", " server", " clock"))),
        [
            (path, *(f"{value:.2f}" for each in found for value in each.requests[path]))
            for path in found[0].requests
        ],
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.account_costs")
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--home", type=Path, default=dataset.HOME)
    options = parser.parse_args()
    report = Report(sys.stdout)
    made = prepare(options.home, report, options.records)
    records = options.records + min(options.records, dataset.OTHERS)
    with (
        tempfile.TemporaryDirectory(dir=made.parent, prefix="usage-archive-costs-") as folder,
        # As in earnest, but for waiting for the disk.
        cluster(synchronous_commit="on", full_page_writes="on") as server,
        redis_server() as counters,
    ):
        home = Path(shutil.copytree(made, Path(folder) / "sqlite"))
        variables = {"DATABASE_URL": server.url, "REDIS_URL": counters}
        embedded, grown = (
            Store("SQLite", home, {}),
            Store("PostgreSQL", Path(folder) / "postgres", variables, server.pid),
        )
        grown.python("manage.py", "migrate", "--verbosity", "0")
        stores = (embedded, grown)
        report.line()
        backups(embedded, grown, records, report)
        report.line()
        disk(stores, records, report)
        report.line()
        serving(stores, report)
        report.line()
        in_process(stores, report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
