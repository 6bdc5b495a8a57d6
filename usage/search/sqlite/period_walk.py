"""Strategy for the orders of time: sort the candidates, one period of the index after the other.

An order by model or client sorts by time within each, so this strategy also finds the matches of the first one.
"""

from collections.abc import Iterator
from itertools import chain

from usage.record_lists import list_sums
from usage.rollups import read_sums
from usage.search.query import SearchQuery
from usage.search.sqlite.candidate_sort import enough_to_count, sort_candidates
from usage.search.sqlite.candidates import Candidates
from usage.search.sqlite.terms import Span, span_of

# A first model or client with less than 1/20 of all records is skipped: it most likely has too few matches.
_WORTH_A_LOOK = 20


def first_by_periods(search: SearchQuery, found: Candidates, wanted: int) -> list[int]:
    """The first `wanted` matches in an order of time."""
    return list(chain.from_iterable(walk_periods(search, found, wanted)))


def first_of_first_group(search: SearchQuery, found: Candidates, wanted: int) -> list[int]:
    """The first `wanted` matches in an order by model or client, or fewer: those of the first model or client."""
    first = list_sums.first_group(search.archive_id, search.filters, search.order_name)
    if first is None:
        return []
    number, total = (list_sums.count(search.archive_id, filters) for filters in (first, search.filters))
    return [] if number * _WORTH_A_LOOK < total else first_by_periods(search.among(first, "ts_asc"), found, wanted)


def walk_periods(search: SearchQuery, found: Candidates, wanted: int | None = None) -> Iterator[list[int]]:
    """The first `wanted` matches in an order of time, or all: of one period, then of the next two, four and so on."""
    left, periods = _recorded(search.archive_id, found.span), 1
    while left and wanted != 0:
        nearest, left = left.parted(periods, from_the_end=search.order.descending)
        part = found.within(nearest).counted(enough_to_count(wanted))
        ids = sort_candidates(search, part, wanted) if part.number else []
        yield ids
        wanted = None if wanted is None else wanted - len(ids)
        periods *= 2


def _recorded(archive_id: int, span: Span) -> Span:
    """The part of a span between the account's first and last day."""
    recorded = read_sums.recorded_days(archive_id)
    if recorded.first is None:
        return Span(0, -1)
    days = span_of(archive_id, recorded)
    return Span(max(span.first, days.first), min(span.last, days.last))
