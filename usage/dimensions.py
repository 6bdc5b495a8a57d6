"""Sums by model, client, hour of the day and purpose (docs/api.md#dims)."""

from typing import Any

from archive_site.lib.storage.sql import fetch
from usage.filters import PURPOSE, RecordFilters
from usage.record_payloads import average, credits
from usage.rollups import read_sums

DIMS = ("model", "client", "hour")
# What each value of `only` selects; anything else is all of `DIMS`.
SELECTIONS = {**{dim: (dim,) for dim in DIMS}, "purpose": (*DIMS, "purpose")}
_COLUMNS = {"purpose": PURPOSE}


def dims(user_id: int, filters: RecordFilters, only: str = "", until: str = "") -> dict[str, list[dict[str, Any]]]:
    """Names by credits (highest first), then name; all 24 hours in order. `only` is a key of `SELECTIONS`.

    With `until` (HH:MM), the last day ends with that minute.
    """
    asked = SELECTIONS.get(only, DIMS)
    return {
        dim: _hours(user_id, filters, until) if dim == "hour" else _names(dim, user_id, filters, until) for dim in asked
    }


def column_of(dim: str) -> str:
    """The column of a dimension, in records and rollups."""
    return _COLUMNS.get(dim, dim)


def _names(dim: str, user_id: int, filters: RecordFilters, until: str) -> list[dict[str, Any]]:
    name = column_of(dim)
    source, values = read_sums.source(user_id, filters, name, until=until)
    rows = fetch(f"SELECT {name}, SUM(credits), SUM(calls), SUM(free) FROM {source} GROUP BY {name}", values)  # noqa: S608 - constant parts, bound values
    return [_item(*row) for row in sorted(rows, key=lambda row: (-row[1], row[0]))]


def _hours(user_id: int, filters: RecordFilters, until: str) -> list[dict[str, Any]]:
    sums, source = read_sums.hours(user_id, filters, until)
    rows = fetch(f"SELECT hour, {sums} FROM {source.rows} GROUP BY hour", source.values)  # noqa: S608 - constant parts, bound values
    found = {int(hour): figures for hour, *figures in rows}
    return [_item(f"{hour:02}", *found.get(hour, (0, 0, 0))) for hour in range(24)]


def _item(name: str, spent: int, calls: int, free: int) -> dict[str, Any]:
    return {
        "name": name,
        "credits": credits(int(spent)),
        "calls": int(calls),
        "avg": average(int(spent), int(calls)),
        "free": int(free),
    }
