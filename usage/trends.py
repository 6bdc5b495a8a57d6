"""Credits of each name over the time of a span, in few points: for small lines (docs/api.md#dims)."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from archive_site.lib.http.parameters import Days
from archive_site.lib.storage.sql import fetch
from usage import queries
from usage.dimensions import column_of
from usage.filters import RecordFilters
from usage.record_payloads import credits
from usage.rollups import read_sums

MOST_POINTS = 60
MOST_NAMES = 50


def trends(user_id: int, filters: RecordFilters, names: Iterable[str]) -> dict[str, Any]:
    """By dimension and name, the credits of each point; a point is `days` days, and the last one ends with the window.

    Only the names with the most credits are there.
    """
    window = queries.window(user_id, filters.days)
    length = -(-(window.length or 0) // MOST_POINTS)
    places = _places(Days(window.first, window.last), length)
    return {"days": length, **{dim: _of_names(user_id, filters, dim, places) for dim in names}}


def _places(days: Days, length: int) -> dict[str, int]:
    """The point of each day."""
    if not days.first or not days.last:
        return {}
    count = (days.last - days.first).days + 1
    # The first point takes the days that are left over.
    left = -count % length
    return {(days.first + timedelta(days=day)).isoformat(): (day + left) // length for day in range(count)}


def _of_names(user_id: int, filters: RecordFilters, dim: str, places: dict[str, int]) -> dict[str, list[float]]:
    name = column_of(dim)
    rows, values = read_sums.source(user_id, filters, "day", name)
    # In the order of the rollup, as the sums by name: SQLite then needs no sort.
    found = fetch(f"SELECT {name}, day, SUM(credits) FROM {rows} GROUP BY day, {name}", values)  # noqa: S608 - constant parts, bound values
    most = max(places.values(), default=-1) + 1
    points: dict[str, list[int]] = {}
    for one, day, spent in found:
        if day in places:
            points.setdefault(one, [0] * most)[places[day]] += int(spent)
    biggest = sorted(points, key=lambda one: (-sum(points[one]), one))[:MOST_NAMES]
    return {one: [credits(spent) for spent in points[one]] for one in biggest}
