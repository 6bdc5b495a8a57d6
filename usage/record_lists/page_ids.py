"""The ids of one page of records, in any order.

The rollups have the number of calls by day, model and client. They give the place of a page in the list, so only the
records around it are read, never all that come before. The rollup may be read a moment before the records: then the
page is off by the records that were added in between.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import fetch
from usage.filters import Order, RecordFilters
from usage.record_lists.list_sums import Groups, touched
from usage.record_lists.row_queries import Row, ids_of, rows_of_groups, walk, walking

# Skipping up to this many entries of an index is faster than a query over the rollup.
_NEAR = 5_000
# Sorting up to this many records is faster than finding them along the index of credits.
_FEW = 2_000


def page(archive_id: int, filters: RecordFilters, order: str, offset: int, size: int) -> list[int]:
    """The ids of the records of one page, in order; fewer than `size` at the end, none beyond it.

    `order` is one of `ORDERS`; anything else is newest first. Ignores the text of the filters.
    """
    return page_among(Groups(archive_id, filters), order, offset, size)


def page_among(groups: Groups, order: str, offset: int, size: int) -> list[int]:
    """As `page`, of the list that has these groups."""
    by = groups.filters.order(order)
    if by.leads == "credits":
        rows = _page_by_credits(groups, by, offset, size)
    elif by.leads == "ts" and not groups.filters.go_by_groups:
        rows = _page_by_time(groups, by, offset, size)
    else:
        rows = _page_of_groups(groups, by, offset, size)
    return ids_of(rows)


def top(archive_id: int, filters: RecordFilters, n: int) -> list[int]:
    """The ids of the `n` most expensive records; newer ones first among equals."""
    return page(archive_id, filters, "credits_desc", 0, n)


def _page_by_time(groups: Groups, order: Order, offset: int, size: int) -> list[Row]:
    archive_id, filters = groups.archive_id, groups.filters
    if offset > _NEAR:
        days = groups.calls_by("day", descending=order.descending)
        buckets, offset = touched(days, offset, size)
        if not buckets:
            return []
        filters = _beginning(filters, date.fromisoformat(buckets[0][0]), order)
    return walk(archive_id, filters, order, offset=offset, size=size)


def _page_by_credits(groups: Groups, order: Order, offset: int, size: int) -> list[Row]:
    archive_id, filters = groups.archive_id, groups.filters
    if offset <= _NEAR and filters.days == Days() and not filters.go_by_groups:
        return walk(archive_id, filters, order, offset=offset, size=size)
    days = groups.calls_by("day")
    total = sum(calls for _, calls in days)
    if offset >= total:
        return []
    if total <= _FEW:
        buckets = [day for day, _ in days]
        return rows_of_groups(archive_id, filters, order, ("day",), buckets)[offset : offset + size]
    size = min(size, total - offset)
    from_the_end = total - offset - size
    if offset <= from_the_end:
        return _walk_by_credits(archive_id, filters, order, offset, size)
    return _walk_by_credits(archive_id, filters, order.turned(), from_the_end, size)[::-1]


def _walk_by_credits(archive_id: int, filters: RecordFilters, order: Order, offset: int, size: int) -> list[Row]:
    """Rows along the index of credits, where records of equal credits are sorted by time.

    The first part of the query reads the records that have the order's first value of credits, where the index leads
    directly to the days. Many calls are free: otherwise one quarter's would come after those of all quarters before.
    """
    if offset > _NEAR or filters.days == Days():
        return walk(archive_id, filters, order, offset=offset, size=size)
    end, beyond = ("MAX", "<") if order.descending else ("MIN", ">")
    extreme = f"(SELECT {end}(credits) FROM usage_record WHERE user_id = %s)"  # noqa: S608 - constant parts, bound values
    parts = [
        walking(archive_id, filters, order, f"credits {relation} {extreme}", [archive_id]) for relation in ("=", beyond)
    ]
    limited = " UNION ALL ".join(f"SELECT * FROM ({query} LIMIT %s) part" for query, _ in parts)  # noqa: S608 - constant parts, bound values
    given = [value for _, values in parts for value in (*values, offset + size)]
    return fetch(f"{limited} LIMIT %s OFFSET %s", [*given, size, offset])


def _page_of_groups(groups: Groups, order: Order, offset: int, size: int) -> list[Row]:
    archive_id, filters = groups.archive_id, groups.filters
    columns: tuple[str, ...] = ("day",)
    among: Sequence[str] = ()
    if order.leads != "ts":
        columns = (order.leads, "day")
    if order.leads != "ts" and filters.purpose is None:
        # Find the models (or clients) first, then only their days: ten years of all models are many rows. The rollup
        # with purposes is so large that it is read once.
        names, offset = touched(groups.calls_by(order.leads), offset, size)
        if not names:
            return []
        among = [name for (name,) in names]
    days = groups.calls_by(*columns, descending=order.descending, among=among)
    buckets, skipped = touched(days, offset, size)
    return rows_of_groups(archive_id, filters, order, columns, buckets)[skipped : skipped + size]


def _beginning(filters: RecordFilters, day: date, order: Order) -> RecordFilters:
    """The filters without the days that come before this one in the order."""
    first, last = filters.days.first, filters.days.last
    return replace(filters, days=Days(first, day) if order.descending else Days(day, last))
