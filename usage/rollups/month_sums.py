"""Sums of whole months, so that a read over years reads few rows (docs/decisions.md#sums-of-months).

A change of a month's records removes its sums; `fill` computes them again later. Reads take the days of a month without
sums from the daily rollups, so they are right at any time.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from django.db import transaction

from archive_site.lib import clock
from archive_site.lib.http.parameters import Days
from archive_site.lib.storage.sql import SqlRow, execute_many, fetch
from usage.filters import PURPOSE, RecordFilters
from usage.record_payloads import json_text
from usage.rollups import read_sums

# Each dimension with its daily rollup and column.
_BY_DAY = {
    "model": ("usage_daymodel", "model"),
    "client": ("usage_dayclient", "client"),
    "hour": ("usage_dayhour", "hour"),
    "purpose": ("usage_daypurpose", PURPOSE),
}
_GROUPS = ("model", "client", PURPOSE)
# By dimension: name (or hour), credits in millionths, calls, free calls.
Sums = dict[str, Sequence[Sequence[Any]]]
# With more gaps between the stored months than this, one read of all days costs less.
_MOST_SPANS = 4

_FORGET = "DELETE FROM usage_monthsums WHERE user_id = %s AND month = %s"
_STORE = "INSERT INTO usage_monthsums (user_id, month, sums, sums_of_groups) VALUES (%s, %s, %s, %s)"
_STORED = "SELECT month, {} FROM usage_monthsums WHERE user_id = %s AND month >= %s AND month <= %s"


def forget(user_id: int, days: Iterable[str]) -> None:
    """Remove the sums of the months of these days, in the caller's transaction."""
    execute_many(_FORGET, [(user_id, month) for month in {day[:7] for day in days}])


def fill(user_id: int) -> int:
    """Compute the missing sums of an account's past months, in one transaction. Return how many were missing."""
    if not _missing(user_id):
        return 0
    with transaction.atomic():
        missing = _missing(user_id)
        execute_many(_STORE, [(user_id, month, *_counted(user_id, month)) for month in missing])
    return len(missing)


def fill_all() -> None:
    """Compute the missing sums of all archives."""
    for (user_id,) in fetch("SELECT DISTINCT user_id FROM usage_daytotal"):
        fill(user_id)


def mend(user_id: int) -> int:
    """Remove the sums that are wrong, in the caller's transaction. Return how many were."""
    kept = fetch("SELECT month, sums, sums_of_groups FROM usage_monthsums WHERE user_id = %s", [user_id])
    wrong = [month for month, *texts in kept if texts != _counted(user_id, month)]
    forget(user_id, wrong)
    return len(wrong)


def stored(user_id: int, filters: RecordFilters) -> tuple[list[Sums], list[Days]]:
    """The sums of the whole months that the filters select, and the spans of days for which there are none.

    Filters with a purpose have no sums by hour here, and those with only a model or client none at all: their daily
    rollups are small.
    """
    if not filters.names:
        texts, spans = _texts(user_id, filters.days, "sums")
        return [json.loads(text) for text in texts], spans
    if PURPOSE not in filters.names:
        return [], [filters.days]
    texts, spans = _texts(user_id, filters.days, "sums_of_groups")
    wanted = [(_GROUPS.index(column), name) for column, name in filters.names.items()]
    rows = [row for text in texts for row in json.loads(text) if all(row[place] == name for place, name in wanted)]
    by_name: Sums = {
        dim: [(row[place], *row[len(_GROUPS) :]) for row in rows]
        for place, dim in enumerate(("model", "client", "purpose"))
    }
    return ([by_name] if texts else []), spans


def _texts(user_id: int, days: Days, column: str) -> tuple[list[str], list[Days]]:
    recorded = read_sums.recorded_days(user_id) if not days.first or not days.last else days
    first, last = days.first or recorded.first, days.last or recorded.last
    if not first or not last or (last - first).days < 31:
        return [], [days]
    rows = fetch(_STORED.format(column), [user_id, first.isoformat()[:7], last.isoformat()[:7]])
    found = {month: text for month, text in rows if first <= _first_day(month) and _last_day(month) <= last}
    spans = list(_without(Days(first, last), sorted(found)))
    return (list(found.values()), spans) if len(spans) <= _MOST_SPANS else ([], [days])


def _without(days: Days, months: list[str]) -> Iterator[Days]:
    """The spans of days that lie in none of these months, which are within `days` and in order."""
    start, last = days.first, days.last
    assert start
    assert last
    for month in months:
        if start < _first_day(month):
            yield Days(start, _first_day(month) - timedelta(days=1))
        start = _last_day(month) + timedelta(days=1)
    if start <= last:
        yield Days(start, last)


def _missing(user_id: int) -> list[str]:
    """The months before this one that have records but no sums."""
    kept = {month for (month,) in fetch("SELECT month FROM usage_monthsums WHERE user_id = %s", [user_id])}
    this_month = clock.today().isoformat()[:7]
    return [month for month in read_sums.months(user_id) if month < this_month and month not in kept]


def _counted(user_id: int, month: str) -> list[str]:
    """The sums of a month by each dimension, and those by group, as JSON; from the daily rollups."""
    sums = {dim: _of_days(user_id, month, table, column) for dim, (table, column) in _BY_DAY.items()}
    return [json_text(sums), json_text(_of_days(user_id, month, "usage_daypurposegroup", ", ".join(_GROUPS)))]


def _of_days(user_id: int, month: str, table: str, columns: str) -> list[SqlRow]:
    rows = fetch(
        f"SELECT {columns}, SUM(credits), SUM(calls), SUM(free) FROM {table} "  # noqa: S608 - names of a constant
        f"WHERE user_id = %s AND day >= %s AND day <= %s GROUP BY {columns} ORDER BY {columns}",
        [user_id, f"{month}-01", f"{month}-31"],
    )
    # Other engines return sums of integers as decimals.
    return [(*row[:-3], *map(int, row[-3:])) for row in rows]


def _first_day(month: str) -> date:
    return date.fromisoformat(f"{month}-01")


def _last_day(month: str) -> date:
    return (_first_day(month) + timedelta(days=31)).replace(day=1) - timedelta(days=1)
