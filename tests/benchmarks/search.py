"""Searching prompts, compared with a scan of all prompts: `python -m tests.benchmarks.search [--home FOLDER]`.

Each needle is searched as the first page and as a count, and with plain LIKE over the prompts of the account; the three
must agree. All run in this process on the same SQLite file, warm; the figures are medians of rounds in turns.
"""

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks import dataset
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.report import Report, mb, ms
from tests.benchmarks.texts import PLANTED

ROUNDS = 3
SIZE = 50
LEAST, MOST_DISK = 20, 0.7
# The tolerated variation of a scan of all prompts.
NOISE = 1.15
# A needle is rare if at most this part of all prompts contains it.
RARE_SHARE = 1 / 1000
NEEDLES = {name: planted.text for name, planted in PLANTED.items()} | {
    "word that nobody wrote": "qqzzxxq",
    "three letters": "ing",
    "common Chinese character": "的",
    "Latin and Chinese": "e 的",
    "two words": "this function",
    "one letter": "z",
    "two letters": "qx",
}
ORDERS = ("ts_desc", "ts_asc", "credits_desc", "model_asc")
SCAN = """
    SELECT COUNT(*) FROM usage_record r JOIN usage_prompt p ON p.record_id = r.id
    WHERE r.user_id = %s AND {like}"""
DISK = "SELECT SUM(pgsize) FROM dbstat WHERE aggregate = TRUE AND name LIKE 'usage_search%%'"
PROMPTS = "SELECT SUM(LENGTH(CAST(text AS BLOB))) FROM usage_prompt"


def compare(report: Report, *, has_limits: bool = True) -> dict[str, dict[str, float]]:
    """The table of needles, each with its ratios to plain LIKE. Return how many each finds and the seconds of each
    side, by its name."""
    # Imports that need Django, which is set up for the data set first.
    from archive_site.lib.storage import engine
    from usage.filters import RecordFilters
    from usage.reads import queries
    from usage.search import plan as search

    report.line(f"{'needle':34} {'found':>8} {'scan':>10} {'number':>10} " + "".join(f"{one:>13}" for one in ORDERS))
    records = one("SELECT COUNT(*) FROM usage_record WHERE user_id = %s", dataset.ACCOUNT)
    compared = {}
    for name, needle in NEEDLES.items():
        filters = RecordFilters(text=needle)
        sides: dict[str, Callable[[], Any]] = {
            "scan": partial(
                one, SCAN.format(like=engine.not_by_index(f"p.text {engine.LIKE} %s")), dataset.ACCOUNT, f"%{needle}%"
            ),
            "number": partial(queries.count_records, dataset.ACCOUNT, filters),
        }
        sides |= {order: partial(search.page, dataset.ACCOUNT, filters, order, 0, SIZE) for order in ORDERS}
        found, times = measured(sides)
        report.verdict(found["scan"] == found["number"], f"{name}: {found['number']} found, not {found['scan']}")
        pages = {order: len(found[order]) for order in ORDERS}
        report.verdict({*pages.values()} == {min(found["scan"], SIZE)}, f"{name}: pages of {pages}")
        report.line(
            f"{name + ' ' + needle:34} {found['scan']:8,} {ms(times['scan']):>10} {ms(times['number']):>10} "
            + "".join(f"{ms(times[order]):>13}" for order in ORDERS)
        )
        if has_limits:
            judge(report, name, needle, 0 < found["scan"] <= records * RARE_SHARE, times)
        compared[name] = {"found": found["scan"], **times}
    return compared


def has_index(needle: str) -> bool:
    return len(needle) > 2 or not needle.isascii()


def judge(report: Report, name: str, needle: str, is_rare: bool, times: dict[str, float]) -> None:
    """Compare the times of a needle with the limits."""
    if has_index(needle):
        slowest = max(ORDERS, key=lambda order: times[order])
        report.limit(f"{name}: first page, {slowest}: scan / ours", times["scan"] / times[slowest], least=LEAST)
    ratio = times["scan"] / times["number"]
    report.limit(f"{name}: number: scan / ours", ratio, least=LEAST if is_rare and has_index(needle) else 1 / NOISE)


def measured(sides: dict[str, Callable[[], Any]]) -> tuple[dict[str, Any], dict[str, float]]:
    found: dict[str, Any] = {}
    times: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(ROUNDS):
        for side, ask in sides.items():
            # A warm-up, so that the cache content of the side before does not count.
            ask()
            begun = time.perf_counter()
            found[side] = ask()
            times[side].append(time.perf_counter() - begun)
    return found, {side: median(taken) for side, taken in times.items()}


def one(query: str, *values: Any) -> Any:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchone()[0]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.search")
    parser.add_argument("--home", type=Path, default=dataset.HOME)
    parser.add_argument("--records", type=int, default=dataset.RECORDS)
    options = parser.parse_args()
    report = Report(sys.stdout)
    dataset.use(prepare(options.home, report, options.records))
    disk, prompts = one(DISK), one(PROMPTS)
    report.limit(f"search index, {mb(disk)} beside {mb(prompts)} of prompts", disk / prompts, most=MOST_DISK)
    compare(report)
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
