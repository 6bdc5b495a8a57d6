"""Counts of calls by day, model or client from the rollups, to find where a page lies in a list of records."""

from collections.abc import Sequence

from archive_site.lib.storage.sql import fetch, marks
from usage.filters import RecordFilters, order_named
from usage.rollups import read_sums

Bucket = tuple[str, ...]  # the values of some of a rollup's columns


def count(user_id: int, filters: RecordFilters) -> int:
    """How many records the filters find, without their text."""
    return sum(calls for _, calls in calls_by(user_id, filters, "day"))


def calls_by(
    user_id: int, filters: RecordFilters, *columns: str, descending: bool = False, among: Sequence[str] = ()
) -> list[tuple[Bucket, int]]:
    """The calls by these columns, sorted by them, from the coarsest rollup that has them. `among` limits the first
    column to these values."""
    source = read_sums.source(user_id, filters, *columns)
    narrow = f"AND {columns[0]} IN ({marks(among)})" if among else ""
    grouped = ", ".join(columns)
    rows = fetch(
        f"SELECT {grouped}, SUM(calls) FROM {source.rows} {narrow} GROUP BY {grouped}",  # noqa: S608 - constant parts, bound values
        [*source.values, *among],
    )
    return sorted(((row[:-1], int(row[-1])) for row in rows), reverse=descending)


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
