"""`RecordFilters` and `Order` as SQL, without the text of the filters, which the search handles."""

from typing import Any, NamedTuple

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
    return _where(bounds, filters, table)


def rows_by_day(user_id: int, filters: RecordFilters) -> Where:
    """The account's rows of a rollup, or of the records, that the filters select, by day.

    Both bounds are always given, so that the database uses the index by day.
    """
    first, last = filters.days.first, filters.days.last
    bounds = {
        "user_id = %s": user_id,
        "day >= %s": first.isoformat() if first else _FIRST_DAY,
        "day <= %s": last.isoformat() if last else _LAST_DAY,
    }
    return _where(bounds, filters)


def sorting(order: Order, table: str = "") -> str:
    """The terms of ORDER BY."""
    direction = " DESC" if order.descending else ""
    return ", ".join(f"{_of(table)}{column}{direction}" for column in order.columns)


def _where(bounds: dict[str, Any], filters: RecordFilters, table: str = "") -> Where:
    bounds |= {f"{column} = %s": name for column, name in filters.names.items()}
    return Where(" AND ".join(_of(table) + bound for bound in bounds), [*bounds.values()])


def _of(table: str) -> str:
    return f"{table}." if table else ""
