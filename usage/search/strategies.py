"""Lists of records with a text to search for (`q`): their ids, page by page or in chunks, and their number.

The index names candidates, LIKE has the last word. Few candidates are sorted. Where there are many, the order is walked
a little with every prompt looked at: most often, that will do. Else the orders of time sort the candidates of one
period after the other, those by model or client do so for their first, and those of credits walk along theirs, past
what is no candidate.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain, islice
from typing import Any

from django.db import connection

from archive_site.lib.http.parameters import Days
from usage import record_pages
from usage.filters import NEWEST_FIRST, ORDERS, RecordFilters
from usage.search import index as search_index
from usage.search.terms import RECORD_OF_PLACE, Span, questions, span_of

# So many candidates are sorted within some milliseconds.
_FEW = 6_000
# So many entries of the index of credits are walked at first, and so many past those that are no candidates.
_WALKED_FIRST, _WALKED = 1_000, 60_000
# So many times what is wanted, and so many more, are kept sorted at first: most candidates match.
_SORTED, _SPARE = 20, 50
# Only of so many times more than those that are kept: else all are sorted as soon.
_WORTH_KEEPING = 6
# So many chunks of another order are walked at first: about a thousand records.
_CHUNKS_FIRST = 2
# The export sorts so many candidates before its first byte.
_SORTED_FIRST = 20_000
_CHUNK = 1_000
# A first model or client with less than this part of all records is not searched by itself: most likely in vain.
_WORTH_A_LOOK = 20
# Looking at every prompt in turn is faster than sorting candidates that are more than this part of them.
_WORTH_SORTING = 3
_ESCAPES = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class _Candidates:
    """What the index has for a needle within a span of places; `number` was not counted further than was asked."""

    table: str
    question: str
    span: Span
    number: int = 0

    def query(self) -> str:
        """The ids of their records, to be given `values`."""
        return (
            f"SELECT rowid & {RECORD_OF_PLACE} AS id FROM {self.table} "
            f"WHERE {self.table} MATCH %s AND rowid BETWEEN %s AND %s"
        )

    @property
    def values(self) -> list[Any]:
        return [self.question, self.span.first, self.span.last]


def page(user_id: int, filters: RecordFilters, order: str, offset: int, size: int) -> list[int]:
    """The ids of the records of one page, in order. `filters.text` is not empty."""
    ids: list[int] = []
    for ids in _ways(user_id, filters, order, offset + size):
        if len(ids) >= offset + size:
            break
    return ids[offset : offset + size]


def _ways(user_id: int, filters: RecordFilters, order: str, wanted: int) -> Iterator[list[int]]:
    """Ways to the first `wanted` matches, cheaper ones first: each may fall short, but the last finds all there are."""
    found = _candidates(user_id, filters, _FEW + 1)
    if found and found.number <= _FEW:
        yield _sorted(user_id, filters, order, found, wanted)
        return
    if found and _goes_by_credits(order):
        yield _walked(user_id, filters, order, wanted, _WALKED_FIRST)
        yield _walked(user_id, filters, order, wanted, _WALKED, past_others_than=found)
    else:
        chunks = islice(_walk(user_id, filters, order), _CHUNKS_FIRST)
        yield list(chain.from_iterable(chunks))[:wanted]
    if found and _goes_by_time(order):
        yield list(chain.from_iterable(_span_by_span(user_id, filters, order, found, wanted)))
        return
    if found:
        yield _of_first_group(user_id, filters, order, found, wanted)
    worth_sorting = record_pages.count(user_id, filters) // _WORTH_SORTING
    if found and (number := _number(found, worth_sorting + 1)) <= worth_sorting:
        yield _sorted(user_id, filters, order, replace(found, number=number), wanted)
    else:
        yield _scanned(user_id, filters, order, wanted)


def count(user_id: int, filters: RecordFilters) -> int:
    """How many records there are, exactly. `filters.text` is not empty."""
    few = record_pages.count(user_id, filters) // _WORTH_SORTING
    found = _candidates(user_id, filters, few + 1)
    if found and found.number <= few:
        return _count(user_id, filters, f"({found.query()}) c CROSS JOIN usage_record r ON r.id = c.id", found.values)
    return _count(user_id, filters, "usage_record r", [])


def chunks(user_id: int, filters: RecordFilters, order: str) -> Iterator[list[int]]:
    """All ids in order, in chunks of up to about a thousand. `filters.text` is not empty.

    Nothing stays open between two chunks.
    """
    found = _candidates(user_id, filters, _SORTED_FIRST + 1)
    if found and found.number <= _SORTED_FIRST:
        parts: Iterator[list[int]] = iter([_sorted(user_id, filters, order, found)])
    elif found and _goes_by_time(order):
        parts = _span_by_span(user_id, filters, order, found)
    else:
        parts = _walk(user_id, filters, order)
    for ids in parts:
        yield from (ids[at : at + _CHUNK] for at in range(0, len(ids), _CHUNK))


def _candidates(user_id: int, filters: RecordFilters, at_most: int) -> _Candidates | None:
    """The fewest candidates that an index has, counted up to a number; None where none can help."""
    if not search_index.is_kept():
        return None
    span = span_of(user_id, filters.days)
    fewest = None
    for table, question in questions(filters.text).items():
        found = _Candidates(table, question, span)
        # Another index's are counted no further than those that are fewer.
        number = _number(found, fewest.number if fewest else at_most)
        if fewest is None or number < fewest.number:
            fewest = replace(found, number=number)
    return fewest


def _number(candidates: _Candidates, at_most: int) -> int:
    query = f"SELECT COUNT(*) FROM ({candidates.query()} LIMIT %s)"
    return int(_rows(query, [*candidates.values, at_most])[0][0])


def _span_by_span(
    user_id: int, filters: RecordFilters, order: str, found: _Candidates, wanted: int | None = None
) -> Iterator[list[int]]:
    """The first `wanted` matches, or all, in an order of time: of one period, of the next two, four, and so on."""
    left, periods = _recorded(user_id, found.span), 1
    while left and wanted != 0:
        nearest, left = left.parted(periods, from_the_end=_columns(order)[0].startswith("-"))
        part = replace(found, span=nearest)
        part = replace(part, number=_number(part, _WORTH_KEEPING * _kept(wanted) + 1))
        ids = _sorted(user_id, filters, order, part, wanted) if part.number else []
        yield ids
        wanted = None if wanted is None else wanted - len(ids)
        periods *= 2


def _of_first_group(user_id: int, filters: RecordFilters, order: str, found: _Candidates, wanted: int) -> list[int]:
    """The first `wanted` matches of an order by model or client, or fewer: those of its first, which are by time."""
    first = record_pages.first_group(user_id, filters, order)
    if first is None or record_pages.count(user_id, first) * _WORTH_A_LOOK < record_pages.count(user_id, filters):
        return []
    return list(chain.from_iterable(_span_by_span(user_id, first, "ts_asc", found, wanted)))


def _recorded(user_id: int, span: Span) -> Span:
    """The part of a span from the account's first day to its last."""
    # One by one, so that each is a look at one end of the key.
    [(first, last)] = _rows(
        "SELECT (SELECT MIN(day) FROM usage_daytotal WHERE user_id = %s), "
        "(SELECT MAX(day) FROM usage_daytotal WHERE user_id = %s)",
        [user_id, user_id],
    )
    if first is None:
        return Span(0, -1)
    days = span_of(user_id, Days(date.fromisoformat(first), date.fromisoformat(last)))
    return Span(max(span.first, days.first), min(span.last, days.last))


