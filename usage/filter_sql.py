"""`RecordFilters` and `Order` as SQL, without the text of the filters, which the search handles."""

from typing import Any, NamedTuple

from archive_site.lib.storage.sql import marks
from usage.filters import Order, RecordFilters

_FIRST_DAY, _LAST_DAY = "0001-01-01", "9999-12-31"


class Where(NamedTuple):
    """Conditions joined by AND, and the values of their placeholders in the same order."""

    conditions: str
    values: list[Any]


def records_by_time(user_id: int, filters: RecordFilters, table: str = "", until: str = "23:59") -> Where:
    """The account's records that the filters select, by time: for the indexes that contain `ts`.

    `table` is the name of the records' table in the query, if it needs one. `until` is the last minute of the last day.
    """
    first, last = filters.days.first, filters.days.last
    bounds: dict[str, Any] = {"user_id = %s": user_id}
    if first:
        bounds["ts >= %s"] = f"{first} 00:00:00"
    if last:
        bounds["ts <= %s"] = f"{last} {until}:59"
    return _where(bounds, [*by_name(filters, table), *by_values(filters, table)], table)


def rows_by_day(user_id: int, filters: RecordFilters) -> Where:
    """The account's rows of a rollup, or of the records, that the filters select by days and names.

    Both bounds are always given, so that the database uses the index by day.
    """
    first, last = filters.days.first, filters.days.last
    bounds = {
        "user_id = %s": user_id,
        "day >= %s": first.isoformat() if first else _FIRST_DAY,
        "day <= %s": last.isoformat() if last else _LAST_DAY,
    }
    return _where(bounds, by_name(filters))


def records_by_day(user_id: int, filters: RecordFilters) -> Where:
    """The account's records that the filters select, by day: for the indexes that contain `day`."""
    rows = rows_by_day(user_id, filters)
    return _joined([rows, *by_values(filters)])


def by_name(filters: RecordFilters, table: str = "") -> list[Where]:
    """A condition for each column that is filtered by name, in records and rollups."""
    return [
        Where(
            f"{_of(table)}{column} = %s" if len(names) == 1 else f"{_of(table)}{column} IN ({marks(names)})", [*names]
        )
        for column, names in filters.names.items()
    ]


def by_values(filters: RecordFilters, table: str = "") -> list[Where]:
    """A condition for each filter that only records have."""
    found = []
    if filters.is_free is not None:
        found.append(Where(f"{_of(table)}credits {'=' if filters.is_free else '<>'} 0", []))
    if filters.credits_above is not None:
        found.append(Where(f"{_of(table)}credits > %s", [filters.credits_above]))
    if filters.has_prompt is not None:
        found.append(Where(f"{'NOT ' if filters.has_prompt else ''}{_of(table)}without_prompt", []))
    return found


def sorting(order: Order, table: str = "") -> str:
    """The terms of ORDER BY."""
    direction = " DESC" if order.descending else ""
    return ", ".join(f"{_of(table)}{column}{direction}" for column in order.columns)


def _where(bounds: dict[str, Any], more: list[Where], table: str = "") -> Where:
    return _joined([*(Where(_of(table) + bound, [value]) for bound, value in bounds.items()), *more])


def _joined(parts: list[Where]) -> Where:
    return Where(" AND ".join(part.conditions for part in parts), [value for part in parts for value in part.values])


def _of(table: str) -> str:
    return f"{table}." if table else ""
