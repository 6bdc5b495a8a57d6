"""Strategy: walk along the requested order without the index and compare every prompt."""

from collections.abc import Iterator
from itertools import chain, islice

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch, marks
from usage import prompt_match
from usage.record_lists import export_chunks
from usage.search.query import SearchQuery

# Two chunks are about a thousand records: a common needle is found among them without counting all candidates.
_CHUNKS_FIRST = 2


def walk_first_chunks(search: SearchQuery, wanted: int) -> list[int]:
    """The first `wanted` matches, or fewer, among the first records of the order."""
    return list(chain.from_iterable(islice(walk_all(search), _CHUNKS_FIRST)))[:wanted]


def walk_all(search: SearchQuery) -> Iterator[list[int]]:
    """All matches in order, one list per chunk of records."""
    verified, needle = prompt_match.verified(search.filters.text)
    verified = engine.not_by_index(verified)
    for ids in export_chunks.chunks(search.archive_id, search.filters, search.order_name):
        rows = fetch(
            f"SELECT record_id FROM usage_prompt p WHERE record_id IN ({marks(ids)}) AND {verified}",  # noqa: S608 - constant parts, bound values
            [*ids, needle],
        )
        matches = {record_id for (record_id,) in rows}
        yield [record_id for record_id in ids if record_id in matches]
