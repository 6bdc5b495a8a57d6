"""The two queries over records for pages and chunks: along an index, or by the groups of a rollup."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch, marks
from usage.filter_sql import by_name, by_values, records_by_time, sorting
from usage.filters import PURPOSE, Order, RecordFilters
from usage.record_lists.list_sums import Bucket
from usage.rollups.read_sums import groups_with

Row = tuple[Any, ...]  # the columns of the order, then the record's id

# Without statistics, SQLite would sort a span of days instead of walking along the order's index.
_INDEXES = {"ts": "record_by_time", "credits": "record_by_credits"}


def ids_of(rows: Sequence[Row]) -> list[int]:
    return [row[-1] for row in rows]


def walk(
    archive_id: int, filters: RecordFilters, order: Order, *, after: Row | None = None, offset: int = 0, size: int
) -> list[Row]:
    """Rows along the index of a time or credits order, after a key or a number of entries."""
    if after and order.leads == "ts":
        filters = _with_no_day_before(filters, order)
    beyond = f"({', '.join(order.columns)}) {'<' if order.descending else '>'} ({marks(after)})" if after else ""
    query, values = walking(archive_id, filters, order, beyond, after or ())
    return fetch(f"{query} LIMIT %s OFFSET %s", [*values, size, offset])


def walking(
    archive_id: int, filters: RecordFilters, order: Order, more: str = "", given: Sequence[Any] = ()
) -> tuple[str, list[Any]]:
    """The query for rows along the index of a time or credits order, without LIMIT, and its values.

    `more` is an additional condition, `given` its values.
    """
    where = records_by_time(archive_id, filters)
    # Free calls all cost the same, so the index of credits has them in the order of time, with the names of filters.
    index = engine.indexed_by(_INDEXES["credits" if filters.is_free else order.leads])
    query = (
        f"SELECT {', '.join(order.columns)}, id FROM usage_record {index} "  # noqa: S608 - constant parts, bound values
        f"WHERE {where.conditions}{more and f' AND {more}'} ORDER BY {sorting(order)}"
    )
    return query, [*where.values, *given]


def rows_of_groups(
    archive_id: int, filters: RecordFilters, order: Order, columns: Sequence[str], buckets: Sequence[Bucket]
) -> list[Row]:
    """The rows that the filters select in these buckets of the rollup. Python sorts them: no index has their order.

    CROSS JOIN makes SQLite join in this order: from the buckets to the rollup's groups, then to the records. Without
    statistics, it would read for each group all records above some credits.
    """
    if not buckets:
        return []
    joined = " AND ".join(f"g.{column} = bucket.{column}" for column in columns)
    names, named = filters.names, by_name(filters, "g")
    index = engine.indexed_by("record_by_group")
    same = f"AND r.{PURPOSE} = g.{PURPOSE} " if PURPOSE in names else ""
    rows = fetch(
        f"WITH bucket ({', '.join(columns)}) AS (VALUES {', '.join(f'({marks(bucket)})' for bucket in buckets)}) "  # noqa: S608 - constant parts, bound values
        f"SELECT {', '.join(f'r.{column}' for column in order.columns)}, r.id "
        f"FROM bucket CROSS JOIN {groups_with(names)} g CROSS JOIN usage_record r {index} "
        f"WHERE g.user_id = %s AND {joined} "
        f"{''.join(f'AND {one.conditions} ' for one in named)}{same}"
        "AND r.user_id = %s AND r.day = g.day AND r.model = g.model AND r.client = g.client"
        f"{''.join(f' AND {one.conditions}' for one in by_values(filters, 'r'))}",
        [
            *(value for bucket in buckets for value in bucket),
            archive_id,
            *(value for one in named for value in one.values),
            archive_id,
            *(value for one in by_values(filters, "r") for value in one.values),
        ],
    )
    return sorted(rows, reverse=order.descending)


def _with_no_day_before(filters: RecordFilters, order: Order) -> RecordFilters:
    """The filters without the bound that a key in an order of time already implies.

    SQLite would start at that bound instead of the key, so each chunk would pass all earlier records.
    """
    first, last = filters.days.first, filters.days.last
    return replace(filters, days=Days(first, None) if order.descending else Days(None, last))
