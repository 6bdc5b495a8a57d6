"""Sums over an account's days, always from the rollups (docs/decisions/records.md#reads-cost-days-not-records)."""

from collections.abc import Collection
from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple

from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import fetch, marks
from usage.filter_sql import Where, records_by_time, rows_by_day
from usage.filters import PURPOSE, RecordFilters
from usage.rollups import erased_sums

_COARSE: dict[frozenset[str], str] = {
    frozenset(): "usage_daytotal",
    frozenset({"model"}): "usage_daymodel",
    frozenset({"client"}): "usage_dayclient",
    frozenset({PURPOSE}): "usage_daypurpose",
    frozenset({"hour"}): "usage_dayhour",
    frozenset({"hour", PURPOSE}): "usage_daypurposehour",
}
# The columns of each rollup beside the day and the sums.
_KEYS: dict[str, tuple[str, ...]] = {
    "usage_daytotal": (),
    "usage_daymodel": ("model",),
    "usage_dayclient": ("client",),
    "usage_daypurpose": (PURPOSE,),
    "usage_daygroup": ("model", "client"),
    "usage_daypurposegroup": ("model", "client", PURPOSE),
    "usage_dayhour": ("hour",),
    "usage_daypurposehour": ("hour", PURPOSE),
}
_FREE = "CASE WHEN {}credits = 0 THEN 1 ELSE 0 END"


class Source(NamedTuple):
    """The rows that sums are read from: the SQL after FROM, and its values."""

    rows: str
    values: list[Any]


def source(archive_id: int, filters: RecordFilters, *columns: str, until: str = "") -> Source:
    """The rows of the coarsest rollup that has these columns and those of the filters.

    With `until` (HH:MM), the last day ends with that minute: its rows are those of the records, or, where it was
    erased, of its hours, the last of which is whole.
    """
    named = _named(filters, columns)
    return source_in(_COARSE.get(named) or groups_with(named), archive_id, filters, until)


def is_in_rollup(filters: RecordFilters, *columns: str) -> bool:
    """Whether a rollup has these columns and those of the filters: none has hours by model or client."""
    named = _named(filters, columns)
    return "hour" not in named or named in _COARSE


def _named(filters: RecordFilters, columns: Collection[str]) -> frozenset[str]:
    """The columns beside the day that a rollup needs."""
    of_hour = () if filters.hour is None else ("hour",)
    return frozenset({*columns, *filters.names, *of_hour} - {"day"})


def hours(archive_id: int, filters: RecordFilters, until: str = "") -> Source:
    """The rows that have the hours of the filters, with credits, calls and free calls.

    They are those of an index of the records for filters by model or client: no rollup by day has them. The records are
    looked up group by group, so that those of other names are passed over. Erased days have sums of their own.
    """
    if table := _COARSE.get(frozenset({"hour", *filters.names})):
        return source_in(table, archive_id, filters, until)
    columns = ("day", "model", *(column for column in ("client", PURPOSE) if column in filters.names))
    groups = source(archive_id, filters, *columns)
    chosen, same = ", ".join(columns), " AND ".join(f"r.{column} = g.{column}" for column in columns)
    is_cut, kept = bool(until and filters.days.last), erased_sums.kept(archive_id, "r.day")
    earlier, last = (" AND day < %s", [str(filters.days.last)]) if is_cut else ("", [])
    erased = erased_sums.among(archive_id, filters, until)
    rows = (
        # The database keeps to the order of a CROSS JOIN.
        f"SELECT r.day, r.hour, r.credits, 1 AS calls, {_FREE.format('r.')} AS free "  # noqa: S608 - constant parts, bound values
        f"FROM (SELECT DISTINCT {chosen} FROM {groups.rows}{earlier}) AS g "
        f"CROSS JOIN usage_record r WHERE r.user_id = %s AND {same} AND {kept.conditions} UNION ALL "
        f"SELECT day, hour, credits, calls, free FROM {erased_sums.TABLE} WHERE {erased.conditions}"
    )
    values = [*groups.values, *last, archive_id, *kept.values, *erased.values]
    if is_cut:
        cut = _calls_until(until, archive_id, filters)
        rows += f" UNION ALL SELECT day, hour, credits, 1, {_FREE.format('')} FROM usage_record WHERE {cut.conditions}"  # noqa: S608 - constant parts, bound values
        values += cut.values
    return Source(f"({rows}) AS called", values)


