"""Our sums, pages of records, searches and ingest beside plain SQL, on the engine of the settings (`measure`).

All sides run in this process and take turns; the figures are medians, without HTTP. Both sides must give the same rows.
"""

import json
import time
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from itertools import product, starmap
from statistics import median
from typing import Any, NamedTuple

from tests.benchmarks.dataset import ACCOUNT
from tests.benchmarks.plain_sides import COLUMNS, Plain
from tests.benchmarks.questions import QUESTIONS
from tests.benchmarks.record_pages import CONDITIONS, FILTERS, ORDERS, SIZE
from tests.benchmarks.report import Report

ROUNDS, ROUNDS_OF_PAGES = 5, 3
INGESTED, PAGES = 20_000, (200, 1000)
Ask = Callable[[], Any]


class Sides(NamedTuple):
    """The seconds of ours and of plain SQL."""

    ours: float
    plain: float


class Ingest(NamedTuple):
    """Records a second: ours; in plain SQL into such tables, and into one table with one index."""

    ours: float
    same_indexes: float
    one_index: float


class Measured(NamedTuple):
    """What was measured on an engine, each by its name."""

    sums: dict[str, Sides]
    pages: dict[str, Sides]
    searches: dict[str, dict[str, float]]
    ingest: dict[str, Ingest]


def measure(plain: Plain, report: Report) -> Measured:
    """Django is set up. Records of other accounts are added to the store."""
    from tests.benchmarks import search

    return Measured(
        _sums(plain, report), _pages(plain, report), search.compare(report, has_limits=False), _ingest(plain)
    )


def _taken(ours: Ask, plain: Ask, rounds: int = ROUNDS) -> Sides:
    """The median seconds of both sides, which take turns after a first run that does not count."""
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 1):
        for ask, times in zip((ours, plain), taken, strict=True):
            begun = time.perf_counter()
            ask()
            if number:
                times.append(time.perf_counter() - begun)
    return Sides(*map(median, taken))


def _our_sums() -> Mapping[str, Ask]:
    """The answers of the endpoints of `QUESTIONS`, without HTTP."""
    from usage.filters import RecordFilters
    from usage.reads.daily_series import daily_pieces
    from usage.reads.dimensions import dims
    from usage.reads.summary import summary

    everything, of_purpose = RecordFilters(), RecordFilters(purpose="conversation")
    return {
        "summary": partial(summary, ACCOUNT, everything),
        "summary?purpose=conversation": partial(summary, ACCOUNT, of_purpose),
        "daily": lambda: {"days": json.loads(b"".join(daily_pieces(ACCOUNT, everything)))},
        "dims": lambda: dims(ACCOUNT, everything).payload(),
        "dims?dim=purpose": lambda: dims(ACCOUNT, everything, "purpose").payload(),
    }


def _sums(plain: Plain, report: Report) -> dict[str, Sides]:
    sides, measured = _our_sums(), {}
    for question in QUESTIONS:
        if question.name not in sides:
            continue
        ours, statements = sides[question.name], question.sql(plain.dialect)

        def theirs(statements: list[str] = statements) -> Any:
            return [plain.rows(statement) for statement in statements]

        same = question.from_rows(theirs()) == question.from_answer(_read(ours()))
        report.verdict(same, f"{question.name}: the same figures")
        measured[question.name] = _taken(ours, theirs)
    return measured


def _read(answer: Any) -> Any:
    """An answer as a client reads it."""
    from archive_site.lib.http.answer_types import as_json

    return as_json(answer)


class _Listing:
    """One order with one filter, as our query and as plain SQL have it."""

    def __init__(self, order: str, name: str):
        from archive_site.lib.http.parameter_parsing import Days
        from usage.filters import RecordFilters

        given: dict[str, Any] = {**FILTERS[name]}
        self.order, self.name, self.values = order, f"{order}, {name}", list(given.values())
        conditions = [f"user_id = {ACCOUNT}", *(CONDITIONS[key].replace("?", "%s") for key in given)]
        joined = "usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id"
        self.source = f"FROM {joined} WHERE {' AND '.join(conditions)}"
        first, last = (date.fromisoformat(given.pop(key)) if key in given else None for key in ("from", "to"))
        self.filters = RecordFilters(Days(first, last), **given)

    def ours(self, number: int) -> Any:
        from archive_site.lib.http.parameter_parsing import Paging
        from usage.reads import list_parts

        return list_parts.page_of_records(ACCOUNT, self.filters, self.order, Paging(number, SIZE), lean=False)

    def plain(self, number: int) -> str:
        limit = f"LIMIT {SIZE} OFFSET {(number - 1) * SIZE}"
        return f"SELECT r.request_id, r.*, p.text {self.source} ORDER BY {ORDERS[self.order]} {limit}"


def _pages(plain: Plain, report: Report) -> dict[str, Sides]:
    """The first page and one in the middle, in each order and with each filter."""
    measured = {}
    for listing in starmap(_Listing, product(ORDERS, FILTERS)):
        [(total,)] = plain.rows(f"SELECT COUNT(*) {listing.source}", listing.values)
        for place, number in (("first", 1), ("middle", max(1, total // SIZE // 2))):
            ours, theirs = partial(listing.ours, number), partial(plain.rows, listing.plain(number), listing.values)
            if [record.request_id for record in ours()] != [row[0] for row in theirs()]:
                report.verdict(False, f"{place} page of {listing.name}: other rows")
            measured[f"{place} page, {listing.name}"] = _taken(ours, theirs, ROUNDS_OF_PAGES)
    return measured


def _ingest(plain: Plain) -> dict[str, Ingest]:
    """New records of an account, page by page, each page a transaction."""
    # Django is set up, and this module would do it.
    from tests.benchmarks.ingest import generated, row_of, seconds
    from usage.ingest import take_in

    records, measured = generated(INGESTED), {}
    for place, size in enumerate(PAGES):
        plain.make_tables()
        pages = [records[start : start + size] for start in range(0, len(records), size)]
        rows = [[row_of(record) for record in page] for page in pages]

        def ours(pages: Any = pages, user_id: int = 100 + place) -> None:
            for page in pages:
                take_in(user_id, page, run_id=1, max_prompt=20_000)

        def same_indexes(rows: Any = rows) -> None:
            number = 0
            for page in rows:
                numbered = [(number + at, row) for at, row in enumerate(page, start=1)]
                number += len(page)
                plain.write(
                    ("copied_usage_record", ("id", *COLUMNS), [(key, *row[:-1]) for key, row in numbered]),
                    ("copied_usage_prompt", ("record_id", "text"), [(key, row[-1]) for key, row in numbered]),
                )

        def one_index(rows: Any = rows) -> None:
            for page in rows:
                plain.write(("plain_record", (*COLUMNS, "prompt"), page))

        speeds = (len(records) / seconds(side) for side in (ours, same_indexes, one_index))
        measured[f"pages of {size}"] = Ingest(*speeds)
    return measured
