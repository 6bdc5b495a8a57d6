"""Strategy: sort the candidates in the requested order, then compare them until there are enough matches."""

from archive_site.lib.storage.sql import fetch
from usage import prompt_match
from usage.search.query import SearchQuery
from usage.search.sqlite.candidates import Candidates

# Most candidates match: at first, only this many per wanted match, plus a spare number, are kept sorted.
_SORTED, _SPARE = 20, 50
# Keeping only some pays off from this many times more candidates on: with fewer, sorting all takes no longer.
_WORTH_KEEPING = 6


def sort_candidates(search: SearchQuery, found: Candidates, wanted: int | None = None) -> list[int]:
    """The first `wanted` matches among counted candidates; all of them if `wanted` is None."""
    if wanted is not None and found.number > _WORTH_KEEPING * _kept(wanted):
        ids = _matches_of_first(search, found, wanted, _kept(wanted))
        if len(ids) == wanted:
            return ids
    return _matches_of_first(search, found, -1 if wanted is None else wanted, -1)


def enough_to_count(wanted: int | None) -> int:
    """The number up to which candidates have to be counted for `sort_candidates`."""
    return _WORTH_KEEPING * _kept(wanted) + 1


def _kept(wanted: int | None) -> int:
    """How many candidates are kept sorted at first to find this many matches."""
    return 0 if wanted is None else _SORTED * wanted + _SPARE


def _matches_of_first(search: SearchQuery, found: Candidates, wanted: int, kept: int) -> list[int]:
    """Up to `wanted` matches among the first `kept` candidates of the order; -1 is all.

    CROSS JOIN makes SQLite join in this order: candidates, records, prompts. The inner LIMIT keeps SQLite from
    comparing prompts before it sorts.
    """
    where = search.where
    verified, needle = prompt_match.verified(search.filters.text)
    # Candidates that are read roughly in the final order are mostly beyond those kept, so few have to be inserted.
    newest_first = search.order.leads == "ts" and search.order.descending
    candidates = found.query() + (" ORDER BY rowid DESC LIMIT -1" if newest_first else "")
    rows = fetch(
        f"SELECT p.record_id FROM (SELECT r.id FROM ({candidates}) c CROSS JOIN usage_record r ON r.id = c.id "  # noqa: S608 - constant parts, bound values
        f"WHERE {where.conditions} ORDER BY {search.sorting} LIMIT %s) s "
        f"CROSS JOIN usage_prompt p ON p.record_id = s.id WHERE {verified} LIMIT %s",
        [*found.values, *where.values, kept, needle, wanted],
    )
    return [record_id for (record_id,) in rows]
