"""The calls whose purpose is not known: the archive has neither their prompt nor their purpose (docs/api.md#dims).

Each day has their sums. Under a filter by model or client: the source leaves both out of old windows, so most of them
are on days without any prompt, which come from the rollup; only of days with some prompts the records, or the sums of
erased ones, are looked up.
"""

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch
from usage.filter_sql import by_name, rows_by_day
from usage.filters import PURPOSE, RecordFilters
from usage.rollups import erased_sums, read_sums

_OF_RECORDS = "SUM(credits), COUNT(*), SUM(CASE WHEN credits = 0 THEN 1 ELSE 0 END)"


def by_day(archive_id: int, filters: RecordFilters, until: str = "") -> dict[str, list[int]]:
    """Their credits in millionths, their number and that of the free ones, by day.

    With `until` (HH:MM), the last day ends with that minute.
    """
    if "" not in filters.names.get(PURPOSE, ("",)):
        return {}
    if not until and filters.names.keys() <= {PURPOSE}:
        return _of_days(archive_id, filters)
    filters = filters.narrowed(PURPOSE, "")
    bare, some = (_days(archive_id, filters, condition) for condition in ("= calls", "BETWEEN 1 AND calls - 1"))
    sums, values = read_sums.source(archive_id, filters, "day", PURPOSE, until=until)
    names, kept = by_name(filters), erased_sums.kept(archive_id, "day")
    cut, end = (" AND ts <= %s", [f"{filters.days.last} {until}:59"]) if until else ("", [])
    erased = erased_sums.among(archive_id, filters, until)
    found = fetch(
        f"SELECT day, SUM(credits), SUM(calls), SUM(free) FROM {sums} AND day IN ({bare[0]}) GROUP BY day UNION ALL "  # noqa: S608 - constant parts, bound values
        # Without the bounds of the span, SQLite looks up these days alone.
        f"SELECT day, {_OF_RECORDS} FROM usage_record {engine.indexed_by('record_without_prompt')} "
        f"WHERE user_id = %s AND day IN ({some[0]} AND {kept.conditions}) AND without_prompt"
        f"{''.join(f' AND {name.conditions}' for name in names)}{cut} GROUP BY day UNION ALL "
        f"SELECT day, SUM(credits), SUM(calls), SUM(free) FROM {erased_sums.TABLE} "
        f"WHERE {erased.conditions} AND day IN ({some[0]}) AND without_prompt GROUP BY day",
        [
            *values,
            *bare[1],
            archive_id,
            *some[1],
            *kept.values,
            *(value for name in names for value in name.values),
            *end,
            *erased.values,
            *some[1],
        ],  # fmt: skip
    )
    return {day: [int(figure) for figure in figures] for day, *figures in found}


def _of_days(archive_id: int, filters: RecordFilters) -> dict[str, list[int]]:
    where = rows_by_day(archive_id, RecordFilters(filters.days))
    found = fetch(
        "SELECT day, unknown_credits, unknown_calls, unknown_free FROM usage_daytotal "  # noqa: S608 - constant parts, bound values
        f"WHERE {where.conditions} AND unknown_calls > 0",
        where.values,
    )
    return {day: [int(figure) for figure in figures] for day, *figures in found}


def total(archive_id: int, filters: RecordFilters, until: str = "") -> list[int]:
    """The same figures of all days."""
    return [sum(column) for column in zip([0, 0, 0], *by_day(archive_id, filters, until).values(), strict=True)]


def _days(archive_id: int, filters: RecordFilters, condition: str) -> tuple[str, list[object]]:
    """The days of the span by how many of their calls have no prompt: SQL, and its values."""
    where = rows_by_day(archive_id, RecordFilters(filters.days))
    return f"SELECT day FROM usage_daytotal WHERE {where.conditions} AND without_prompt {condition}", where.values  # noqa: S608 - constant parts, bound values
