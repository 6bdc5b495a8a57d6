"""`RecordFilters` and `Order` as SQL, without the text of the filters, which the search handles."""

from collections.abc import Collection
from typing import Any, NamedTuple

from archive_site.lib.storage.sql import marks
from usage.filters import Order, RecordFilters
from usage.stored_measures import TOKENS, UNKNOWN

_IS_KNOWN = f"NOT EXISTS (SELECT 1 FROM usage_recordmeasures WHERE record_id = {{}} AND provenance = {UNKNOWN})"  # noqa: S608 - a constant
_HAS_TOKENS = f"EXISTS (SELECT 1 FROM usage_recordmeasures WHERE record_id = {{}} AND {' + '.join(TOKENS)} > %s)"  # noqa: S608 - constants
_FIRST_DAY, _LAST_DAY = "0001-01-01", "9999-12-31"


class Where(NamedTuple):
    """Conditions joined by AND, and the values of their placeholders in the same order."""

    conditions: str
    values: list[Any]


def records_by_time(archive_id: int, filters: RecordFilters, table: str = "", until: str = "23:59") -> Where:
    """The archive's records that the filters select, by time: for the indexes that contain `ts`.

    `table` is the name of the records' table in the query, if it needs one. `until` is the last minute of the last day.
    An hour narrows the bounds: of a single day, only its records are read.
    """
    first, last = filters.days.first, filters.days.last
    since, more = "00:00", [*by_name(filters, table), *_by_call(filters, table)]
    if filters.hour is not None:
        hour = f"{filters.hour:02}"
        since, until = f"{hour}:00", f"{hour}:59"
        # These indexes do not contain the column `hour`.
        more.append(Where(f"SUBSTR({_of(table)}ts, 12, 2) = %s", [hour]))
    bounds: dict[str, Any] = {"user_id = %s": archive_id}
    if first:
        bounds["ts >= %s"] = f"{first} {since}:00"
    if last:
        bounds["ts <= %s"] = f"{last} {until}:59"
    return _where(bounds, more, table)


def rows_by_day(archive_id: int, filters: RecordFilters) -> Where:
    """The archive's rows of a rollup, or of the records, that the filters select by days, names and hour."""
    return _by_day(archive_id, filters, [*by_name(filters), *_by_hour(filters)])


def records_by_day(archive_id: int, filters: RecordFilters) -> Where:
    """The archive's records that the filters select, by day: for the indexes that contain `day`."""
    return _by_day(archive_id, filters, [*by_name(filters), *by_values(filters)])


def records_of_ids(archive_id: int, ids: Collection[int], table: str = "") -> Where:
    """Those of these records that are the archive's."""
    # Without the sign SQLite walks all records of an archive rather than look up a hundred by their ids.
    return Where(f"{_of(table)}id IN ({marks(ids)}) AND +{_of(table)}user_id = %s", [*ids, archive_id])


def by_name(filters: RecordFilters, table: str = "") -> list[Where]:
    """A condition for each column that is filtered by name, in records and rollups."""
    return [
        Where(
            f"{_of(table)}{column} = %s" if len(names) == 1 else f"{_of(table)}{column} IN ({marks(names)})", [*names]
        )
        for column, names in filters.names.items()
    ]


def by_values(filters: RecordFilters, table: str = "") -> list[Where]:
    """A condition for each filter of lists but the text, in records."""
    return [*_by_hour(filters, table), *_by_call(filters, table)]


def _by_day(archive_id: int, filters: RecordFilters, more: list[Where]) -> Where:
    """Both bounds are always given, so that the database uses the index by day."""
    first, last = filters.days.first, filters.days.last
    bounds = {
        "user_id = %s": archive_id,
        "day >= %s": first.isoformat() if first else _FIRST_DAY,
        "day <= %s": last.isoformat() if last else _LAST_DAY,
    }
    return _where(bounds, more)


def _by_hour(filters: RecordFilters, table: str = "") -> list[Where]:
    return [] if filters.hour is None else [Where(f"{_of(table)}hour = %s", [filters.hour])]


def _by_call(filters: RecordFilters, table: str = "") -> list[Where]:
    found, record_id = [], f"{_of(table) or 'usage_record.'}id"
    if filters.is_free is not None and filters.tells_unknown:
        # The index of credits leads to the free ones.
        is_known = _IS_KNOWN.format(record_id)
        free = f"{_of(table)}credits = 0 AND {is_known}"
        found.append(Where(free if filters.is_free else f"NOT ({free})", []))
    elif filters.is_free is not None:
        found.append(Where(f"{_of(table)}credits {'=' if filters.is_free else '<>'} 0", []))
    if filters.credits_above is not None:
        found.append(Where(f"{_of(table)}credits > %s", [filters.credits_above]))
    if filters.tokens_above is not None:
        found.append(Where(_HAS_TOKENS.format(record_id), [filters.tokens_above]))
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
