"""Sums over an account's days, always from the rollups (docs/decisions.md#reads-cost-days-not-records)."""

from collections.abc import Collection
from datetime import date
from typing import Any, NamedTuple

from archive_site.lib.http.parameters import Days
from archive_site.lib.storage.sql import fetch
from usage.filter_sql import rows_by_day
from usage.filters import PURPOSE, RecordFilters

_COARSE: dict[frozenset[str], str] = {
    frozenset(): "usage_daytotal",
    frozenset({"model"}): "usage_daymodel",
    frozenset({"client"}): "usage_dayclient",
    frozenset({PURPOSE}): "usage_daypurpose",
}


# The hours of a filter by name are in a rollup only for these filters.
_HOURS: dict[frozenset[str], str] = {frozenset(): "usage_dayhour", frozenset({PURPOSE}): "usage_daypurposehour"}
_OF_ROLLUP = "SUM(credits), SUM(calls), SUM(free)"
_OF_RECORDS = "SUM(credits), COUNT(*), SUM(CASE WHEN credits = 0 THEN 1 ELSE 0 END)"


class Source(NamedTuple):
    """The rows that sums are read from: the SQL after FROM, and its values."""

    rows: str
    values: list[Any]


def source(user_id: int, filters: RecordFilters, *columns: str) -> Source:
    """The rows of the coarsest rollup that has these columns and those of the filters."""
    named = frozenset({*columns, *filters.names} - {"day"})
    return source_in(_COARSE.get(named) or groups_with(named), user_id, filters)


def hours(user_id: int, filters: RecordFilters) -> tuple[str, Source]:
    """The columns of credits, calls and free calls, and the rows that have the hours of the filters.

    They are those of an index of the records for filters by model or client: no rollup has their hours. The records are
    looked up group by group, so that those of other names are passed over.
    """
    if table := _HOURS.get(frozenset(filters.names)):
        return _OF_ROLLUP, source_in(table, user_id, filters)
    columns = ("day", "model", *(column for column in ("client", PURPOSE) if column in filters.names))
    groups = source(user_id, filters, *columns)
    chosen, same = ", ".join(columns), " AND ".join(f"r.{column} = g.{column}" for column in columns)
    rows = (
        # The database keeps to the order of a CROSS JOIN.
        f"(SELECT r.day, r.hour, r.credits FROM (SELECT DISTINCT {chosen} FROM {groups.rows}) AS g "  # noqa: S608 - constant parts, bound values
        f"CROSS JOIN usage_record r WHERE r.user_id = %s AND {same}) AS called"
    )
    return _OF_RECORDS, Source(rows, [*groups.values, user_id])


def groups_with(columns: Collection[str]) -> str:
    """The rollup of the groups that have these columns."""
    return "usage_daypurposegroup" if PURPOSE in columns else "usage_daygroup"


def source_in(table: str, user_id: int, filters: RecordFilters) -> Source:
    """The rows of a table that match the days and names of the filters."""
    where = rows_by_day(user_id, filters)
    return Source(f"{table} WHERE {where.conditions}", where.values)


def months(user_id: int) -> list[str]:
    """The months that have records, `YYYY-MM`, oldest first."""
    days = source(user_id, RecordFilters(), "day")
    found = fetch(f"SELECT DISTINCT SUBSTR(day, 1, 7) FROM {days.rows}", days.values)  # noqa: S608 - constant parts, bound values
    return sorted(month for (month,) in found)


def recorded_days(user_id: int) -> Days:
    """The account's first and last day with records; no bounds without records."""
    # Two lookups at the ends of an index: MIN and MAX in one SELECT would read the whole index.
    end = "(SELECT {}(day) FROM usage_daytotal WHERE user_id = %s)"
    [(first, last)] = fetch(f"SELECT {end.format('MIN')}, {end.format('MAX')}", [user_id, user_id])
    return Days(date.fromisoformat(first), date.fromisoformat(last)) if first else Days()