def _walked(
    user_id: int,
    filters: RecordFilters,
    order: str,
    wanted: int,
    entries: int,
    *,
    past_others_than: _Candidates | None = None,
) -> list[int]:
    """The first `wanted` matches, or fewer, among so many entries of the index of credits.

    Only candidates are looked at twice, where some are given. The limit inside keeps the walk an end, and SQLite from
    another order than the index's.
    """
    conditions, values = _conditions(user_id, filters)
    verified, needle = _verified(filters)
    found = past_others_than
    among = f"s.id IN ({found.query()}) AND" if found else ""
    rows = _rows(
        f"SELECT p.record_id FROM (SELECT r.id FROM usage_record r INDEXED BY record_by_credits "
        f"WHERE {conditions} ORDER BY {_by(order)} LIMIT {entries}) s CROSS JOIN usage_prompt p ON p.record_id = s.id "
        f"WHERE {among} {verified} LIMIT %s",
        [*values, *(found.values if found else ()), needle, wanted],
    )
    return [row[0] for row in rows]


def _sorted(
    user_id: int, filters: RecordFilters, order: str, found: _Candidates, wanted: int | None = None
) -> list[int]:
    """The first `wanted` matches among candidates: those are sorted, then verified until there are enough."""
    if wanted is not None and found.number > _WORTH_KEEPING * _kept(wanted):
        ids = _verified_of_first(user_id, filters, order, found, wanted, _kept(wanted))
        if len(ids) == wanted:
            return ids
    return _verified_of_first(user_id, filters, order, found, -1 if wanted is None else wanted, -1)


def _kept(wanted: int | None) -> int:
    """How many candidates are kept sorted at first for so many matches."""
    return 0 if wanted is None else _SORTED * wanted + _SPARE


