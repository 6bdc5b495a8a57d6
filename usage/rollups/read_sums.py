"""Sums over an account's days, always from the rollups (docs/decisions.md#reads-cost-days-not-records)."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NamedTuple

from archive_site.lib.http.parameters import Days
from archive_site.lib.storage.sql import fetch
from usage.filter_sql import records_by_time, rows_by_day
from usage.filters import PURPOSE, RecordFilters
from usage.record_payloads import credits

_COARSE: dict[frozenset[str], str] = {
    frozenset(): "usage_daytotal",
    frozenset({"model"}): "usage_daymodel",
    frozenset({"client"}): "usage_dayclient",
    frozenset({PURPOSE}): "usage_daypurpose",
}


# The hours of a filter by name are in a rollup only for these filters.
_HOURS: dict[frozenset[str], str] = {frozenset(): "usage_dayhour", frozenset({PURPOSE}): "usage_daypurposehour"}
# The columns of each table beside the day, for sums that end at a time of their last day.
_KEYS: dict[str, tuple[str, ...]] = {
    "usage_daytotal": (),
    "usage_daymodel": ("model",),
    "usage_dayclient": ("client",),
    "usage_daypurpose": (PURPOSE,),
    "usage_daygroup": ("model", "client"),
    "usage_daypurposegroup": ("model", "client", PURPOSE),
    "usage_dayhour": ("hour",),
    "usage_daypurposehour": ("hour", PURPOSE),
    "usage_record": ("hour",),
}
_OF_ROLLUP = "SUM(credits), SUM(calls), SUM(free)"
_OF_RECORDS = "SUM(credits), COUNT(*), SUM(CASE WHEN credits = 0 THEN 1 ELSE 0 END)"
# The columns of a rollup, and of a record as a row of it.
_SUMS_OF_UNION = (", calls, free", ", 1 AS calls, CASE WHEN credits = 0 THEN 1 ELSE 0 END AS free")


class Source(NamedTuple):
    """The rows that sums are read from: the SQL after FROM, and its values."""

    rows: str
    values: list[Any]


@dataclass(frozen=True)
class Figures:
    """Sums over a span of days. `credits` is in millionths; `first` and `last` are days that have records."""

    credits: int = 0
    calls: int = 0
    free: int = 0
    first: str | None = None
    last: str | None = None
    days: int = 0
    models: int = 0
    clients: int = 0

    def totals(self) -> dict[str, Any]:
        return {
            "credits": credits(self.credits),
            "calls": self.calls,
            "free": self.free,
            "paid": self.calls - self.free,
            "models": self.models,
            "clients": self.clients,
        }


def source(user_id: int, filters: RecordFilters, *columns: str, until: str = "") -> Source:
    """The rows of the coarsest rollup that has these columns and those of the filters.

    With `until` (HH:MM), the last day ends with that minute: its rows are those of the records.
    """
    named = frozenset({*columns, *filters.names} - {"day"})
    return source_in(_COARSE.get(named) or groups_with(named), user_id, filters, until)


def hours(user_id: int, filters: RecordFilters, until: str = "") -> tuple[str, Source]:
    """The columns of credits, calls and free calls, and the rows that have the hours of the filters.

    They are those of an index of the records for filters by model or client: no rollup has their hours.
    """
    table = _HOURS.get(frozenset(filters.names), "usage_record")
    return _OF_RECORDS if table == "usage_record" else _OF_ROLLUP, source_in(table, user_id, filters, until)


def groups_with(columns: Collection[str]) -> str:
    """The rollup of the groups that have these columns."""
    return "usage_daypurposegroup" if PURPOSE in columns else "usage_daygroup"


def source_in(table: str, user_id: int, filters: RecordFilters, until: str = "") -> Source:
    """The rows of a table that match the days and names of the filters."""
    if until and filters.days.last:
        return _ending_at(until, table, user_id, filters)
    where = rows_by_day(user_id, filters)
    return Source(f"{table} WHERE {where.conditions}", where.values)


def _ending_at(until: str, table: str, user_id: int, filters: RecordFilters) -> Source:
    """The rows of whole days from the table, and the calls of the last day up to a minute from the records."""
    last = filters.days.last
    days = rows_by_day(user_id, filters)
    calls = records_by_time(user_id, replace(filters, days=Days(last, last)), until=until)
    keys = ", ".join(("day", *_KEYS[table], "credits"))
    of_days, of_calls = ("", "") if table == "usage_record" else _SUMS_OF_UNION
    return Source(
        f"(SELECT {keys}{of_days} FROM {table} WHERE {days.conditions} AND day < %s UNION ALL "  # noqa: S608 - constant parts, bound values
        f"SELECT {keys}{of_calls} FROM usage_record WHERE {calls.conditions}) AS span WHERE 1 = 1",
        [*days.values, str(last), *calls.values],
    )


def figures(user_id: int, filters: RecordFilters, until: str = "") -> Figures:
    """The sums of an account for the days and names of the filters, in one query."""
    whole = source(user_id, filters, "day", until=until)
    models, clients = (source(user_id, filters, name, until=until) for name in ("model", "client"))
    [row] = fetch(
        f"""SELECT COALESCE(SUM(credits), 0), COALESCE(SUM(calls), 0), COALESCE(SUM(free), 0),
            MIN(day), MAX(day), COUNT(DISTINCT day),
            (SELECT COUNT(DISTINCT model) FROM {models.rows}),
            (SELECT COUNT(DISTINCT client) FROM {clients.rows}) FROM {whole.rows}""",  # noqa: S608 - constant parts, bound values
        models.values + clients.values + whole.values,
    )
    # Other engines return sums of integers as decimals.
    spent, calls, free = (int(value) for value in row[:3])
    return Figures(spent, calls, free, *row[3:])


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
