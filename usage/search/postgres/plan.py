"""Lists of records with a search text on PostgreSQL: their ids, by page or in chunks, and their sums.

A common needle is found along the requested order. Where that takes too long, one query finds all matches, by an index
of the prompts or by the records of the filters, whichever PostgreSQL estimates to be cheaper.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import chain
from typing import Any

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch
from usage import prompt_match
from usage.filters import RecordFilters
from usage.record_lists.list_sums import ListSums
from usage.search.order_walk import walk_all
from usage.search.postgres.estimate import candidates, has_parts
from usage.search.postgres.first_records import FirstRecords
from usage.search.postgres.terms import by_account, by_characters, is_best_by_pairs, is_indexed
from usage.search.query import SearchQuery

# The records that are compared first.
_RECORDS_FIRST = 1_100
_MORE, _MANY = 10, 50
# From this many matches among the records walked first on, the export walks along the order: others sort all matches.
_COMMON = 10
_CHUNK, _CHUNKS_FIRST = 1_000, 2


def page(archive_id: int, filters: RecordFilters, order: str, offset: int, size: int) -> list[int]:
    """The ids of the records of one page, in order. `filters.text` is not empty."""
    search, wanted = SearchQuery(archive_id, filters, order), offset + size
    first, records = FirstRecords(search), _RECORDS_FIRST
    led_to = cache(partial(candidates, archive_id, filters.text))
    while records:
        first.compare(records, wanted)
        if len(first.ids) >= wanted:
            return first.ids[offset:]
        records = round(_expected(search, wanted, records, first, led_to))
    return _sorted_matches(search, wanted)[offset:]


def sums(archive_id: int, filters: RecordFilters) -> ListSums:
    """The sums of the records. `filters.text` is not empty."""
    matches, values = _matches(SearchQuery(archive_id, filters, ""))
    [row] = fetch(
        "SELECT COUNT(*), COALESCE(SUM(r.credits), 0), COALESCE(SUM(CASE WHEN r.credits = 0 THEN 1 ELSE 0 END), 0) "  # noqa: S608 - constant parts, bound values
        f"FROM {matches}",
        values,
    )
    return ListSums(*map(int, row))


def chunks(archive_id: int, filters: RecordFilters, order: str) -> Iterator[list[int]]:
    """All ids in order, in chunks of up to about a thousand. `filters.text` is not empty.

    Nothing stays open between two chunks.
    """
    search = SearchQuery(archive_id, filters, order)
    found = 0
    for number, ids in enumerate(walk_all(search), start=1):
        found += len(ids)
        if number == _CHUNKS_FIRST:
            break
    if found >= _COMMON or not is_indexed(filters.text):
        yield from walk_all(search)
        return
    ids = _sorted_matches(search)
    yield from (ids[at : at + _CHUNK] for at in range(0, len(ids), _CHUNK))


def _expected(
    search: SearchQuery, wanted: int, compared: int, first: FirstRecords, led_to: Callable[[], float]
) -> float:
    """How many records to compare next, in all, to find as many as wanted; 0 if the index leads to fewer.

    Where nothing was found, but the index would lead to very many times these records, to compare more costs little.
    """
    found = len(first.ids)
    if not found and not has_parts(search.filters.text):
        return 0
    needed = compared * wanted / found if found else compared * _MANY
    if needed >= led_to():
        return 0
    return first.patience * needed if found else compared * _MORE


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
    account, characters = by_account(search.archive_id), by_characters(search.filters.text)
    verified, needle = prompt_match.verified(search.filters.text)
    if is_best_by_pairs(search.filters.text):
        verified = engine.not_by_index(verified)
    matches = (
        "usage_record r JOIN usage_prompt p ON p.record_id = r.id "
        f"WHERE {where.conditions} AND {account.sql}{characters.sql}{verified}"
    )
    return matches, [*where.values, *account.values, *characters.values, needle]
