"""Strategy for the orders of credits: walk along the index of credits and compare the prompts on the way."""

from archive_site.lib.storage.sql import fetch
from usage import prompt_match
from usage.search.query import SearchQuery
from usage.search.sqlite.candidates import Candidates

# At first the walk compares every prompt of this many entries of the index.
_WALKED_FIRST = 1_000
# The prompts of entries that are no candidates are not read, so this many entries cost little.
_WALKED = 60_000


def walk_first_credits(search: SearchQuery, wanted: int) -> list[int]:
    """The first `wanted` matches, or fewer, among the first entries of the index of credits."""
    return _matches_among(search, wanted, _WALKED_FIRST)


def walk_candidates_by_credits(search: SearchQuery, found: Candidates, wanted: int) -> list[int]:
    """The first `wanted` matches, or fewer, among more entries; only the prompts of candidates are compared."""
    return _matches_among(search, wanted, _WALKED, found)


def _matches_among(search: SearchQuery, wanted: int, entries: int, found: Candidates | None = None) -> list[int]:
    """Matches among the first entries of the order. The inner LIMIT ends the walk and makes SQLite follow the index."""
    where = search.where
    verified, needle = prompt_match.verified(search.filters.text)
    among = f"s.id IN ({found.query()}) AND" if found else ""
    rows = fetch(
        f"SELECT p.record_id FROM (SELECT r.id FROM usage_record r INDEXED BY record_by_credits "  # noqa: S608 - constant parts, bound values
        f"WHERE {where.conditions} ORDER BY {search.sorting} LIMIT {entries}) s "
        f"CROSS JOIN usage_prompt p ON p.record_id = s.id WHERE {among} {verified} LIMIT %s",
        [*where.values, *(found.values if found else ()), needle, wanted],
    )
    return [record_id for (record_id,) in rows]
