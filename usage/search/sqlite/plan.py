"""Lists of records with a search text: their ids, by page or in chunks, and their number.

Strategies are tried from cheap to expensive. Each may find too few matches, except the last, which finds all.
"""

from collections.abc import Iterator
from typing import Any

from archive_site.lib.storage.sql import fetch
from usage import prompt_match
from usage.filters import RecordFilters
from usage.record_lists import list_sums
from usage.record_lists.list_sums import ListSums
from usage.search.order_walk import walk_all, walk_first_chunks
from usage.search.query import SearchQuery
from usage.search.sqlite.candidate_sort import sort_candidates
from usage.search.sqlite.candidates import Candidates, fewest_candidates
from usage.search.sqlite.credits_walk import walk_candidates_by_credits, walk_first_credits
from usage.search.sqlite.full_scan import scan_all
from usage.search.sqlite.period_walk import first_by_periods, first_of_first_group, walk_periods

# Sorting this many candidates takes a few milliseconds.
_FEW = 6_000
# The export sorts up to this many candidates before it sends the first byte.
_SORTED_FIRST = 20_000
_CHUNK = 1_000
# If more than 1/3 of the prompts are candidates, comparing every prompt is faster than sorting the candidates.
_WORTH_SORTING = 3


def page(archive_id: int, filters: RecordFilters, order: str, offset: int, size: int) -> list[int]:
    """The ids of the records of one page, in order. `filters.text` is not empty."""
    wanted = offset + size
    ids: list[int] = []
    for ids in _attempts(SearchQuery(archive_id, filters, order), wanted):
        if len(ids) >= wanted:
            break
    return ids[offset:wanted]


def _attempts(search: SearchQuery, wanted: int) -> Iterator[list[int]]:
    """The first `wanted` matches, or fewer, that each strategy finds. Each runs only when its result is requested."""
    found = fewest_candidates(search, _FEW + 1)
    if found is None:
        yield walk_first_chunks(search, wanted)
        yield scan_all(search, wanted)
    elif found.number <= _FEW:
        yield sort_candidates(search, found, wanted)
    elif search.order.leads == "ts":
        yield walk_first_chunks(search, wanted)
        yield first_by_periods(search, found, wanted)
    elif search.order.leads == "credits":
        yield walk_first_credits(search, wanted)
        yield walk_candidates_by_credits(search, found, wanted)
        yield _sort_or_scan(search, found, wanted)
    else:
        yield walk_first_chunks(search, wanted)
        yield first_of_first_group(search, found, wanted)
        yield _sort_or_scan(search, found, wanted)


def _sort_or_scan(search: SearchQuery, found: Candidates, wanted: int) -> list[int]:
    worth_sorting = _worth_sorting(search)
    found = found.counted(worth_sorting + 1)
    if found.number <= worth_sorting:
        return sort_candidates(search, found, wanted)
    return scan_all(search, wanted)


def sums(archive_id: int, filters: RecordFilters) -> ListSums:
    """The sums of the records. `filters.text` is not empty."""
    search = SearchQuery(archive_id, filters, "")
    few = _worth_sorting(search)
    found = fewest_candidates(search, few + 1)
    if found and found.number <= few:
        return _matches_in(search, f"({found.query()}) c CROSS JOIN usage_record r ON r.id = c.id", found.values)
    return _matches_in(search, "usage_record r", [])


def chunks(archive_id: int, filters: RecordFilters, order: str) -> Iterator[list[int]]:
    """All ids in order, in chunks of up to about a thousand. `filters.text` is not empty.

    Nothing stays open between two chunks.
    """
    search = SearchQuery(archive_id, filters, order)
    for ids in _parts(search):
        yield from (ids[at : at + _CHUNK] for at in range(0, len(ids), _CHUNK))


def _parts(search: SearchQuery) -> Iterator[list[int]]:
    """All matches in order, in parts of any size."""
    found = fewest_candidates(search, _SORTED_FIRST + 1)
    if found and found.number <= _SORTED_FIRST:
        return iter([sort_candidates(search, found)])
    if found and search.order.leads == "ts":
        return walk_periods(search, found)
    return walk_all(search)


def _worth_sorting(search: SearchQuery) -> int:
    """The number of candidates up to which sorting them is faster than comparing all prompts."""
    return list_sums.count(search.archive_id, search.filters) // _WORTH_SORTING


def _matches_in(search: SearchQuery, records: str, given: list[Any]) -> ListSums:
    """The sums of the records `r` in the SQL source `records` that match."""
    where = search.where
    verified, needle = prompt_match.verified(search.filters.text)
    [row] = fetch(
        "SELECT COUNT(*), COALESCE(SUM(r.credits), 0), COALESCE(SUM(CASE WHEN r.credits = 0 THEN 1 ELSE 0 END), 0) "  # noqa: S608 - constant parts, bound values
        f"FROM {records} CROSS JOIN usage_prompt p ON p.record_id = r.id WHERE {where.conditions} AND {verified}",
        [*given, *where.values, needle],
    )
    return ListSums(*map(int, row))
