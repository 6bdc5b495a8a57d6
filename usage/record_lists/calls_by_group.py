"""Counts of calls by day, model or client, to find where a page lies in a list of records."""

from collections import Counter
from collections.abc import Sequence

from archive_site.lib.storage.sql import fetch, marks
from usage.filters import RecordFilters, order_named
from usage.record_lists.list_sums import parts, summed, totals

Bucket = tuple[str, ...]  # the values of some of a rollup's columns


def count(user_id: int, filters: RecordFilters) -> int:
    """How many records the filters find, without their text."""
    return totals(user_id, filters).calls


def calls_by(
    user_id: int, filters: RecordFilters, *columns: str, descending: bool = False, among: Sequence[str] = ()
) -> list[tuple[Bucket, int]]:
    """The calls by these columns, sorted by them, from the coarsest rows that have them. `among` limits the first
    column to these values."""
    whole, less = parts(filters)
    calls = _calls(user_id, whole, columns, among)
    if less:
        calls.subtract(_calls(user_id, less, columns, among))
    return sorted(((bucket, number) for bucket, number in calls.items() if number > 0), reverse=descending)


def _calls(user_id: int, filters: RecordFilters, columns: tuple[str, ...], among: Sequence[str]) -> Counter[Bucket]:
    source = summed(user_id, filters, *columns)
    narrow = f"AND {columns[0]} IN ({marks(among)})" if among else ""
    grouped = ", ".join(columns)
    rows = fetch(
        f"SELECT {grouped}, SUM({source.calls}) FROM {source.rows} {narrow} GROUP BY {grouped}",  # noqa: S608 - constant parts, bound values
        [*source.values, *among],
    )
    return Counter({row[:-1]: int(row[-1]) for row in rows})


def touched(buckets: Sequence[tuple[Bucket, int]], offset: int, size: int) -> tuple[list[Bucket], int]:
    """The buckets in which a page lies, and how many calls of the first bucket come before the page."""
    touched: list[Bucket] = []
    before = skipped = 0
    for bucket, calls in buckets:
        if before >= offset + size:
            break
        if before + calls > offset:
            skipped = skipped if touched else offset - before
            touched.append(bucket)
        before += calls
    return touched, skipped


def first_group(user_id: int, filters: RecordFilters, order: str) -> RecordFilters | None:
    """The filters narrowed to the first model or client of an order by model or client; None for any other order, or
    without records."""
    leads = order_named(order).leads
    names = calls_by(user_id, filters, leads) if leads in ("model", "client") else []
    return filters.narrowed(leads, names[0][0][0]) if names else None