def _verified_of_first(
    user_id: int, filters: RecordFilters, order: str, found: _Candidates, wanted: int, kept: int
) -> list[int]:
    """Up to `wanted` matches among the first `kept` candidates of an order; -1 is all.

    The joins go from the candidates to the records and to the prompts, in this order. The limit inside keeps SQLite
    from verifying before it sorts.
    """
    conditions, values = _conditions(user_id, filters)
    verified, needle = _verified(filters)
    # About as they will be sorted: so most are found to be beyond those that are kept.
    candidates = found.query() + (" ORDER BY rowid DESC LIMIT -1" if _columns(order)[0] == "-ts" else "")
    rows = _rows(
        f"SELECT p.record_id FROM (SELECT r.id FROM ({candidates}) c CROSS JOIN usage_record r ON r.id = c.id "
        f"WHERE {conditions} ORDER BY {_by(order)} LIMIT %s) s CROSS JOIN usage_prompt p ON p.record_id = s.id "
        f"WHERE {verified} LIMIT %s",
        [*found.values, *values, kept, needle, wanted],
    )
    return [row[0] for row in rows]


def _scanned(user_id: int, filters: RecordFilters, order: str, wanted: int) -> list[int]:
    """The first `wanted` matches among all prompts: those that match are sorted.

    Read by time, as the prompts lie: along the index of another order they would be looked up criss-cross.
    """
    conditions, values = _conditions(user_id, filters)
    verified, needle = _verified(filters)
    by_time = "INDEXED BY record_by_time" if search_index.is_kept() else ""
    rows = _rows(
        f"SELECT r.id FROM usage_record r {by_time} JOIN usage_prompt p ON p.record_id = r.id "
        f"WHERE {conditions} AND {verified} ORDER BY {_by(order)} LIMIT %s",
        [*values, needle, wanted],
    )
    return [row[0] for row in rows]


def _walk(user_id: int, filters: RecordFilters, order: str) -> Iterator[list[int]]:
    """All ids in order, without the index: every prompt is looked at."""
    verified, needle = _verified(filters)
    for ids in record_pages.chunks(user_id, filters, order):
        marks = ", ".join(["%s"] * len(ids))
        rows = _rows(
            f"SELECT record_id FROM usage_prompt p WHERE record_id IN ({marks}) AND {verified}", [*ids, needle]
        )
        matches = {row[0] for row in rows}
        yield [record_id for record_id in ids if record_id in matches]


def _count(user_id: int, filters: RecordFilters, records: str, given: list[Any]) -> int:
    """How many of the records that a source of `r` gives match."""
    conditions, values = _conditions(user_id, filters)
    verified, needle = _verified(filters)
    rows = _rows(
        f"SELECT COUNT(*) FROM {records} CROSS JOIN usage_prompt p ON p.record_id = r.id "
        f"WHERE {conditions} AND {verified}",
        [*given, *values, needle],
    )
    return int(rows[0][0])


def _conditions(user_id: int, filters: RecordFilters) -> tuple[str, list[Any]]:
    """The filters but for the text, as conditions on a record `r`."""
    first, last = filters.days.first, filters.days.last
    given: dict[str, Any] = {
        "r.user_id = %s": user_id,
        "r.ts >= %s": first and f"{first} 00:00:00",
        "r.ts <= %s": last and f"{last} 23:59:59",
        "r.model = %s": filters.model,
        "r.client = %s": filters.client,
    }
    given = {condition: value for condition, value in given.items() if value is not None}
    return " AND ".join(given), list(given.values())


def _verified(filters: RecordFilters) -> tuple[str, str]:
    """The condition on a prompt `p` that it contains the text, A to Z in either case, and the value it is given.

    SQLite's LIKE folds just those letters; other engines are told to.
    """
    if connection.vendor == "sqlite":
        return "p.text LIKE %s ESCAPE '\\'", f"%{filters.text.translate(_ESCAPES)}%"
    small = _CAPITALS.lower()
    needle = filters.text.translate(str.maketrans(_CAPITALS, small))
    return f"POSITION(%s IN TRANSLATE(p.text, '{_CAPITALS}', '{small}')) > 0", needle


def _by(order: str) -> str:
    return ", ".join(f"r.{column[1:]} DESC" if column.startswith("-") else f"r.{column}" for column in _columns(order))


def _goes_by_time(order: str) -> bool:
    return _columns(order)[0].lstrip("-") == "ts"


def _goes_by_credits(order: str) -> bool:
    return _columns(order)[0].lstrip("-") == "credits"


def _columns(order: str) -> tuple[str, ...]:
    return ORDERS.get(order, ORDERS[NEWEST_FIRST])


def _rows(query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return list(cursor.fetchall())
