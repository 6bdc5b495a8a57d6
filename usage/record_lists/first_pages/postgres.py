"""On PostgreSQL each query takes half a millisecond to plan and to send, as long as it takes to read a page."""

from collections.abc import Sequence
from typing import Any

from archive_site.lib import clock
from archive_site.lib.storage.sql import fetch, marks
from usage.filter_sql import Where, records_by_time, sorting
from usage.filters import Order, RecordFilters
from usage.record_lists.spans import Part

# The first records of an index that are read: a name may have no calls for years.
_FIRST = 5_000

# The columns of the last of the first records, by the day and what they are first of. They are found again the next
# day: where records came before them, they only lead further than needed.
_ends: dict[tuple[object, ...], tuple[Any, ...]] = {}
_MOST_ENDS = 1_000


def rows_among_first(
    archive_id: int, filters: RecordFilters, order: str, part: Part, columns: Sequence[str], beside: str = ""
) -> list[tuple[Any, ...]] | None:
    """The columns of records `r`, prompts `p` and what is joined beside them, of a full page that ends among the first
    records of an index in the order; None for any other page. Ignores the text of the filters.

    The index is read only as far as the page. Records of other names are passed over within it: to count them as rows
    would take as long as all else.
    """
    by = filters.order(order)
    if by.leads not in ("ts", "credits") or part.offset + part.size > _FIRST:
        return None
    chosen = records_by_time(archive_id, filters)
    until = _until_end_of_first(archive_id, filters, by)
    rows = fetch(
        f"SELECT {', '.join(columns)} FROM (SELECT * FROM usage_record WHERE {chosen.conditions}{until.conditions} "  # noqa: S608 - constant parts, bound values
        f"ORDER BY {sorting(by)} LIMIT %s OFFSET %s) r "
        f"LEFT JOIN usage_prompt p ON p.record_id = r.id {beside} ORDER BY {sorting(by, 'r')}",
        [*chosen.values, *until.values, part.size, part.offset],
    )
    return rows if len(rows) == part.size else None


def _until_end_of_first(archive_id: int, filters: RecordFilters, by: Order) -> Where:
    """The condition that a record is not after the last of the first ones, among those in the index's own bounds."""
    among = RecordFilters(filters.days)
    is_narrower = filters.go_by_groups or filters.tokens_above is not None
    if by.leads == "credits":
        among = RecordFilters(is_free=filters.is_free, credits_above=filters.credits_above)
        is_narrower = is_narrower or filters.days != among.days
    # Otherwise each record that is read is of the page.
    end = _end_of_first(records_by_time(archive_id, among), by) if is_narrower else None
    if not end:
        return Where("", [])
    columns, same = by.columns, ""
    if by.leads == "credits" and end[0] == 0 and (filters.is_free or not by.descending):
        # All of the first ones are free. PostgreSQL reads on to where the first column of a comparison of rows changes.
        columns, same, end = columns[1:], "credits = 0 AND ", end[1:]
    relation = ">=" if by.descending else "<="
    return Where(f" AND {same}({', '.join(columns)}) {relation} ({marks(end)})", [*end])


def _end_of_first(among: Where, by: Order) -> tuple[Any, ...] | None:
    """The columns of the order of the last of the first records; None if there are not as many."""
    key = (clock.today(), by, among.conditions, *among.values)
    # Other threads may clear them at any moment.
    end = _ends.get(key)
    if end is None:
        query = f"SELECT {', '.join(by.columns)} FROM usage_record WHERE {among.conditions} ORDER BY {sorting(by)}"  # noqa: S608 - constant parts, bound values
        rows = fetch(f"{query} LIMIT 1 OFFSET %s", [*among.values, _FIRST - 1])
        if not rows:
            return None
        if len(_ends) >= _MOST_ENDS:
            _ends.clear()
        end = _ends[key] = rows[0]
    return end
