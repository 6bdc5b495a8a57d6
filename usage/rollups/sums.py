"""Sums over an account's days, always from the rollups, so that they cost days and not records (design 5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db import connection

from usage.filters import RecordFilters
from usage.record_payloads import credits

By = Literal["day", "model", "client"]
Rows = Sequence[tuple[Any, ...]]

_COARSE: dict[frozenset[str], str] = {
    frozenset(): "usage_daytotal",
    frozenset({"model"}): "usage_daymodel",
    frozenset({"client"}): "usage_dayclient",
}
_FIRST_DAY, _LAST_DAY = "0001-01-01", "9999-12-31"


@dataclass(frozen=True)
class Source:
    """Where sums are read: what stands after FROM, its values, and the column that names the dimension."""

    rows: str
    values: list[Any]
    name: str


@dataclass(frozen=True)
class Figures:
    """Sums over a span of days. `credits` in millionths; `first` and `last` are days that have records."""

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


def source(by: By, user_id: int, filters: RecordFilters) -> Source:
    """The rows of the coarsest rollup that knows what is asked: sums by day, or by day and one dimension."""
    names = {"model": filters.model, "client": filters.client}
    known = {by} - {"day"} | {name for name, value in names.items() if value is not None}
    table = _COARSE.get(frozenset(known), "usage_daygroup")
    rows, values = matching(table, user_id, filters)
    return Source(rows, values, by)


def matching(table: str, user_id: int, filters: RecordFilters) -> tuple[str, list[Any]]:
    """The rows of a table that lie in the filters' days, model and client, as SQL and its values.

    The days are bounded always: that leads the database to the index by day.
    """
    values: list[Any] = [
        user_id,
        filters.days.first.isoformat() if filters.days.first else _FIRST_DAY,
        filters.days.last.isoformat() if filters.days.last else _LAST_DAY,
    ]
    rows = f"{table} WHERE user_id = %s AND day BETWEEN %s AND %s"
    for name, value in (("model", filters.model), ("client", filters.client)):
        if value is not None:
            rows += f" AND {name} = %s"
            values.append(value)
    return rows, values


def figures(user_id: int, filters: RecordFilters) -> Figures:
    """The sums of an account over the filters' days, model and client, in one query."""
    whole, model, client = (source(by, user_id, filters) for by in _DIMENSIONS)
    [row] = fetch(
        f"""SELECT COALESCE(SUM(credits), 0), COALESCE(SUM(calls), 0), COALESCE(SUM(free), 0),
            MIN(day), MAX(day), COUNT(DISTINCT day),
            (SELECT COUNT(DISTINCT {model.name}) FROM {model.rows}),
            (SELECT COUNT(DISTINCT {client.name}) FROM {client.rows}) FROM {whole.rows}""",
        model.values + client.values + whole.values,
    )
    # Other engines give sums of whole numbers as decimals.
    spent, calls, free = (int(value) for value in row[:3])
    return Figures(spent, calls, free, *row[3:])


def months(user_id: int) -> list[str]:
    """The months that have records, `YYYY-MM`, oldest first."""
    whole = source("day", user_id, RecordFilters())
    found = fetch(f"SELECT DISTINCT SUBSTR(day, 1, 7) FROM {whole.rows}", whole.values)
    return sorted(month for (month,) in found)


def fetch(query: str, values: Sequence[Any]) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return list(cursor.fetchall())


_DIMENSIONS: tuple[By, By, By] = ("day", "model", "client")
