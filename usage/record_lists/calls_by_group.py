"""Counts of calls by day, model or client, to find where a page lies in a list of records."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from archive_site.lib.storage.sql import fetch, marks
from usage.filters import RecordFilters, order_named
from usage.record_lists.list_sums import ListSums, is_of_rollup, parts, summed, totals

Bucket = tuple[str, ...]  # the values of some of a rollup's columns


def count(archive_id: int, filters: RecordFilters) -> int:
    """How many records the filters find, without their text."""
    return totals(archive_id, filters).calls


@dataclass
class Groups:
    """The groups of a list's records, without their text. A list reads them for the place of its page; rows of a rollup
    that have its totals, too, are read once for both."""

    archive_id: int
    filters: RecordFilters
    _totals: ListSums | None = field(default=None, init=False)

    def calls_by(self, *columns: str, descending: bool = False, among: Sequence[str] = ()) -> list[tuple[Bucket, int]]:
        """The calls by these columns, sorted by them, from the coarsest rows that have them. `among` limits the first
        column to these values."""
        whole, less = parts(self.filters)
        calls = self._calls(whole, columns, among)
        if less:
            calls.subtract(self._calls(less, columns, among))
        return sorted(((bucket, number) for bucket, number in calls.items() if number > 0), reverse=descending)

    def totals(self) -> ListSums:
        """The sums of the records."""
        return self._totals or totals(self.archive_id, self.filters)

    def _calls(self, filters: RecordFilters, columns: tuple[str, ...], among: Sequence[str]) -> Counter[Bucket]:
        source = summed(self.archive_id, filters, *columns)
        # Totals of fewer columns may have a smaller rollup.
        is_whole = filters == self.filters and not among and is_of_rollup(filters)
        has_all = is_whole and source == summed(self.archive_id, filters)
        terms = source[:3] if has_all else (source.calls,)
        narrow = f"AND {columns[0]} IN ({marks(among)})" if among else ""
        grouped, sums = ", ".join(columns), ", ".join(f"SUM({term})" for term in terms)
        rows = fetch(
            f"SELECT {grouped}, {sums} FROM {source.rows} {narrow} GROUP BY {grouped}",  # noqa: S608 - constant parts, bound values
            [*source.values, *among],
        )
        width = len(columns)
        if has_all:
            self._totals = ListSums(*(int(sum(row[width + term] for row in rows)) for term in range(3)))
        return Counter({tuple(row[:width]): int(row[width]) for row in rows})


def calls_by(
    archive_id: int, filters: RecordFilters, *columns: str, descending: bool = False
) -> list[tuple[Bucket, int]]:
    """The calls by these columns, as `Groups.calls_by`."""
    return Groups(archive_id, filters).calls_by(*columns, descending=descending)


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


def first_group(archive_id: int, filters: RecordFilters, order: str) -> RecordFilters | None:
    """The filters narrowed to the first model or client of an order by model or client; None for any other order, or
    without records."""
    leads = order_named(order).leads
    names = calls_by(archive_id, filters, leads) if leads in ("model", "client") else []
    return filters.narrowed(leads, names[0][0][0]) if names else None
