"""The reads over the whole year, side by side: ours in full and as 304, a bare view, `sqlite3`, DuckDB, Datasette.

    python -m tests.benchmarks.reads [--home FOLDER] [--huge]

All sides take turns in one run and must give the same figures. Times are medians, over HTTP for the servers.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

from tests.benchmarks import dataset
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.questions import DUCKDB, QUESTIONS, SQLITE, Question
from tests.benchmarks.report import Report, mb, ms
from tests.benchmarks.rivals import Datasette, Rival, duckdb, plain_sqlite3
from tests.benchmarks.serving import Answer, Site

ROUNDS = 5
# Repetitions in each round: more for queries that take milliseconds than for those that take a second.
OFTEN, SOMETIMES, ONCE = 15, 5, 1
MOST_304, LEAST_SQLITE, LEAST_DATASETTE, MOST_GROWTH = 1.5, 50.0, 20.0, 1.5
MOST_TO_BARE = {"summary": 3.0, "dims": 3.0}
LEAST_DUCKDB = {"dims": 3.0}
SIDES = ("ours", "304", "bare", "sqlite3", "DuckDB", "Datasette")
Side = tuple[Callable[[], float], int]


def compare(home: Path, report: Report) -> None:
    """The table of all sides, with its limits and the memory of each at the end."""
    with ExitStack() as stack:
        site = stack.enter_context(Site(home))
        rivals: dict[str, tuple[Rival, Mapping[str, str], int]] = {
            "sqlite3": (stack.enter_context(plain_sqlite3(home)), SQLITE, ONCE),
            "DuckDB": (stack.enter_context(duckdb(home)), DUCKDB, SOMETIMES),
            "Datasette": (stack.enter_context(Datasette(home)), SQLITE, ONCE),
        }
        times = {}
        for question in QUESTIONS:
            first = site.get(question.path)
            sides = _our_sides(site, question, first)
            for name, (rival, dialect, often) in rivals.items():
                statements = question.sql(dialect)
                same = question.from_rows(rival.ask(statements)[1]) == question.from_answer(first.json())
                report.verdict(same, f"{question.name}: {name} has the same figures")
                sides[name] = partial(_asked, rival, statements), often
            times[question.name] = _medians(sides)
        report.line()
        report.table(
            ("the whole year", *SIDES), [(name, *(ms(taken[side]) for side in SIDES)) for name, taken in times.items()]
        )
        for name, taken in times.items():
            _hold(report, name, taken)
        memory = {"ours": site.resident()} | {name: rival.resident() for name, (rival, _, _) in rivals.items()}
        report.line("memory: " + ", ".join(f"{name} {mb(size)}" for name, size in memory.items()))


def _our_sides(site: Site, question: Question, first: Answer) -> dict[str, Side]:
    tag = first.headers["ETag"]
    if not tag or site.get(question.path, **{"If-None-Match": tag}).status != 304:
        sys.exit(f"{question.path} gives no 304")
    if site.get(f"/bare{question.path}").body != first.body:
        sys.exit(f"the bare view of {question.path} sends other bytes")
    return {
        "ours": (partial(_got, site, question.path), OFTEN),
        "304": (partial(_got, site, question.path, **{"If-None-Match": tag}), OFTEN),
        "bare": (partial(_got, site, f"/bare{question.path}"), OFTEN),
    }


def _got(site: Site, path: str, **headers: str) -> float:
    return site.get(path, **headers).seconds


def _asked(rival: Rival, statements: Sequence[str]) -> float:
    return rival.ask(statements)[0]


def _hold(report: Report, name: str, taken: dict[str, float]) -> None:
    ours = taken["ours"]
    report.limit(f"{name}: 304 to bare view", taken["304"] / taken["bare"], most=MOST_304)
    if name in MOST_TO_BARE:
        report.limit(f"{name}: ours to bare view", ours / taken["bare"], most=MOST_TO_BARE[name])
    report.limit(f"{name}: sqlite3 to ours", taken["sqlite3"] / ours, least=LEAST_SQLITE)
    report.limit(f"{name}: DuckDB to ours", taken["DuckDB"] / ours, least=LEAST_DUCKDB.get(name, 1.0))
    report.limit(f"{name}: Datasette to ours", taken["Datasette"] / ours, least=LEAST_DATASETTE)


def growth(homes: dict[int, Path], report: Report) -> None:
    """How the time of each read grows from the smallest to the largest archive over the same days."""
    with ExitStack() as stack:
        sites = {records: stack.enter_context(Site(home)) for records, home in homes.items()}
        times = {
            question.name: _medians(
                {f"{records:,}": (partial(_got, site, question.path), OFTEN) for records, site in sites.items()}
            )
            for question in QUESTIONS
        }
    report.line()
    report.table(
        ("records", *next(iter(times.values()))), [(name, *map(ms, taken.values())) for name, taken in times.items()]
    )
    for name, taken in times.items():
        first, *_, last = taken.values()
        report.limit(f"{name}: growth from the first to the last", last / first, most=MOST_GROWTH)


def _medians(sides: dict[str, Side]) -> dict[str, float]:
    """The median seconds of each side; they take turns, and the first round is a warm-up."""
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(ROUNDS + 1):
        for name, (ask, often) in sides.items():
            seconds = [ask() for _ in range(often)]
            if number:
                taken[name] += seconds
    return {name: median(seconds) for name, seconds in taken.items()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.reads")
    parser.add_argument("--home", type=Path, default=dataset.HOME)
    parser.add_argument("--huge", action="store_true", help="growth up to 10,000,000 records, too")
    options = parser.parse_args()
    report = Report(sys.stdout)
    compare(prepare(options.home, report), report)
    growth({size: prepare(options.home, report, size) for size in sizes(options.huge)}, report)
    return 1 if report.failed else 0


def sizes(huge: bool) -> tuple[int, ...]:
    most = dataset.RECORDS
    return (most // 10, most, most * 10) if huge else (most // 10, most)


if __name__ == "__main__":
    sys.exit(main())
