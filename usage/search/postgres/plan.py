"""Lists of records with a search text on PostgreSQL: their ids, by page or in chunks, and their sums.

A common needle is found along the requested order. Where that takes too long, one query finds all matches, by an index
of the prompts or by the records of the filters, whichever PostgreSQL estimates to be cheaper.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from archive_site.lib.storage.sql import fetch
from usage.filters import RecordFilters
from usage.record_lists.list_sums import ListSums
from usage.search import query
from usage.search.order_walk import walk_all
from usage.search.postgres.estimate import candidates
from usage.search.postgres.terms import by_account, by_characters, is_indexed
from usage.search.query import SearchQuery

# The chunks that are walked first, and their records.
_WALKED_FIRST, _RECORDS_FIRST = 2, 1_100
# A walk may take this many times as long as expected.
_PATIENCE = 2
# From this many matches among the records walked first on, the export walks along the order: others sort all matches.
_COMMON = 10
_CHUNK = 1_000


def page(user_id: int, filters: RecordFilters, order: str, offset: int, size: int) -> list[int]:
    """The ids of the records of one page, in order. `filters.text` is not empty."""
    search, wanted = SearchQuery(user_id, filters, order), offset + size
    ids = _walked(search, wanted)
    if ids is None:
        ids = _sorted_matches(search, wanted)
    return ids[offset:wanted]


def sums(user_id: int, filters: RecordFilters) -> ListSums:
    """The sums of the records. `filters.text` is not empty."""
    matches, values = _matches(SearchQuery(user_id, filters, ""))
    [row] = fetch(
        "SELECT COUNT(*), COALESCE(SUM(r.credits), 0), COALESCE(SUM(CASE WHEN r.credits = 0 THEN 1 ELSE 0 END), 0) "  # noqa: S608 - constant parts, bound values
        f"FROM {matches}",
        values,
    )
    return ListSums(*map(int, row))


def chunks(user_id: int, filters: RecordFilters, order: str) -> Iterator[list[int]]:
    """All ids in order, in chunks of up to about a thousand. `filters.text` is not empty.

    Nothing stays open between two chunks.
    """
    search = SearchQuery(user_id, filters, order)
    found = 0
    for number, ids in enumerate(walk_all(search), start=1):
        found += len(ids)
        if number == _WALKED_FIRST:
            break
    if found >= _COMMON or not is_indexed(filters.text):
        yield from walk_all(search)
        return
    ids = _sorted_matches(search)
    yield from (ids[at : at + _CHUNK] for at in range(0, len(ids), _CHUNK))


def _walked(search: SearchQuery, wanted: int) -> list[int] | None:
    """The first `wanted` matches along the order, or all there are; None if there would be too many records to walk."""
    ids: list[int] = []
    most = 0.0
    for number, found in enumerate(walk_all(search), start=1):
        ids += found
        if len(ids) >= wanted:
            return ids
        if number == _WALKED_FIRST:
            most = _worth_walking(search, wanted, len(ids))
        if number >= _WALKED_FIRST and number > most:
            return None
    return ids


def _worth_walking(search: SearchQuery, wanted: int, found: int) -> float:
    """The chunks after which the walk ends: as many as it needs at the rate so far, if the index leads to more records
    than that."""
    if not found:
        return 0
    needed = _RECORDS_FIRST * wanted / found
    return _PATIENCE * needed / _CHUNK if needed < candidates(search.user_id, search.filters.text) else 0


def _sorted_matches(search: SearchQuery, wanted: int | None = None) -> list[int]:
    """The first `wanted` matches, or all.

    All are found before they are sorted: PostgreSQL would otherwise walk along the order, since it takes any needle
    for a common one.
    """
    matches, values = _matches(search)
    columns = ", ".join(f"r.{column}" for column in search.order.columns)
    rows = fetch(
        f"WITH r AS MATERIALIZED (SELECT {columns}, r.id FROM {matches}) "  # noqa: S608 - constant parts, bound values
        f"SELECT r.id FROM r ORDER BY {search.sorting} LIMIT %s",
        [*values, wanted],
    )
    return list(chain.from_iterable(rows))


def _matches(search: SearchQuery) -> tuple[str, list[Any]]:
    """The records `r` with their prompts `p` that match, as the SQL after FROM, and its values."""
    where = search.where
    account, characters = by_account(search.user_id), by_characters(search.filters.text)
    verified, needle = query.verified(search.filters.text)
    matches = (
        "usage_record r JOIN usage_prompt p ON p.record_id = r.id "
        f"WHERE {where.conditions} AND {account.sql}{characters.sql}{verified}"
    )
    return matches, [*where.values, *account.values, *characters.values, needle]
