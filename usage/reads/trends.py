"""Credits of each name over the time of a span, in few points: for small lines (docs/api.md#dims)."""

from dataclasses import dataclass
from datetime import date

from archive_site.lib.storage.sql import fetch
from usage.amounts.unit_of_archive import unit_of
from usage.filters import RecordFilters
from usage.reads import queries, unknown_purposes
from usage.reads.dimensions import DimSums, column_of
from usage.reads.queries import DayWindow
from usage.rollups import read_sums
from usage.sum_types import Trend

MOST_POINTS = 60
MOST_NAMES = 50


def trends(archive_id: int, filters: RecordFilters, listed: DimSums) -> Trend:
    """By dimension and name, the credits of each point; a point is `days` days, and the last one ends with the window.

    `listed` are the sums by dimension, the names with the most credits first: only these are there, without hours.
    """
    points = _Points(queries.window(archive_id, filters.days))
    lines = {dim: _of_names(archive_id, filters, dim, listed, points) for dim in listed.lists if dim != "hour"}
    return Trend(points.days, **lines)


@dataclass(frozen=True)
class _Points:
    """The points of a window."""

    window: DayWindow

    @property
    def days(self) -> int:
        """The days of a point."""
        return -(-(self.window.length or 0) // MOST_POINTS)

    @property
    def number(self) -> int:
        return -(-(self.window.length or 0) // self.days) if self.days else 0

    def of_day(self, day: str) -> int:
        """The point that a day of the window is in, counted from its end: the first point takes the days left over."""
        last = self.window.last or date.max
        return self.number - 1 - (last - date.fromisoformat(day)).days // self.days


def _of_names(
    archive_id: int, filters: RecordFilters, dim: str, listed: DimSums, points: _Points
) -> dict[str, list[float]]:
    names = [item.name for item in listed.lists[dim][:MOST_NAMES]]
    if not names:
        return {}
    column = column_of(dim)
    rows, values = read_sums.source(archive_id, filters.narrowed(column, tuple(names)), "day", column)
    # In the order of the rollup, as the sums by name: SQLite then needs no sort.
    found = fetch(f"SELECT {column}, day, SUM(credits) FROM {rows} GROUP BY day, {column}", values)  # noqa: S608 - constant parts, bound values
    lines = {name: [0] * points.number for name in names}
    for name, day, spent in found:
        lines[name][points.of_day(day)] += int(spent)
    if listed.unknown and dim == "purpose" and "" in lines:
        for day, (spent, *_) in unknown_purposes.by_day(archive_id, filters).items():
            lines[""][points.of_day(day)] -= spent
    number = unit_of(archive_id).number
    return {name: list(map(number, line)) for name, line in lines.items()}
