"""Pages of records in every order and filter, compared with a plain OFFSET that reads whole rows; `top` and the bundle.

python -m tests.benchmarks.record_pages [--home FOLDER]
"""

import argparse
import random
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

from tests.benchmarks import dataset
from tests.benchmarks.dataset import ACCOUNT
from tests.benchmarks.prepare_dataset import prepare
from tests.benchmarks.report import Report, mb, ms
from tests.benchmarks.rivals import Library, plain_sqlite3
from tests.benchmarks.serving import Site

SIZE = 50
FAR_PAGE = 20_000
ROUNDS, PLAIN_ROUNDS, LARGE_ROUNDS = 15, 2, 5
SAMPLED_PAGES = 6
MOST_FAR_PAGE, LEAST_LAST_PAGE, MOST_BUNDLE, MOST_BUNDLE_MS = 3.0, 15.0, 25_000_000, 200.0

ORDERS = {
    "ts_desc": "ts DESC, request_id DESC",
    "ts_asc": "ts, request_id",
    "credits_desc": "credits DESC, ts DESC, request_id DESC",
    "credits_asc": "credits, ts, request_id",
    "model_asc": "model, ts, request_id",
    "client_asc": "client, ts, request_id",
}
TIME_ORDERS = ("ts_desc", "ts_asc")
FILTERS: dict[str, dict[str, str]] = {
    "all": {},
    "a quarter": {"from": "2026-01-01", "to": "2026-03-31"},
    "a common model": {"model": "model-a"},
    "a rare model": {"model": "model-l"},
    "a client": {"client": "VS Code"},
    "a common purpose": {"purpose": "conversation"},
    "a rare purpose": {"purpose": "subagent:plan"},
    "model, client, quarter": {
        "model": "model-b", "client": "WorkBuddy", "from": "2026-01-01", "to": "2026-03-31"
    },
}  # fmt: skip
CONDITIONS = {
    "from": "day >= ?", "to": "day <= ?", "model": "model = ?", "client": "client = ?", "purpose": "agent_purpose = ?"
}  # fmt: skip


@dataclass(frozen=True)
class Listing:
    """One order with one filter, as our endpoint and as plain SQL have it."""

    site: Site
    plain: Library
    order: str
    filter: str

    @property
    def name(self) -> str:
        return f"{self.order}, {self.filter}"

    def page(self, number: int) -> tuple[float, Any]:
        values = {**FILTERS[self.filter], "order": self.order, "page": number, "size": SIZE}
        answer = self.site.get(f"/api/records?{urlencode(values)}")
        return answer.seconds, answer.json()

    def seconds(self, number: int) -> float:
        return median(self.page(number)[0] for _ in range(ROUNDS))

    def ids(self) -> list[str]:
        """All ids in the plain order, for comparison with every page."""
        rows = self._asked(f"SELECT request_id FROM usage_record r {self._rest}")[1]
        return [request_id for (request_id,) in rows]

    def plain_page(self, number: int) -> tuple[float, Sequence[Any]]:
        return self._asked(
            "SELECT r.*, p.text FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id "
            f"{self._rest} LIMIT {SIZE} OFFSET {(number - 1) * SIZE}"
        )

    @property
    def _rest(self) -> str:
        conditions = [f"user_id = {ACCOUNT}", *(CONDITIONS[name] for name in FILTERS[self.filter])]
        return f"WHERE {' AND '.join(conditions)} ORDER BY {ORDERS[self.order]}"

    def _asked(self, statement: str) -> tuple[float, Sequence[Any]]:
        seconds, (rows,) = self.plain.ask([statement], list(FILTERS[self.filter].values()))
        return seconds, rows


def measure(home: Path, report: Report) -> None:
    with ExitStack() as stack:
        site, plain = stack.enter_context(Site(home)), stack.enter_context(plain_sqlite3(home))
        listings = [Listing(site, plain, order, name) for order, name in product(ORDERS, FILTERS)]
        _far_pages([listing for listing in listings if _is_by_time(listing)], report)
        _last_pages(listings, report)
        _top_and_bundle(site, report)
        report.line(f"memory of our server afterwards: {mb(site.resident())}")


def _is_by_time(listing: Listing) -> bool:
    return listing.order in TIME_ORDERS and not FILTERS[listing.filter]


def _far_pages(listings: list[Listing], report: Report) -> None:
    report.line()
    for listing in listings:
        total = listing.page(1)[1]["total"]
        far = min(FAR_PAGE, total // SIZE)
        first, last = listing.seconds(1), listing.seconds(far)
        report.line(f"{listing.order}: page 1 in {ms(first)}, page {far:,} in {ms(last)}")
        report.limit(f"records, {listing.order}: page {far:,} to page 1", last / first, most=MOST_FAR_PAGE)


def _last_pages(listings: list[Listing], report: Report) -> None:
    rows, ratios = [], {}
    dice = random.Random(1)
    for listing in listings:
        ids = listing.ids()
        pages = max(1, -(-len(ids) // SIZE))
        sampled = {1, pages, *(dice.randint(1, pages) for _ in range(SAMPLED_PAGES))}
        wrong = [number for number in sampled if not _is_same(listing, number, ids)]
        report.verdict(not wrong, f"records, {listing.name}: {len(sampled)} pages of {pages:,} are the plain query's")
        ours = listing.seconds(pages)
        plain = median(listing.plain_page(pages)[0] for _ in range(PLAIN_ROUNDS))
        ratios[listing.name] = plain / ours
        rows.append((listing.name, f"{len(ids):,}", ms(listing.seconds(1)), ms(ours), ms(plain), f"{plain / ours:.1f}"))
    report.line()
    report.table(("records", "rows", "page 1", "last page", "plain OFFSET", "ratio"), rows)
    for listing in listings:
        if not _is_by_time(listing):
            report.limit(f"records, {listing.name}: plain to last page", ratios[listing.name], least=LEAST_LAST_PAGE)


def _is_same(listing: Listing, number: int, ids: list[str]) -> bool:
    answer = listing.page(number)[1]
    found = [item["request_id"] for item in answer["items"]]
    return answer["total"] == len(ids) and found == ids[(number - 1) * SIZE : number * SIZE]


def _top_and_bundle(site: Site, report: Report) -> None:
    """Time and bytes of large answers, plain and compressed; browsers get a compressed bundle."""
    rows = []
    slowest: dict[str, float] = {}
    for path in ("/api/daily", "/api/dims", "/api/top", "/api/top?n=1000", "/api/bundle"):
        cells = [path]
        for coding in ("identity", "gzip"):
            answers = [site.get(path, **{"Accept-Encoding": coding}) for _ in range(LARGE_ROUNDS)]
            taken = median(answer.seconds for answer in answers)
            slowest[path] = max(taken, slowest.get(path, 0.0))
            cells += [ms(taken), f"{len(answers[0].body):,}"]
        rows.append(cells)
    report.line()
    report.table(("large answers", "time", "bytes", "gzip time", "gzip bytes"), rows)
    report.limit("bundle: ms, plain or compressed", slowest["/api/bundle"] * 1000, most=MOST_BUNDLE_MS)
    report.limit("bundle: bytes at the cap", len(site.get("/api/bundle?topN=1000").body), most=MOST_BUNDLE)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.record_pages")
    parser.add_argument("--home", type=Path, default=dataset.HOME)
    report = Report(sys.stdout)
    measure(prepare(parser.parse_args().home, report), report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
