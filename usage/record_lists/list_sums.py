"""Sums of exactly the records of a list: from the rollups where they have the filters, else from the records.

Those by day, model or client show where a page lies in the list.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch, marks
from usage.amounts.units import Unit
from usage.filter_sql import records_by_day, records_by_time
from usage.filters import RecordFilters, order_named
from usage.record_payloads import Listed
from usage.record_types import SumsOfList
from usage.rollups import read_sums
from usage.rollups.measured_sums import Measured, in_words

Bucket = tuple[str, ...]  # the values of some of a rollup's columns


class ListSums(NamedTuple):
    """What the records of a list add up to; `credits` is in parts of the archive's unit."""

    calls: int
    credits: int
    free: int

    def payload(self, unit: Unit, beside: Measured | None = None) -> SumsOfList:
        """As the API has them, with the sums of measures if there are any beside."""
        without_amount = beside.without_amount if beside else 0
        free, average = self.free - without_amount, unit.average(self.credits, self.calls - without_amount)
        free_share = round(free / self.calls * 100, 2) if self.calls else None
        more = in_words(unit, self.credits, self.calls, beside)
        return SumsOfList(unit.number(self.credits), average, free, free_share, **more)

    def without(self, others: "ListSums") -> "ListSums":
        """The sums of the records that are not among others, which are all in the list."""
        return ListSums(*(own - other for own, other in zip(self, others, strict=True)))


NO_RECORDS = ListSums(0, 0, 0)


def added(records: Sequence[Listed]) -> ListSums:
    """What these records add up to."""
    spent = [record.credits for record in records]
    return ListSums(len(spent), sum(spent), spent.count(0))


class Summed(NamedTuple):
    """The terms to sum for calls, credits and free calls, and the rows that have them: the SQL after FROM."""

    calls: str
    credits: str
    free: str
    rows: str
    values: list[Any]


def minuend_and_subtrahend(filters: RecordFilters) -> tuple[RecordFilters, RecordFilters | None]:
    """The filters as two whose difference they are; None for those that are summed at once.

    Records with a prompt are all but those without one, which have an index of their own.
    """
    if not filters.has_prompt:
        return filters, None
    return replace(filters, has_prompt=None), replace(filters, has_prompt=False)


def is_of_rollup(filters: RecordFilters, *columns: str) -> bool:
    """Whether `summed` gives rows of a rollup, not those of the records."""
    return not filters.need_records and read_sums.is_in_rollup(filters, *columns)


def summed(archive_id: int, filters: RecordFilters, *columns: str) -> Summed:
    """What to sum for the records that the filters find, without their text, in rows that have these columns.

    The filters are one of `minuend_and_subtrahend` of others.
    """
    if not is_of_rollup(filters, *columns):
        return _of_records(archive_id, filters, columns)
    rows = read_sums.source(archive_id, filters, *columns)
    if filters.is_free is None:
        return Summed("calls", "credits", "free", *rows)
    # Free calls cost nothing: the credits of a row are those of its billed calls.
    return Summed("free", "0", "free", *rows) if filters.is_free else Summed("calls - free", "credits", "0", *rows)


def _of_records(archive_id: int, filters: RecordFilters, columns: Sequence[str]) -> Summed:
    # Without statistics, SQLite takes the index by group and reads all records of the days. For an hour that is right:
    # the index contains it.
    where, index = records_by_day(archive_id, filters), ""
    if filters.has_prompt is False:
        index = engine.indexed_by("record_without_prompt")
    elif not columns and filters.hour is None:
        where, index = records_by_time(archive_id, filters), engine.indexed_by("record_by_credits")
    free = "CASE WHEN credits = 0 THEN 1 ELSE 0 END"
    return Summed("1", "credits", free, f"usage_record {index} WHERE {where.conditions}", where.values)


def totals(archive_id: int, filters: RecordFilters) -> ListSums:
    """The sums of the records that the filters find, without their text."""
    whole, less = minuend_and_subtrahend(filters)
    if less:
        return totals(archive_id, whole).without(totals(archive_id, less))
    terms = summed(archive_id, filters)
    sums = ", ".join(f"COALESCE(SUM({term}), 0)" for term in terms[:3])
    [row] = fetch(f"SELECT {sums} FROM {terms.rows}", terms.values)  # noqa: S608 - constant parts, bound values
    # Other engines return sums of integers as decimals.
    return ListSums(*map(int, row))


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
        whole, less = minuend_and_subtrahend(self.filters)
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
