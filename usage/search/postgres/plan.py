"""Lists of records with a search text on PostgreSQL: their ids, by page or in chunks, and their sums.

A common needle is found along the requested order. Where that takes too long, one query finds all matches, by an index
of the prompts or by the records of the filters, whichever PostgreSQL estimates to be cheaper.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import Any

from archive_site.lib.http.parameters import Days
from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch
from usage.filter_sql import records_by_time, sorting
from usage.filters import RecordFilters
from usage.record_lists.calls_by_group import calls_by, first_group, touched
from usage.record_lists.list_sums import ListSums
from usage.record_lists.row_queries import order_among
from usage.search import query
from usage.search.order_walk import walk_all
from usage.search.postgres.estimate import candidates, has_parts
from usage.search.postgres.terms import by_account, by_characters, is_indexed
from usage.search.query import SearchQuery

# The records that are walked first.
_RECORDS_FIRST = 1_100
# A walk may take this many times as long as expected.
_PATIENCE = 2
# Where nothing was found, but the index would lead to very many times the walked records, a longer walk costs little.
_MORE, _MANY = 10, 50
# From this many matches among the records walked first on, the export walks along the order: others sort all matches.
_COMMON = 10
_CHUNK, _CHUNKS_FIRST = 1_000, 2


def page(user_id: int, filters: RecordFilters, order: str, offset: int, size: int) -> list[int]:
    """The ids of the records of one page, in order. `filters.text` is not empty."""
    search, wanted = SearchQuery(user_id, filters, order), offset + size
    records = _RECORDS_FIRST
    while records:
        ids = _among_first(search, wanted, records)
        if len(ids) >= wanted:
            return ids[offset:]
        records = _worth_walking(search, wanted, records, len(ids))
    return _sorted_matches(search, wanted)[offset:]


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
        if number == _CHUNKS_FIRST:
            break
    if found >= _COMMON or not is_indexed(filters.text):
        yield from walk_all(search)
        return
    ids = _sorted_matches(search)
    yield from (ids[at : at + _CHUNK] for at in range(0, len(ids), _CHUNK))


def _among_first(search: SearchQuery, wanted: int, records: int) -> list[int]:
    """The first `wanted` matches, or fewer, among about this many first records of the order, or of its first model or
    client."""
    filters = first_group(search.user_id, search.filters, search.order_name) or search.filters
    by = order_among(filters, search.order_name)
    if by.leads == "ts" and filters.go_by_groups:
        # The index of time has no names: without bounds, it would be read to the first day that has them.
        days, _ = touched(calls_by(search.user_id, filters, "day", descending=by.descending), 0, records)
        if not days:
            return []
        bounds = sorted(date.fromisoformat(day) for (day,) in (days[0], days[-1]))
        filters = replace(filters, days=Days(*bounds))
    where = records_by_time(search.user_id, filters)
    verified, needle = query.verified(filters.text)
    rows = fetch(
        f"SELECT r.id FROM (SELECT * FROM usage_record WHERE {where.conditions} ORDER BY {sorting(by)} LIMIT %s) r "  # noqa: S608 - constant parts, bound values
        f"JOIN usage_prompt p ON p.record_id = r.id WHERE {engine.not_by_index(verified)} "
        f"ORDER BY {sorting(by, 'r')} LIMIT %s",
        [*where.values, records, needle, wanted],
    )
    return list(chain.from_iterable(rows))


def _worth_walking(search: SearchQuery, wanted: int, walked: int, found: int) -> int:
    """How many records to walk after so many matches among those walked; none if the index leads to fewer than that."""
    if not found and not has_parts(search.filters.text):
        return 0
    needed = walked * wanted / found if found else walked * _MANY
    if needed >= candidates(search.user_id, search.filters.text):
        return 0
    return round(_PATIENCE * needed) if found else walked * _MORE


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
