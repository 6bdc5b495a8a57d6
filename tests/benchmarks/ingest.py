"""How fast records are stored, compared with plain `sqlite3.executemany("INSERT OR IGNORE")` of the same rows.

    python -m tests.benchmarks.ingest [--rows 50000] [--rounds 5]

Each side writes the same columns into a new store with a write-ahead log; ours also maintains four more indexes, the
table of prompts with their keys, the rollups, and in the second part the search index, with the page cache of a run.
The sides take turns, so that other load on the machine affects all of them.
"""
# ruff: noqa: T201 -- a command that prints what it measured

import argparse
import os
import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from unittest.mock import patch

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from archive_site.lib.storage import page_cache  # noqa: E402
from usage.incoming.record import IncomingRecord  # noqa: E402
from usage.ingest import take_in  # noqa: E402
from usage.search import engine_index as search_index  # noqa: E402

PAGES = (200, 1000)
LEAST = {"take_in": 1 / 5, "searchable": 1 / 10}
PLAIN_TABLE = """
    CREATE TABLE record (id INTEGER PRIMARY KEY, user_id BIGINT, request_id TEXT, credits BIGINT, model TEXT,
    client TEXT, ts TEXT, day TEXT, hour INTEGER, agent_purpose TEXT, prompt_truncated BOOL, first_seen_at TEXT,
    updated_at TEXT, run_id BIGINT, prompt TEXT, UNIQUE (user_id, request_id))"""
PLAIN_INSERT = """
    INSERT OR IGNORE INTO record (user_id, request_id, credits, model, client, ts, day, hour, agent_purpose,
    prompt_truncated, first_seen_at, updated_at, run_id, prompt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
PURPOSES = ("conversation", "conversation:compact", "subagent:explore", "subagent:plan", "")
WORDS = ["function", "why does", "refactor this", "请解释", "这个函数", "test", "line 42", "return None", "用户的问题"]

Records = Sequence[IncomingRecord]


def generated(count: int) -> list[IncomingRecord]:
    """Reproducible calls, newest first as from the upstream, with prompts of about 500 bytes."""
    chance = random.Random(3)
    newest = datetime(2026, 9, 30, 23, 59, 59)
    return [
        IncomingRecord(
            request_id=f"{chance.getrandbits(128):032x}",
            amount=0 if chance.random() < 0.1 else chance.randrange(20_000_000),
            model=f"model-{chance.randrange(8)}",
            client=f"client-{chance.randrange(5)}",
            ts=str(newest - timedelta(seconds=155 * number)),
            prompt=" ".join(chance.choices(WORDS, k=chance.choice([4, 15, 40, 120]))),
            prompt_truncated=False,
            agent_purpose=chance.choices(PURPOSES, (14, 2, 2, 1, 1))[0],
        )
        for number in range(count)
    ]


def ours(records: Records, size: int, template: Path, searchable: bool, folder: Path) -> float:
    """Seconds in which an empty archive stores all records, page by page."""
    connection.close()
    connection.settings_dict["NAME"] = str(shutil.copy(template, folder / "ours.sqlite3"))
    connection.ensure_connection()

    def work() -> None:
        for start in range(0, len(records), size):
            take_in(1, records[start : start + size], run_id=1, max_prompt=20000)

    with page_cache.of_a_run(), nullcontext() if searchable else no_index():
        return seconds(work)


def no_index() -> AbstractContextManager[object]:
    """The search index is not kept."""
    return patch.multiple(search_index, add=lambda entries: None, remove=lambda entries: None, stored=lambda ids: [])


def plain(records: Records, size: int, folder: Path) -> float:
    """Seconds in which plain `executemany` stores them, one transaction a page."""
    rows = [row_of(record) for record in records]
    with closing(sqlite3.connect(folder / "plain.sqlite3", isolation_level=None)) as store:
        store.execute("PRAGMA journal_mode=WAL")
        store.execute("PRAGMA synchronous=NORMAL")
        store.execute(PLAIN_TABLE)

        def work() -> None:
            for start in range(0, len(rows), size):
                store.execute("BEGIN IMMEDIATE")
                store.executemany(PLAIN_INSERT, rows[start : start + size])
                store.execute("COMMIT")

        return seconds(work)


def row_of(record: IncomingRecord) -> tuple[object, ...]:
    at = "2026-10-01 00:00:00"
    return (
        1, record.request_id, record.amount, record.model, record.client, record.ts, record.ts[:10],
        int(record.ts[11:13]), record.agent_purpose, record.prompt_truncated, at, at, 1, record.prompt,
    )  # fmt: skip


def seconds(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measured(records: Records, rounds: int) -> dict[str, float]:
    """The median of the seconds of each side, over rounds in which the sides take turns in a new folder."""
    template = Path(connection.settings_dict["NAME"])
    sides: dict[str, Callable[[Path], float]] = {}
    for size in PAGES:
        sides[f"take_in, pages of {size}"] = partial(ours, records, size, template, False)
        sides[f"searchable, pages of {size}"] = partial(ours, records, size, template, True)
        sides[f"plain, pages of {size}"] = partial(plain, records, size)
    sides["plain, one transaction"] = partial(plain, records, len(records))
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            with tempfile.TemporaryDirectory(dir=template.parent) as folder:
                taken[name].append(side(Path(folder)))
                connection.close()
    return {name: statistics.median(times) for name, times in taken.items()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.ingest")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    connection.close()
    records = generated(options.rows)
    size = sum(len(record.prompt.encode()) for record in records) / len(records)
    print(f"{len(records):,} records, prompts of {size:.0f} bytes, median of {options.rounds} rounds")
    times = measured(records, options.rounds)
    for name, taken in times.items():
        print(f"{name:28} {taken:7.2f} s {len(records) / taken:10,.0f} records/s")
    is_fast = True
    for size in PAGES:
        by_pages, at_once = times[f"plain, pages of {size}"], times["plain, one transaction"]
        for name, least in LEAST.items():
            taken = times[f"{name}, pages of {size}"]
            print(
                f"{name} at pages of {size}: {by_pages / taken:.3f} of plain by pages (at least {least:.3f}), "
                f"{at_once / taken:.3f} of plain in one transaction"
            )
            is_fast &= by_pages / taken >= least
    return 0 if is_fast else 1


if __name__ == "__main__":
    sys.exit(main())
