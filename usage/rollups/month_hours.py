"""The hours of each model and client in whole months (docs/decisions/records.md#hours-of-a-model).

They exist beside the sums of the month in `month_sums`, which computes and removes both. No daily rollup has them: the
hours of other days come from the records.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta

from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import execute_many, fetch, marks
from usage.filters import PURPOSE, RecordFilters
from usage.record_payloads import json_text
from usage.rollups import erased_sums
from usage.rollups.many_names import has_many_names
from usage.rollups.whole_months import first_day, last_day, without

# Credits in millionths, calls and free calls of a day, each by hour.
Hours = list[list[int]]
# Dimension, name, and the hours by day as JSON.
Row = tuple[str, str, str]

_DIMENSIONS = ("model", "client")
_FORGET = "DELETE FROM usage_monthhours WHERE user_id = %s AND month = %s"
_STORE = "INSERT INTO usage_monthhours (user_id, month, dimension, name, days) VALUES (%s, %s, %s, %s, %s)"
_KEPT = "SELECT dimension, name, days FROM usage_monthhours WHERE user_id = %s AND month = %s"
_MONTHS = "SELECT DISTINCT month FROM usage_monthhours WHERE user_id = %s"
_WITHIN = "user_id = %s AND day >= %s AND day <= %s"
_COUNT = f"""
    SELECT {{0}}, day, hour, SUM(credits), COUNT(*), SUM(CASE WHEN credits = 0 THEN 1 ELSE 0 END) FROM usage_record
    WHERE {_WITHIN} AND {erased_sums.KEPT.format("day")} GROUP BY day, {{0}}, hour ORDER BY day"""  # noqa: S608 - constants
_COUNT_ERASED = f"""
    SELECT {{0}}, day, hour, SUM(credits), SUM(calls), SUM(free) FROM {erased_sums.TABLE}
    WHERE {_WITHIN} GROUP BY day, {{0}}, hour ORDER BY day"""  # noqa: S608 - constants
# A month that is summed has no row for a name without calls.
_STORED = """
    SELECT summed.month, named.days FROM usage_monthsums summed LEFT JOIN usage_monthhours named
    ON named.user_id = summed.user_id AND named.month = summed.month AND named.dimension = %s AND named.name IN ({})
    WHERE summed.user_id = %s AND summed.month >= %s AND summed.month <= %s AND summed.sums <> ''"""


def forget(archive_id: int, months: Iterable[str]) -> None:
    """Remove the hours of these months, in the caller's transaction."""
    execute_many(_FORGET, [(archive_id, month) for month in months])


def store(archive_id: int, month: str, rows: Iterable[Row]) -> None:
    """Store the hours of a month, as they were counted, in the caller's transaction."""
    forget(archive_id, [month])
    execute_many(_STORE, [(archive_id, month, *row) for row in rows])


def months(archive_id: int) -> set[str]:
    """The months that have rows."""
    return {month for (month,) in fetch(_MONTHS, [archive_id])}


def kept(archive_id: int, month: str) -> list[Row]:
    """The stored rows of a month."""
    return sorted((dimension, name, days) for dimension, name, days in fetch(_KEPT, [archive_id, month]))


def counted(archive_id: int, month: str) -> list[Row]:
    """The rows of a month, computed from the records and the sums of erased days; none if it has too many names."""
    if has_many_names(archive_id, month):
        return []
    return sorted(
        (dimension, name, json_text(days))
        for dimension in _DIMENSIONS
        for name, days in _of_records(archive_id, month, dimension).items()
    )


def stored(archive_id: int, filters: RecordFilters, until: str = "") -> tuple[dict[str, Hours], list[Days]]:
    """The hours by day of the stored months, and the spans of days that are in none.

    All days are in none unless the filters are by model alone or by client alone. With `until`, the last day is not
    whole and in none either.
    """
    first, last = filters.days.first or date.min, filters.days.last or date.max
    if len(filters.names) != 1 or PURPOSE in filters.names or (until and first == last):
        return {}, [filters.days]
    end = last - timedelta(days=1) if until else last
    [(dimension, names)] = filters.names.items()
    rows = fetch(_STORED.format(marks(names)), [dimension, *names, archive_id, str(first)[:7], str(end)[:7]])
    covered = [(max(first, first_day(month)), min(end, last_day(month))) for month in sorted({row[0] for row in rows})]
    return _by_day([text for _, text in rows if text], str(first), str(end)), list(without(first, last, covered))


def _by_day(texts: Iterable[str], first: str, last: str) -> dict[str, Hours]:
    """The hours of all these rows by day; those of several names are added."""
    found: dict[str, Hours] = {}
    for text in texts:
        for day, hours in json.loads(text).items():
            if first <= day <= last:
                found[day] = added([found[day], hours]) if day in found else hours
    return found


def added(several: Iterable[Hours]) -> Hours:
    """The sums of the hours of several names or days."""
    return [[sum(values) for values in zip(*figure, strict=True)] for figure in zip(*several, strict=True)]


def _of_records(archive_id: int, month: str, dimension: str) -> dict[str, dict[str, Hours]]:
    """The hours of a month by name and day, the days in order: erased ones come before all others."""
    found: dict[str, dict[str, Hours]] = defaultdict(lambda: defaultdict(lambda: [[0] * 24 for _ in range(3)]))
    within = [archive_id, f"{month}-01", f"{month}-31"]
    erased = fetch(_COUNT_ERASED.format(dimension), within)
    for name, day, hour, *figures in erased + fetch(_COUNT.format(dimension), [*within, archive_id]):
        for of_day, value in zip(found[name][day], figures, strict=True):
            # Other engines return sums of integers as decimals.
            of_day[hour] = int(value)
    return found
