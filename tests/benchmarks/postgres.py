"""The store on PostgreSQL beside plain SQL through psycopg, and the same on SQLite: one table for both engines.

    python -m tests.benchmarks.postgres [--records 1000000] [--home FOLDER]

The rows are those of the SQLite data set, copied to a private PostgreSQL, and for SQLite to another file. Each engine
is measured in a process of its own, one after the other (`tests/benchmarks/beside_sql.py`). The limits are those of
PostgreSQL and hold for a million records; those of SQLite are in `make bench`.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.benchmarks import dataset
from tests.benchmarks.beside_sql import Ingest, Measured, Sides, measure
from tests.benchmarks.plain_sides import PlainPostgres, PlainSqlite
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.report import Report, mb, ms
from tests.benchmarks.search import LEAST, NEEDLES, ORDERS, has_index
from tests.benchmarks.serving import PROJECT
from tests.private_servers import postgres, redis_server

Searches = Mapping[str, Mapping[str, float]]
# Of plain SQL; below a millisecond the way to the server counts more than a query.
MOST, LEAST_COUNTED = 2.0, 0.001
# Of COPY, in pages, of the same rows into tables with the same indexes.
LEAST_INGEST = 1 / 4
_SIZES = """
    SELECT (SELECT SUM(pg_relation_size(indexrelid)) FROM pg_index
    WHERE indrelid = 'usage_prompt'::regclass AND NOT indisunique), SUM(octet_length(text)) FROM usage_prompt"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.postgres")
    parser.add_argument("--records", type=int, default=dataset.RECORDS)
    parser.add_argument("--home", type=Path, default=dataset.HOME)
    parser.add_argument("--measure", choices=("postgres", "sqlite"), help=argparse.SUPPRESS)
    parser.add_argument("--results", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        return _measure_one(options.measure, options.home, options.results)
    report = Report(sys.stdout)
    report.line(f"{platform.platform()}, {os.cpu_count()} CPUs, Python {platform.python_version()}")
    home = prepare(options.home, report, options.records)
    with postgres() as url, redis_server() as counters:
        servers = {"TESTS_DATABASE_URL": url, "TESTS_REDIS_URL": counters}
        ours = _measured("postgres", home, report, {**os.environ, **servers})
    _compare(ours, _measured("sqlite", home, report, {**os.environ}), report)
    report.line("\n".join(["\nNot held:", *report.failed]) if report.failed else "\nAll limits hold.")
    return 1 if report.failed else 0


def _measured(engine: str, home: Path, report: Report, environment: Mapping[str, str]) -> Measured:
    """What a process of its own measures on an engine."""
    report.line(f"\n== {engine}")
    results = home.with_name(f"{home.name}-{engine}.json")
    command = [sys.executable, "-m", "tests.benchmarks.postgres", "--measure", engine, "--home", str(home)]
    done = subprocess.run([*command, "--results", str(results)], cwd=PROJECT, env=environment)
    report.verdict(not done.returncode, f"{engine}: the same rows as plain SQL")
    sums, pages, searches, ingest = json.loads(results.read_text())
    results.unlink()
    return Measured(
        {name: Sides(*taken) for name, taken in sums.items()},
        {name: Sides(*taken) for name, taken in pages.items()},
        searches,
        {name: Ingest(*speeds) for name, speeds in ingest.items()},
    )


def _measure_one(engine: str, home: Path, results: Path) -> int:
    """Measure an engine in this process, and write the results."""
    report, begun = Report(sys.stdout), time.monotonic()
    copied = home.with_name(f"{home.name}-copied")
    try:
        plain = _postgres(home) if engine == "postgres" else _sqlite(home, copied)
        report.line(f"copied in {time.monotonic() - begun:.0f} s")
        if engine == "postgres":
            [(index, prompts)] = plain.rows(_SIZES)
            report.line(f"search index, {mb(index)} beside {mb(prompts)} of prompts: {index / prompts:.2f}")
        results.write_text(json.dumps(measure(plain, report)))
    finally:
        shutil.rmtree(copied, ignore_errors=True)
    return 1 if report.failed else 0


def _postgres(home: Path) -> PlainPostgres:
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    from django.core.management import call_command

    from tests.benchmarks import postgres_dataset

    call_command("migrate", verbosity=0)
    postgres_dataset.copy_from(home / "archive.sqlite3")
    return PlainPostgres(os.environ["TESTS_DATABASE_URL"])


def _sqlite(home: Path, copied: Path) -> PlainSqlite:
    """Of a copy: records are added to it."""
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(home, copied)
    dataset.use(copied)
    return PlainSqlite(copied / "archive.sqlite3")


def _compare(ours: Measured, beside: Measured, report: Report) -> None:
    for subject, table, other in (("sums", ours.sums, beside.sums), ("pages", ours.pages, beside.pages)):
        header = (f"{subject}, on PostgreSQL", "ours", "plain SQL", "ratio", "on SQLite: ours", "plain SQL", "ratio")
        report.line()
        report.table(header, [(name, *_cells(taken), *_cells(other[name])) for name, taken in table.items()])
        _hold_worst(subject, {name: _ratio(taken) for name, taken in table.items()}, report)
    _compare_searches(ours.searches, beside.searches, report)
    header = ("ingest", "ours", "COPY", "COPY, one index", "on SQLite: ours", "executemany", "executemany, one index")
    report.line()
    report.table(
        header,
        [
            (name, *(f"{speed:,.0f}/s" for speed in (*speeds, *beside.ingest[name])))
            for name, speeds in ours.ingest.items()
        ],
    )
    for name, speeds in ours.ingest.items():
        report.limit(f"ingest, {name}: ours / COPY", speeds.ours / speeds.same_indexes, least=LEAST_INGEST)


def _cells(taken: Sides) -> list[str]:
    return [*map(ms, taken), f"{_ratio(taken):.3f}"]


def _ratio(taken: Sides) -> float:
    return taken.ours / max(taken.plain, LEAST_COUNTED)


def _hold_worst(what: str, ratios: Mapping[str, float], report: Report) -> None:
    for name in [name for name, value in ratios.items() if value > MOST] or [max(ratios, key=lambda one: ratios[one])]:
        report.limit(f"{what}: {name}: ours / plain", ratios[name], most=MOST)


def _compare_searches(ours: Searches, beside: Searches, report: Report) -> None:
    report.line()
    engines = (("PostgreSQL", ours), ("SQLite", beside))
    header = [f"{engine}: {column}" for engine, _ in engines for column in ("scan", "number", "slowest page", "scan /")]
    rows = []
    for needle, taken in ours.items():
        rows.append([f"{needle}: {NEEDLES[needle]} ({taken['found']:,})"])
        for _, searches in engines:
            times = searches[needle]
            slowest = times[_slowest(times)]
            rows[-1] += [*map(ms, (times["scan"], times["number"], slowest)), f"{times['scan'] / slowest:.0f}"]
    report.table(("needle (found)", *header), rows)
    for needle, taken in ours.items():
        if has_index(NEEDLES[needle]):
            order = _slowest(taken)
            ratio = taken["scan"] / taken[order]
            report.limit(f"search: {needle}: first page, {order}: scan / ours", ratio, least=LEAST)


def _slowest(times: Mapping[str, float]) -> str:
    return max(ORDERS, key=times.__getitem__)


if __name__ == "__main__":
    sys.exit(main())
