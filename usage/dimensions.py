"""Sums by model, client, hour of the day and purpose (docs/api.md#dims)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from archive_site.lib.storage.sql import SqlRow, fetch
from usage.filters import PURPOSE, RecordFilters
from usage.record_payloads import average, credits
from usage.rollups import month_hours, month_sums, read_sums

DIMS = ("model", "client", "hour")
# What each value of `only` selects; anything else is all of `DIMS`.
SELECTIONS = {**{dim: (dim,) for dim in DIMS}, "purpose": (*DIMS, "purpose")}
_COLUMNS = {"purpose": PURPOSE}


def dims(user_id: int, filters: RecordFilters, only: str = "", until: str = "") -> dict[str, list[dict[str, Any]]]:
    """Names by credits (highest first), then name; all 24 hours in order. `only` is a key of `SELECTIONS`.

    With `until` (HH:MM), the last day ends with that minute.
    """
    months, spans = ([], [filters.days]) if until else month_sums.stored(user_id, filters)
    answer = {}
    for dim in SELECTIONS.get(only, DIMS):
        whole = [month[dim] for month in months if dim in month]
        rows = [row for month in whole for row in month]
        for span in spans if whole else [filters.days]:
            rows += _by_day(dim, user_id, replace(filters, days=span), until)
        answer[dim] = _hours(_added(rows)) if dim == "hour" else _names(_added(rows))
    return answer


def column_of(dim: str) -> str:
    """The column of a dimension, in records and rollups."""
    return _COLUMNS.get(dim, dim)


def _by_day(dim: str, user_id: int, filters: RecordFilters, until: str) -> list[SqlRow]:
    if dim == "hour":
        return _by_hour(user_id, filters, until)
    name = column_of(dim)
    rows, values = read_sums.source(user_id, filters, name, until=until)
    return fetch(f"SELECT {name}, SUM(credits), SUM(calls), SUM(free) FROM {rows} GROUP BY {name}", values)  # noqa: S608 - constant parts, bound values


def _by_hour(user_id: int, filters: RecordFilters, until: str) -> list[SqlRow]:
    days, spans = month_hours.stored(user_id, filters, until)
    found: list[SqlRow] = list(zip(range(24), *month_hours.added(days.values()), strict=True)) if days else []
    for span in spans:
        of_span = replace(filters, days=span)
        sums, (rows, values) = read_sums.hours(user_id, of_span, until if span.last == filters.days.last else "")
        found += fetch(f"SELECT hour, {sums} FROM {rows} GROUP BY hour", values)  # noqa: S608 - constant parts, bound values
    return found


def _added(rows: Iterable[Sequence[Any]]) -> dict[str | int, list[int]]:
    """The figures by name: credits, calls and free calls."""
    found: dict[str | int, list[int]] = {}
    for name, *figures in rows:
        before = found.setdefault(name, [0, 0, 0])
        found[name] = [kept + int(more) for kept, more in zip(before, figures, strict=True)]
    return found


def _names(found: dict[str | int, list[int]]) -> list[dict[str, Any]]:
    ordered = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))
    return [_item(str(name), *figures) for name, figures in ordered]


def _hours(found: dict[str | int, list[int]]) -> list[dict[str, Any]]:
    return [_item(f"{hour:02}", *found.get(hour, (0, 0, 0))) for hour in range(24)]


def _item(name: str, spent: int, calls: int, free: int) -> dict[str, Any]:
    return {
        "name": name,
        "credits": credits(spent),
        "calls": calls,
        "avg": average(spent, calls),
        "free": free,
    }
