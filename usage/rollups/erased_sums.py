"""The sums of erased days, by all that sums are asked by (docs/decisions/records.md#retention).

What reads take from the records they take of erased days from here: `kept` leaves those records out that are not
erased yet, since their sums are here already.
"""

from archive_site.lib.storage.sql import execute, fetch
from usage.filter_sql import Where, rows_by_day
from usage.filters import RecordFilters
from usage.horizon import CALLS_FROM
from usage.rollups.day_measures import FIGURES, SUMMED

TABLE = "usage_erasedsums"
_KEY = ("day", "hour", "model", "client", "agent_purpose", "without_prompt")
_FILL = f"""
    INSERT INTO {TABLE} (user_id, {", ".join(_KEY)}, credits, calls, free, {", ".join(FIGURES)})
    SELECT r.user_id, {", ".join(f"r.{column}" for column in _KEY)}, SUM(r.credits), COUNT(*),
    SUM(CASE WHEN r.credits = 0 THEN 1 ELSE 0 END), {SUMMED}
    FROM usage_record r LEFT JOIN usage_recordmeasures m ON m.record_id = r.id
    WHERE r.user_id = %s AND r.day >= %s AND r.day < %s
    GROUP BY r.user_id, {", ".join(f"r.{column}" for column in _KEY)}"""  # noqa: S608 - constants
_ROWS = f"SELECT COUNT(*) FROM {TABLE} WHERE user_id = %s AND day >= %s AND day < %s"  # noqa: S608 - constants
# As an expression it chooses no index, which other conditions do better.
KEPT = f"{{}} || '' >= {CALLS_FROM}"


def count_days(archive_id: int, first: str, before: str) -> int:
    """Sum the records of the days from `first` on, and before another one, in the transaction that erases these days;
    gives the number of rows."""
    execute(_FILL, [archive_id, first, before])
    [(rows,)] = fetch(_ROWS, [archive_id, first, before])
    return int(rows)


def kept(archive_id: int, column: str = "ts") -> Where:
    """The condition of records that are not in these sums; `column` is their time or their day, whichever the index has
    that leads to them."""
    return Where(KEPT.format(column), [archive_id])


def among(archive_id: int, filters: RecordFilters, until: str = "") -> Where:
    """The rows that the filters select by days, names and hour. With `until` (HH:MM), the last day ends with the whole
    hour of that minute."""
    where, last = rows_by_day(archive_id, filters), filters.days.last
    if not until or not last:
        return where
    return Where(f"{where.conditions} AND (day < %s OR hour <= %s)", [*where.values, str(last), int(until[:2])])
