"""Sums by model, client, hour of the day and purpose (docs/api.md#dims)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from archive_site.lib.storage.sql import SqlRow, fetch
from usage.filters import PURPOSE, RecordFilters
from usage.record_payloads import average, credits
from usage.rollups import month_sums, read_sums

DIMS = ("model", "client", "hour")
# What each value of `only` selects; anything else is all of `DIMS`.
SELECTIONS = {**{dim: (dim,) for dim in DIMS}, "purpose": (*DIMS, "purpose")}
_COLUMNS = {"purpose": PURPOSE}


def dims(user_id: int, filters: RecordFilters, only: str = "") -> dict[str, list[dict[str, Any]]]:
    """Names by credits (highest first), then name; all 24 hours in order. `only` is a key of `SELECTIONS`."""
    months, spans = month_sums.stored(user_id, filters)
    answer = {}
    for dim in SELECTIONS.get(only, DIMS):
        whole = [month[dim] for month in months if dim in month]
        rows = [row for month in whole for row in month]
        for span in spans if whole else [filters.days]:
            rows += _by_day(dim, user_id, replace(filters, days=span))
        answer[dim] = _hours(_added(rows)) if dim == "hour" else _names(_added(rows))
    return answer


def _by_day(dim: str, user_id: int, filters: RecordFilters) -> list[SqlRow]:
    name = _COLUMNS.get(dim, dim)
    if dim == "hour":
        sums, source = read_sums.hours(user_id, filters)
    else:
        sums, source = "SUM(credits), SUM(calls), SUM(free)", read_sums.source(user_id, filters, name)
    return fetch(f"SELECT {name}, {sums} FROM {source.rows} GROUP BY {name}", source.values)  # noqa: S608 - constant parts, bound values


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
