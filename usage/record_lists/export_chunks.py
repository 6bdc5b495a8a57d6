"""All ids of a list in chunks, for the export and the search."""

from collections.abc import Iterator

from usage.filters import Order, RecordFilters
from usage.record_lists.list_sums import Groups, calls_by, touched
from usage.record_lists.row_queries import ids_of, rows_of_groups, walk

# The first chunk is small, so that the first line of an export does not wait for a thousand records.
_FIRST_CHUNK = 100
_CHUNK = 1_000


def chunks(archive_id: int, filters: RecordFilters, order: str) -> Iterator[list[int]]:
    """All ids in order, about a hundred first and then about a thousand at a time. Ignores the text of the filters.

    Each chunk is one read that continues after the last chunk's key or day, so nothing stays open between two chunks.
    A record that moves meanwhile may be missing or come twice, but the chunks always end.
    """
    by = filters.order(order)
    if by.leads in ("model", "client"):
        for names in _names(archive_id, filters, by.leads):
            if len(names) == 1:
                yield from chunks(archive_id, filters.narrowed(by.leads, names[0]), "ts_asc")
            elif ids := _ids_of_names(archive_id, filters, by, names):
                yield ids
    elif by.leads == "ts" and filters.go_by_groups:
        yield from _chunks_of_groups(archive_id, filters, by)
    else:
        yield from _chunks_of_index(archive_id, filters, by)


def _names(archive_id: int, filters: RecordFilters, column: str) -> Iterator[list[str]]:
    """All models or clients in order, as many at a time as have the records of a chunk, at least one.

    Thousands of names with a query for each would take a minute.
    """
    size = _FIRST_CHUNK
    names = calls_by(archive_id, filters, column)
    while names:
        calls = number = 0
        while number < len(names) and calls + names[number][1] <= size:
            calls += names[number][1]
            number += 1
        number = max(number, 1)
        yield [name for (name,), _ in names[:number]]
        names, size = names[number:], _CHUNK


def _ids_of_names(archive_id: int, filters: RecordFilters, order: Order, names: list[str]) -> list[int]:
    columns = (order.leads, "day")
    days = Groups(archive_id, filters).calls_by(*columns, among=names)
    return ids_of(rows_of_groups(archive_id, filters, order, columns, [bucket for bucket, _ in days]))


def _chunks_of_index(archive_id: int, filters: RecordFilters, order: Order) -> Iterator[list[int]]:
    rows = walk(archive_id, filters, order, size=_FIRST_CHUNK)
    while rows:
        yield ids_of(rows)
        rows = walk(archive_id, filters, order, after=rows[-1][:-1], size=_CHUNK)


def _chunks_of_groups(archive_id: int, filters: RecordFilters, order: Order) -> Iterator[list[int]]:
    size = _FIRST_CHUNK
    days = calls_by(archive_id, filters, "day", descending=order.descending)
    while days:
        # Enough days for a chunk, at least one.
        of_chunk = touched(days, 0, size)[0]
        days = days[len(of_chunk) :]
        ids = ids_of(rows_of_groups(archive_id, filters, order, ("day",), of_chunk))
        while ids:
            yield ids[:size]
            ids, size = ids[size:], _CHUNK
