"""Sums of whole months, so that a read over years reads few rows (docs/decisions/records.md#sums-of-months).

A change of a month's records removes its sums, and its hours in `month_hours`; `fill` computes both again later. Reads
take the days of a month without sums from the daily rollups, so they are right at any time.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import SqlRow, execute_many, fetch
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.storage.write_parts import Parts
from usage import data_version
from usage.filters import PURPOSE, RecordFilters
from usage.record_payloads import json_text
from usage.rollups import month_hours, read_sums
from usage.rollups.many_names import has_many_names
from usage.rollups.whole_months import first_day, last_day, without

T = TypeVar("T")
# Each dimension with its daily rollup and column.
_BY_DAY = {
    "model": ("usage_daymodel", "model"),
    "client": ("usage_dayclient", "client"),
    "hour": ("usage_dayhour", "hour"),
    "purpose": ("usage_daypurpose", PURPOSE),
}
# By dimension: name (or hour), credits in millionths, calls, free calls.
Sums = dict[str, Sequence[Sequence[Any]]]
# With more gaps between the stored months than this, one read of all days costs less.
_MOST_SPANS = 4
# How often a month is counted while its archive changes.
_TRIES = 3

_FORGET = "DELETE FROM usage_monthsums WHERE user_id = %s AND month = %s"
_STORE = "INSERT INTO usage_monthsums (user_id, month, sums, sums_of_purposes) VALUES (%s, %s, %s, %s)"
_KEPT = "SELECT sums, sums_of_purposes FROM usage_monthsums WHERE user_id = %s AND month = %s"
_MONTHS = "SELECT month FROM usage_monthsums WHERE user_id = %s"
_STORED = "SELECT month, {0} FROM usage_monthsums WHERE user_id = %s AND month >= %s AND month <= %s AND {0} <> ''"


def forget(archive_id: int, days: Iterable[str]) -> None:
    """Remove the sums and hours of the months of these days, in the caller's transaction."""
    months = {day[:7] for day in days}
    execute_many(_FORGET, [(archive_id, month) for month in months])
    month_hours.forget(archive_id, months)


def fill(archive_id: int) -> int:
    """Compute the missing sums and hours of an account's past months. Return how many months were missing.

    They are counted without a lock. A month whose archive changes all the while is left to the next time.
    """
    missing = _missing(archive_id)
    for month in missing:
        _fill_month(archive_id, month)
    return len(missing)


def _fill_month(archive_id: int, month: str) -> None:
    found = _unchanged(archive_id, lambda: (_counted(archive_id, month), month_hours.counted(archive_id, month)))
    if not found:
        return
    (sums, hours), state = found
    with Parts(1, most=1).part():
        lock_archive(archive_id)
        # Another process may have summed it.
        if data_version.state(archive_id) == state and month in _missing(archive_id):
            execute_many(_STORE, [(archive_id, month, *sums)])
            month_hours.store(archive_id, month, hours)


def _unchanged(archive_id: int, read: Callable[[], T]) -> tuple[T, list[str]] | None:
    """What several statements read of one state of the archive, and that state; None if it changes all the while."""
    for _ in range(_TRIES):
        before = data_version.state(archive_id)
        found = read()
        if data_version.state(archive_id) == before:
            return found, before
    return None


def fill_all() -> None:
    """Compute the missing sums of all archives."""
    for (archive_id,) in fetch("SELECT DISTINCT user_id FROM usage_daytotal"):
        fill(archive_id)


def repair(archive_id: int) -> int:
    """Remove the sums and hours of the months where they are wrong, each month in a part of its own. Return how many
    months there were."""
    months = {month for (month,) in fetch(_MONTHS, [archive_id])} | month_hours.months(archive_id)
    return sum(_removed_if_wrong(archive_id, month) for month in sorted(months))


def _removed_if_wrong(archive_id: int, month: str) -> bool:
    found = _unchanged(archive_id, lambda: _is_wrong(archive_id, month))
    if not found or not found[0]:
        return False
    with Parts(1, most=1).part():
        lock_archive(archive_id)
        forget(archive_id, [month])
        data_version.raise_version(archive_id)
    return True


def _is_wrong(archive_id: int, month: str) -> bool:
    kept = fetch(_KEPT, [archive_id, month])
    return kept != [tuple(_counted(archive_id, month))] or (
        month_hours.kept(archive_id, month) != month_hours.counted(archive_id, month)
    )


def stored(archive_id: int, filters: RecordFilters) -> tuple[list[Sums], list[Days]]:
    """The sums of the whole months that the filters select, and the spans of days for which there are none.

    There are none by hour under a filter by purpose, and none at all under one by model or client.
    """
    if not filters.names:
        texts, spans = _texts(archive_id, filters.days, "sums")
        return [json.loads(text) for text in texts], spans
    if set(filters.names) != {PURPOSE}:
        return [], [filters.days]
    texts, spans = _texts(archive_id, filters.days, "sums_of_purposes")
    months = [json.loads(text) for text in texts]
    return [month[purpose] for month in months for purpose in filters.names[PURPOSE] if purpose in month], spans


def _texts(archive_id: int, days: Days, column: str) -> tuple[list[str], list[Days]]:
    recorded = read_sums.recorded_days(archive_id) if not days.first or not days.last else days
    first, last = days.first or recorded.first, days.last or recorded.last
    if not first or not last or (last - first).days < 31:
        return [], [days]
    rows = fetch(_STORED.format(column), [archive_id, first.isoformat()[:7], last.isoformat()[:7]])
    found = {month: text for month, text in rows if first <= first_day(month) and last_day(month) <= last}
    spans = list(without(first, last, [(first_day(month), last_day(month)) for month in sorted(found)]))
    return (list(found.values()), spans) if len(spans) <= _MOST_SPANS else ([], [days])


def _missing(archive_id: int) -> list[str]:
    """The months before this one that have records but no sums."""
    kept = {month for (month,) in fetch(_MONTHS, [archive_id])}
    this_month = clock.today().isoformat()[:7]
    return [month for month in read_sums.months(archive_id) if month < this_month and month not in kept]


def _counted(archive_id: int, month: str) -> list[str]:
    """The sums of a month by each dimension, and the same for each purpose alone, as JSON; from the daily rollups.

    Empty texts for a month with too many names: reads take its days.
    """
    if has_many_names(archive_id, month):
        return ["", ""]
    sums = {dim: _of_days(archive_id, month, table, column) for dim, (table, column) in _BY_DAY.items()}
    of_purposes: dict[str, Sums] = {name: {"purpose": [(name, *figures)]} for name, *figures in sums["purpose"]}
    for dim in ("model", "client"):
        rows = _of_days(archive_id, month, "usage_daypurposegroup", f"{PURPOSE}, {dim}")
        for purpose, of_one in groupby(rows, key=itemgetter(0)):
            of_purposes[purpose][dim] = [row[1:] for row in of_one]
    return [json_text(sums), json_text(of_purposes)]


def _of_days(archive_id: int, month: str, table: str, columns: str) -> list[SqlRow]:
    rows = fetch(
        f"SELECT {columns}, SUM(credits), SUM(calls), SUM(free) FROM {table} "  # noqa: S608 - names of a constant
        f"WHERE user_id = %s AND day >= %s AND day <= %s GROUP BY {columns} ORDER BY {columns}",
        [archive_id, f"{month}-01", f"{month}-31"],
    )
    # Other engines return sums of integers as decimals.
    return [(*row[:-3], *map(int, row[-3:])) for row in rows]
