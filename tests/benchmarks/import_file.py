"""How fast a file is imported, compared with plain `executemany` into the same tables with the same indexes.

    python -m tests.benchmarks.import_file [--rows 100000]

The file is a CSV export with prompts of about 500 bytes. The time of an import is that of the whole command: reading,
sorting, comparing, storing, sums. It is that of the processor, because an import leaves the store to others between its
parts. The limit holds without the search index, as that of `tests.benchmarks.ingest`; with it the time is reported. The
longest wait is that of another writer meanwhile.
"""

import argparse
import csv
import os
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from django.core.management import call_command
from django.db import connection

from tests.benchmarks.ingest import Records, generated, no_index, row_of
from tests.benchmarks.report import Report

# `ingest` sets Django up, which these need.
from accounts.models import User  # isort: skip
from collection.transfer.import_run import Importer, import_file  # isort: skip
from collection.models import Run  # isort: skip
from usage.export.header import SPECIFIED, SPECIFIED_ONES, header  # isort: skip
from usage.importing.file_format import Options  # isort: skip
from usage.importing.file_source import source_at  # isort: skip

ROWS = int(os.environ.get("BENCH_RECORDS", 100_000))
LEAST = 1 / 3
# Seconds of another writer.
LONGEST_WAIT = 1.0
_RECORD = """
    INSERT OR IGNORE INTO usage_record (user_id, request_id, credits, model, client, ts, day, hour, agent_purpose,
    prompt_truncated, first_seen_at, updated_at, run_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_PROMPT = "INSERT OR IGNORE INTO usage_prompt (record_id, text) VALUES (?, ?)"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.import_file")
    parser.add_argument("--rows", type=int, default=ROWS)
    rows = parser.parse_args().rows
    call_command("migrate", verbosity=0)
    user = User.objects.create(username="bench", password="!")
    connection.close()
    template = Path(connection.settings_dict["NAME"])
    records = generated(rows)
    report = Report(sys.stdout)
    with tempfile.TemporaryDirectory(dir=template.parent) as folder:
        source = _written(records, Path(folder) / "calls.csv")
        report.line(f"{rows:,} records, a file of {source.stat().st_size / 2**20:,.1f} MiB")
        plain = _plain(records, user.pk, Path(shutil.copy(template, Path(folder) / "plain.sqlite3")))
        report.line(f"plain, one transaction        {plain:7.2f} s {rows / plain:10,.0f} records/s")
        for searchable in (False, True):
            store = Path(shutil.copy(template, Path(folder) / f"ours-{searchable}.sqlite3"))
            taken, waited = _ours(source, user, store, searchable)
            name = "imported and searchable" if searchable else "imported"
            report.line(
                f"{name:29} {taken:7.2f} s {rows / taken:10,.0f} records/s, {plain / taken:.3f} of plain; "
                f"another writer waited {waited:.2f} s"
            )
            report.limit("the wait of another writer", waited, most=LONGEST_WAIT)
            if not searchable:
                report.limit("imported, of plain executemany", plain / taken, least=LEAST)
    return 1 if report.failed else 0


def _written(records: Records, path: Path) -> Path:
    """The records as an export of this service."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(header(SPECIFIED, SPECIFIED_ONES).decode())
        csv.writer(file, quoting=csv.QUOTE_MINIMAL).writerows(
            (each.request_id, each.amount / 1_000_000, each.prompt, each.model, each.client, each.ts)
            for each in records
        )
    return path


def _plain(records: Records, user_id: int, store: Path) -> float:
    rows = [(user_id, *row_of(record)[1:-1]) for record in records]
    prompts = [(number, record.prompt) for number, record in enumerate(records, 1)]
    with closing(sqlite3.connect(store, isolation_level=None)) as opened:
        opened.execute("PRAGMA journal_mode=WAL")
        opened.execute("PRAGMA synchronous=NORMAL")

        def work() -> None:
            opened.execute("BEGIN IMMEDIATE")
            opened.executemany(_RECORD, rows)
            opened.executemany(_PROMPT, prompts)
            opened.execute("COMMIT")

        return processor_seconds(work)


def _ours(source: Path, user: User, store: Path, searchable: bool) -> tuple[float, float]:
    """The seconds of an import, and the longest that another writer waited."""
    connection.close()
    connection.settings_dict["NAME"] = str(store)
    importer = Importer(user, Run.Trigger.CLI, "benchmark")

    def work() -> None:
        import_file(importer, source_at(source), Options({}))

    with nullcontext() if searchable else no_index(), _writer(store) as longest:
        taken = processor_seconds(work)
    connection.close()
    return taken, longest()


def processor_seconds(work: Callable[[], None]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@contextmanager
def _writer(store: Path) -> Iterator[Callable[[], float]]:
    """Another writer, ten times a second, and the longest that it waited."""
    done, waits = threading.Event(), [0.0]

    def write() -> None:
        with closing(sqlite3.connect(store, timeout=3600, isolation_level=None)) as opened:
            while not done.wait(0.1):
                begun = time.perf_counter()
                opened.execute("BEGIN IMMEDIATE")
                opened.execute("COMMIT")
                waits.append(time.perf_counter() - begun)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield lambda: max(waits)
    finally:
        done.set()
        thread.join()


if __name__ == "__main__":
    sys.exit(main())
