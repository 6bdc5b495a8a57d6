"""The store on PostgreSQL beside plain SQL through psycopg: sums, pages of records, searches and ingest.

    python -m tests.benchmarks.postgres [--records 1000000] [--home FOLDER]

The rows are those of the SQLite data set, copied to a private PostgreSQL. All sides run in this process and take turns;
the figures are medians, without HTTP. Both sides must give the same rows. The limits hold for a million records.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from itertools import product, starmap
from pathlib import Path
from statistics import median
from typing import Any

import psycopg

from tests.benchmarks import dataset
from tests.benchmarks.dataset import ACCOUNT
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.questions import POSTGRES, QUESTIONS
from tests.benchmarks.record_pages import CONDITIONS, FILTERS, ORDERS, SIZE
from tests.benchmarks.report import Report, ms
from tests.private_servers import postgres, redis_server

ROUNDS = 5
# Of plain SQL; below a millisecond the way to the server counts more than a query.
MOST, LEAST_COUNTED = 2.0, 0.001
# Of COPY, in pages, of the same rows into tables with the same indexes.
LEAST_INGEST = 1 / 4
INGESTED, PAGES = 20_000, (200, 1000)
PLAIN_TABLE = """
    CREATE TABLE plain_record (user_id bigint, request_id text, credits bigint, model text, client text, ts text,
    day text, hour smallint, agent_purpose text, prompt_truncated boolean, first_seen_at timestamptz,
    updated_at timestamptz, run_id bigint, prompt text, UNIQUE (user_id, request_id))"""
COLUMNS = (
    "user_id", "request_id", "credits", "model", "client", "ts", "day", "hour", "agent_purpose", "prompt_truncated",
    "first_seen_at", "updated_at", "run_id",
)  # fmt: skip
Ask = Callable[[], Any]


def measured(ours: Ask, plain: Ask, rounds: int = ROUNDS) -> tuple[float, float]:
    """The median seconds of both sides, which take turns after a first run that does not count."""
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 1):
        for ask, times in zip((ours, plain), taken, strict=True):
            begun = time.perf_counter()
            ask()
            if number:
                times.append(time.perf_counter() - begun)
    return median(taken[0]), median(taken[1])


def ratio(ours: float, plain: float) -> float:
    return ours / max(plain, LEAST_COUNTED)


class Plain:
    """A connection of psycopg."""

    def __init__(self, url: str):
        self.connection = psycopg.connect(url, autocommit=True)

    def rows(self, statement: str, values: Sequence[object] = ()) -> Any:
        return self.connection.execute(statement.encode(), values).fetchall()

    def all(self, statements: Sequence[str]) -> Any:
        return [self.rows(statement) for statement in statements]


def our_sums() -> Mapping[str, Ask]:
    """The answers of the endpoints of `QUESTIONS`, without HTTP."""
    from usage.daily_series import daily_json
    from usage.dimensions import dims
    from usage.filters import RecordFilters
    from usage.summary import summary

    everything, of_purpose = RecordFilters(), RecordFilters(purpose="conversation")
    return {
        "summary": partial(summary, ACCOUNT, everything),
        "summary?purpose=conversation": partial(summary, ACCOUNT, of_purpose),
        "daily": lambda: {"days": json.loads(daily_json(ACCOUNT, everything))},
        "dims": partial(dims, ACCOUNT, everything),
        "dims?dim=purpose": partial(dims, ACCOUNT, everything, "purpose"),
    }


def compare_sums(plain: Plain, report: Report) -> None:
    lines, worst = [], {}
    sides = our_sums()
    for question in QUESTIONS:
        if question.name not in sides:
            continue
        ours, statements = sides[question.name], question.sql(POSTGRES)
        same = question.from_rows(plain.all(statements)) == question.from_answer(ours())
        report.verdict(same, f"{question.name}: the same figures")
        taken = measured(ours, partial(plain.all, statements))
        worst[question.name] = ratio(*taken)
        lines.append((question.name, *map(ms, taken), f"{worst[question.name]:.3f}"))
    report.table(("sums", "ours", "plain SQL", "ratio"), lines)
    _hold_worst("sums", worst, report)


class Listing:
    """One order with one filter, as our query and as plain SQL have it."""

    def __init__(self, order: str, name: str):
        from archive_site.lib.http.parameters import Days
        from usage.filters import RecordFilters

        given: dict[str, Any] = {**FILTERS[name]}
        self.order, self.name, self.values = order, f"{order}, {name}", list(given.values())
        conditions = [f"user_id = {ACCOUNT}", *(CONDITIONS[key].replace("?", "%s") for key in given)]
        joined = "usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id"
        self.source = f"FROM {joined} WHERE {' AND '.join(conditions)}"
        first, last = (date.fromisoformat(given.pop(key)) if key in given else None for key in ("from", "to"))
        self.filters = RecordFilters(Days(first, last), **given)

    def ours(self, number: int) -> Any:
        from archive_site.lib.http.parameters import Paging
        from usage import queries

        return queries.page_of_records(ACCOUNT, self.filters, self.order, Paging(number, SIZE), lean=False)

    def plain(self, number: int) -> str:
        limit = f"LIMIT {SIZE} OFFSET {(number - 1) * SIZE}"
        return f"SELECT r.request_id, r.*, p.text {self.source} ORDER BY {ORDERS[self.order]} {limit}"


def compare_pages(plain: Plain, report: Report) -> None:
    """The first page and one in the middle, in each order and with each filter."""
    lines, worst = [], {}
    for listing in starmap(Listing, product(ORDERS, FILTERS)):
        [(total,)] = plain.rows(f"SELECT COUNT(*) {listing.source}", listing.values)
        cells = [listing.name, f"{total:,}"]
        for number in (1, max(1, total // SIZE // 2)):
            ours, theirs = partial(listing.ours, number), partial(plain.rows, listing.plain(number), listing.values)
            if [record.request_id for record in ours()] != [row[0] for row in theirs()]:
                report.verdict(False, f"{listing.name}: page {number} has other rows")
            taken = measured(ours, theirs, rounds=3)
            worst[f"page {number:,}, {listing.name}"] = ratio(*taken)
            cells += [*map(ms, taken), f"{ratio(*taken):.2f}"]
        lines.append(cells)
    report.line()
    report.table(("pages", "rows", "first", "plain", "ratio", "middle", "plain", "ratio"), lines)
    _hold_worst("pages", worst, report)


def _hold_worst(what: str, ratios: Mapping[str, float], report: Report) -> None:
    for name in [name for name, value in ratios.items() if value > MOST] or [max(ratios, key=lambda one: ratios[one])]:
        report.limit(f"{what}: {name}: ours / plain", ratios[name], most=MOST)


def compare_ingest(plain: Plain, report: Report) -> None:
    """New records of an account, page by page: ours; COPY into such tables; COPY into one table with one index."""
    # Django is set up, and this module would do it.
    from tests.benchmarks.ingest import generated, row_of, seconds
    from usage.ingest import take_in

    records = generated(INGESTED)
    lines = []
    for place, size in enumerate(PAGES):
        for table in ("record", "prompt"):
            plain.connection.execute(f"DROP TABLE IF EXISTS copied_{table}".encode())
            plain.connection.execute(f"CREATE TABLE copied_{table} (LIKE usage_{table} INCLUDING ALL)".encode())
        plain.connection.execute("DROP TABLE IF EXISTS plain_record")
        plain.connection.execute(PLAIN_TABLE.encode())
        pages = [records[start : start + size] for start in range(0, len(records), size)]
        rows = [[row_of(record) for record in page] for page in pages]

        def ours(pages: Any = pages, user_id: int = 100 + place) -> None:
            for page in pages:
                take_in(user_id, page, run_id=1, max_prompt=20_000)

        def copied(rows: Any = rows) -> None:
            number = 0
            for page in rows:
                numbered = [(number + at, row) for at, row in enumerate(page, start=1)]
                number += len(page)
                with plain.connection.transaction():
                    copy(plain, "copied_record", ("id", *COLUMNS), [(key, *row[:-1]) for key, row in numbered])
                    copy(plain, "copied_prompt", ("record_id", "text"), [(key, row[-1]) for key, row in numbered])

        def once(rows: Any = rows) -> None:
            for page in rows:
                copy(plain, "plain_record", (*COLUMNS, "prompt"), page)

        taken = [seconds(side) for side in (ours, copied, once)]
        lines.append((f"pages of {size}", *(f"{len(records) / one:,.0f}/s" for one in taken)))
        report.limit(f"ingest, pages of {size}: ours / COPY", taken[1] / taken[0], least=LEAST_INGEST)
    report.table(("ingest", "ours", "COPY, our indexes", "COPY, one index"), lines)


def copy(plain: Plain, table: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()
    with plain.connection.cursor() as cursor, cursor.copy(statement) as copying:
        for row in rows:
            copying.write_row(row)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.postgres")
    parser.add_argument("--records", type=int, default=dataset.RECORDS)
    parser.add_argument("--home", type=Path, default=dataset.HOME)
    options = parser.parse_args()
    report = Report(sys.stdout)
    home = prepare(options.home, report, options.records)
    with postgres() as url, redis_server() as counters:
        servers = {"TESTS_DATABASE_URL": url, "TESTS_REDIS_URL": counters}
        os.environ.update({**servers, "DJANGO_SETTINGS_MODULE": "tests.settings"})
        measure(home, Plain(url), report)
    report.line("\n".join(["Not held:", *report.failed]) if report.failed else "All limits hold.")
    return 1 if report.failed else 0


def measure(home: Path, plain: Plain, report: Report) -> None:
    import django

    django.setup()
    from django.core.management import call_command

    from tests.benchmarks import postgres_dataset, search

    call_command("migrate", verbosity=0)
    begun = time.monotonic()
    postgres_dataset.copy_from(home / "archive.sqlite3")
    report.line(f"copied to PostgreSQL in {time.monotonic() - begun:.0f} s\n")
    compare_sums(plain, report)
    compare_pages(plain, report)
    report.line()
    search.compare(report)
    report.line()
    compare_ingest(plain, report)


if __name__ == "__main__":
    sys.exit(main())
