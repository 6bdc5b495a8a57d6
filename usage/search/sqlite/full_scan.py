"""Strategy: compare all prompts and sort the matches. It finds all matches of any needle."""

from archive_site.lib.storage.sql import fetch
from usage import prompt_match
from usage.search.query import SearchQuery


def scan_all(search: SearchQuery, wanted: int) -> list[int]:
    """The first `wanted` matches among all prompts.

    It reads by time, roughly the order in which prompts are stored; other orders would read them at random.
    """
    where = search.where
    verified, needle = prompt_match.verified(search.filters.text)
    rows = fetch(
        f"SELECT r.id FROM usage_record r INDEXED BY record_by_time JOIN usage_prompt p ON p.record_id = r.id "  # noqa: S608 - constant parts, bound values
        f"WHERE {where.conditions} AND {verified} ORDER BY {search.sorting} LIMIT %s",
        [*where.values, needle, wanted],
    )
    return [record_id for (record_id,) in rows]
