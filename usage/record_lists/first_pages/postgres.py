"""On PostgreSQL each query takes half a millisecond to plan and to send, as long as it takes to read a page."""

from collections.abc import Sequence
from typing import Any

from archive_site.lib.http.parameters import Paging
from archive_site.lib.storage.sql import fetch
from usage.filter_sql import records_by_time, sorting
from usage.filters import RecordFilters
from usage.record_lists.row_queries import order_among

# The first records of an index that are read: a name may have no calls for years.
_FIRST = 5_000
# What the index of credits contains. Its records lie all over the table, those of a time beside each other.
_BY_CREDITS = "user_id, credits, ts, request_id, model, client"
_NOT_BY_CREDITS = ("purpose", "has_prompt")


def rows_among_first(
    user_id: int, filters: RecordFilters, order: str, paging: Paging, columns: Sequence[str]
) -> list[tuple[Any, ...]] | None:
    """The columns of records `r` and prompts `p` of a full page that ends among the first records of an index in the
    order; None for any other page. Ignores the text of the filters.

    The index is read only as far as the page.
    """
    by = order_among(filters, order)
    if by.leads not in ("ts", "credits") or paging.offset + paging.size > _FIRST:
        return None
    read, found, record = RecordFilters(filters.days), "*", ""
    if by.leads == "credits":
        read = RecordFilters(is_free=filters.is_free, credits_above=filters.credits_above)
        if all(getattr(filters, name) is None for name in _NOT_BY_CREDITS):
            found, record = _BY_CREDITS, "JOIN usage_record r ON r.user_id = t.user_id AND r.request_id = t.request_id"
    among, chosen = records_by_time(user_id, read), records_by_time(user_id, filters, "s")
    first = f"SELECT {found} FROM usage_record WHERE {among.conditions} ORDER BY {sorting(by)} LIMIT %s"  # noqa: S608 - constant parts, bound values
    page = f"SELECT * FROM ({first}) s WHERE {chosen.conditions} ORDER BY {sorting(by, 's')} LIMIT %s OFFSET %s"  # noqa: S608 - constant parts, bound values
    name = "t" if record else "r"
    rows = fetch(
        f"SELECT {', '.join(columns)} FROM ({page}) {name} {record} "  # noqa: S608 - constant parts, bound values
        f"LEFT JOIN usage_prompt p ON p.record_id = r.id ORDER BY {sorting(by, name)}",
        [*among.values, _FIRST, *chosen.values, paging.size, paging.offset],
    )
    return rows if len(rows) == paging.size else None