def groups_with(columns: Collection[str]) -> str:
    """The rollup of the groups that have these columns."""
    return "usage_daypurposegroup" if PURPOSE in columns else "usage_daygroup"


def source_in(table: str, archive_id: int, filters: RecordFilters, until: str = "") -> Source:
    """The rows of a rollup that match the days and names of the filters; `until` as in `source`."""
    where, last = rows_by_day(archive_id, filters), filters.days.last
    if not until or not last:
        return Source(f"{table} WHERE {where.conditions}", where.values)
    calls, keys = _calls_until(until, archive_id, filters), ", ".join(("day", *_KEYS[table]))
    erased = erased_sums.among(archive_id, replace(filters, days=Days(last, last)), until)
    return Source(
        f"(SELECT {keys}, credits, calls, free FROM {table} WHERE {where.conditions} AND day < %s UNION ALL "  # noqa: S608 - constant parts, bound values
        f"SELECT {keys}, credits, 1 AS calls, {_FREE.format('')} AS free FROM usage_record WHERE {calls.conditions} "
        f"UNION ALL SELECT {keys}, credits, calls, free FROM {erased_sums.TABLE} WHERE {erased.conditions}) "
        "AS span WHERE 1 = 1",
        [*where.values, str(last), *calls.values, *erased.values],
    )


def _calls_until(until: str, archive_id: int, filters: RecordFilters) -> Where:
    """The records of the last day of the filters up to a minute, unless it was erased."""
    last = filters.days.last
    where = records_by_time(archive_id, replace(filters, days=Days(last, last)), until=until)
    kept = erased_sums.kept(archive_id)
    return Where(f"{where.conditions} AND {kept.conditions}", [*where.values, *kept.values])


def months(archive_id: int) -> list[str]:
    """The months that have records, `YYYY-MM`, oldest first."""
    days = source(archive_id, RecordFilters(), "day")
    found = fetch(f"SELECT DISTINCT SUBSTR(day, 1, 7) FROM {days.rows}", days.values)  # noqa: S608 - constant parts, bound values
    return sorted(month for (month,) in found)


class Recorded(NamedTuple):
    """What an archive has: its first and last day with records as ISO texts, and their number."""

    first: str | None
    last: str | None
    calls: int


NOTHING = Recorded(None, None, 0)


def recorded_by_archive(archive_ids: Collection[int]) -> dict[int, Recorded]:
    """What each of these archives has, except those without records. One query."""
    rows = fetch(
        "SELECT user_id, MIN(day), MAX(day), SUM(calls) FROM usage_daytotal "  # noqa: S608 - placeholders only, bound values
        f"WHERE user_id IN ({marks(archive_ids)}) GROUP BY user_id",
        list(archive_ids),
    )
    return {archive_id: Recorded(first, last, int(calls)) for archive_id, first, last, calls in rows}


def recorded_days(archive_id: int) -> Days:
    """The account's first and last day with records; no bounds without records."""
    # Two lookups at the ends of an index: MIN and MAX in one SELECT would read the whole index.
    end = "(SELECT {}(day) FROM usage_daytotal WHERE user_id = %s)"
    [(first, last)] = fetch(f"SELECT {end.format('MIN')}, {end.format('MAX')}", [archive_id, archive_id])
    return Days(date.fromisoformat(first), date.fromisoformat(last)) if first else Days()
