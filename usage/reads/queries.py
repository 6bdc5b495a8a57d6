"""The queries of an archive, one function per question. Sums read the rollups, lists read the records."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Sum

from accounts import archives
from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import fetch
from usage import horizon
from usage.filters import RecordFilters
from usage.models import DayTotal, ErasedSums, Record
from usage.record_lists import export_chunks, list_sums
from usage.record_lists.list_sums import NO_RECORDS, ListSums
from usage.rollups import measured_sums, read_sums
from usage.rollups.measured_sums import Measured
from usage.search import plan as search
from usage.sum_types import Window

_WITHOUT_PROMPTS = """
    SELECT r.day, COUNT(*) FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id
    WHERE r.user_id = %s AND r.ts >= %s AND (p.record_id IS NULL OR (r.prompt_truncated AND LENGTH(p.text) < %s))
    GROUP BY r.day ORDER BY r.day"""


@dataclass(frozen=True)
class DayWindow:
    """The days that an answer covers: the requested days; the archive's first or last day for a missing bound; none
    for an empty archive."""

    first: date | None
    last: date | None

    @property
    def length(self) -> int | None:
        return clock.days_between(self.first, self.last) if self.first and self.last else None

    def holds(self, day: date) -> bool:
        """Whether the day is in the window. In an empty archive, `first` stays open if only `to` was given."""
        return self.last is not None and (self.first or day) <= day <= self.last

    def before(self) -> Days | None:
        """The span of equal length before the window; None where the calendar does not reach back that far."""
        if not self.first or not self.length or self.first.toordinal() <= self.length:
            return None
        return Days(self.first - timedelta(days=self.length), self.first - timedelta(days=1))

    def payload(self) -> Window:
        first = self.first.isoformat() if self.first else None
        last = self.last.isoformat() if self.last else None
        return Window(first, last, self.length)


def window(archive_id: int, days: Days) -> DayWindow:
    """The window of an answer. Reads the rollup only where a bound is missing."""
    if days.first and days.last:
        return DayWindow(days.first, days.last)
    recorded = read_sums.recorded_days(archive_id)
    first, last = days.first or recorded.first, days.last or recorded.last
    if first and last and first > last:
        # The only given bound lies outside the archive: the window is that day.
        first = last = days.first or days.last
    return DayWindow(first, last)


def count_records(archive_id: int, filters: RecordFilters) -> int:
    """How many records the filters find."""
    return sums_of_records(archive_id, filters).calls


def sums_of_records(archive_id: int, filters: RecordFilters) -> ListSums:
    """What the records that the filters find add up to: from the rollups where they have the filters, without days
    whose records were erased."""
    kept = horizon.of_kept_calls(archive_id, filters)
    if kept is None:
        return NO_RECORDS
    return (search.sums if kept.text else list_sums.totals)(archive_id, kept)


def measures_of_records(archive_id: int, filters: RecordFilters) -> Measured:
    """The sums of the measures of the same records."""
    kept = horizon.of_kept_calls(archive_id, filters)
    return measured_sums.NONE if kept is None else measured_sums.total(archive_id, kept)


def chunks_of_ids(archive_id: int, filters: RecordFilters, order: str) -> Iterator[list[int]]:
    """The ids of all records that the filters find, in order, in chunks. Each chunk is a short query."""
    kept = horizon.of_kept_calls(archive_id, filters)
    if kept is None:
        return iter(())
    return (search.chunks if kept.text else export_chunks.chunks)(archive_id, kept, order)


def records_by_account() -> dict[int, int]:
    """How many records each account has, from the sums, in three queries. Accounts that never had any are absent."""
    calls, erased = (
        model.objects.order_by().values_list("archive_id").annotate(calls=Sum("calls"))
        for model in (DayTotal, ErasedSums)
    )
    return archives.by_account([*calls, *((archive_id, -number) for archive_id, number in erased)])


def days_without_prompts(archive_id: int, since: date, max_prompt: int) -> dict[date, int]:
    """The days from `since` on that have records without a complete prompt, with the number of these records.

    A prompt is incomplete if it is missing, or if the source cut it below `max_prompt` characters.
    """
    rows = fetch(_WITHOUT_PROMPTS, [archive_id, f"{since} 00:00:00", max_prompt])
    return {date.fromisoformat(day): missing for day, missing in rows}


def has_records(archive_id: int) -> bool:
    return Record.objects.filter(archive_id=archive_id).exists()


def has_erased_days(archive_id: int) -> bool:
    """Whether an archive has the sums of calls that were erased."""
    return ErasedSums.objects.filter(archive_id=archive_id).exists()


def record(archive_id: int, request_id: str, *, measured: bool = False) -> Record | None:
    beside = ("prompt", "recordmeasures") if measured else ("prompt",)
    found = Record.objects.select_related(*beside).filter(archive_id=archive_id, request_id=request_id).first()
    # Of a day that is being erased, it is as good as gone.
    return found if found and found.day >= horizon.calls_from(archive_id) else None
