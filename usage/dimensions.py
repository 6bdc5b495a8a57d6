"""Sums by model, client, hour of the day and purpose (docs/api.md#dims)."""

from typing import Any

from archive_site.lib.storage.sql import SqlRow, fetch
from usage.filters import PURPOSE, RecordFilters
from usage.record_payloads import average, credits
from usage.rollups import read_sums

DIMS = ("model", "client", "hour")
# What each value of `only` selects; anything else is all of `DIMS`.
SELECTIONS = {**{dim: (dim,) for dim in DIMS}, "purpose": (*DIMS, "purpose")}
_COLUMNS = {"purpose": PURPOSE}


def dims(user_id: int, filters: RecordFilters, only: str = "") -> dict[str, list[dict[str, Any]]]:
    """Names by credits (highest first), then name; all 24 hours in order. `only` is a key of `SELECTIONS`."""
    asked = SELECTIONS.get(only, DIMS)
    return {dim: _hours(user_id, filters) if dim == "hour" else _names(dim, user_id, filters) for dim in asked}


def _names(dim: str, user_id: int, filters: RecordFilters) -> list[dict[str, Any]]:
    name = _COLUMNS.get(dim, dim)
    source, values = read_sums.source(user_id, filters, name)
    rows = fetch(f"SELECT {name}, SUM(credits), SUM(calls), SUM(free) FROM {source} GROUP BY {name}", values)  # noqa: S608 - constant parts, bound values
    return [_item(*row) for row in sorted(rows, key=lambda row: (-row[1], row[0]))]


def _hours(user_id: int, filters: RecordFilters) -> list[dict[str, Any]]:
    found = {int(hour): figures for hour, *figures in _rows_by_hour(user_id, filters)}
    return [_item(f"{hour:02}", *found.get(hour, (0, 0, 0))) for hour in range(24)]


def _rows_by_hour(user_id: int, filters: RecordFilters) -> list[SqlRow]:
    if not filters.names:
        rows, values = read_sums.source_in("usage_dayhour", user_id, filters)
        return fetch(f"SELECT hour, SUM(credits), SUM(calls), SUM(free) FROM {rows} GROUP BY hour", values)  # noqa: S608 - constant parts, bound values
    # No rollup has the hours of a name.
    rows, values = read_sums.source_in("usage_record", user_id, filters)
    free = "SUM(CASE WHEN credits = 0 THEN 1 ELSE 0 END)"
    return fetch(f"SELECT hour, SUM(credits), COUNT(*), {free} FROM {rows} GROUP BY hour", values)  # noqa: S608 - constant parts, bound values


def _item(name: str, spent: int, calls: int, free: int) -> dict[str, Any]:
    return {
        "name": name,
        "credits": credits(int(spent)),
        "calls": int(calls),
        "avg": average(int(spent), int(calls)),
        "free": int(free),
    }
