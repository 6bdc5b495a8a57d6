"""The queries of an archive, one function per question. Sums read the rollups, lists read the records."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Sum
from django.utils.translation import gettext

from accounts import archives
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import SqlRow, fetch, marks
from usage.filters import RecordFilters
from usage.models import DayTotal, Record
from usage.record_lists import export_chunks, list_sums, page_ids
from usage.record_lists.cursor import Cursor
from usage.record_lists.first_pages import rows_among_first
from usage.record_lists.list_sums import Groups, ListSums
from usage.record_lists.spans import Part, Span
from usage.record_payloads import Listed
from usage.rollups import read_sums
from usage.search import plan as search
from usage.stored_measures import JOINED, SELECTED, measures_of
from usage.sum_types import Window

_LISTED = ("r.request_id", "r.credits", "r.model", "r.client", "r.ts", "r.agent_purpose")
# Records whose prompts are in memory at once; a list that is not longer is read with them.
PROMPTS_AT_ONCE = 50
_PROMPTS = """
    SELECT r.request_id, COALESCE(p.text, '') FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id
    WHERE r.user_id = %s"""
# How often a part of a list is read again because records before it were removed meanwhile.
_TRIES = 5
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


def page_of_records(
    archive_id: int, filters: RecordFilters, order: str, part: Part, *, lean: bool, measured: bool = False
) -> list[Listed]:
    """A part of a list: reads their ids in order, then only their rows, with prompts unless `lean`, and with measures
    where `measured`."""
    return _page(Groups(archive_id, filters), order, part, lean=lean, measured=measured)


def page_and_sums(
    archive_id: int, filters: RecordFilters, order: str, part: Part, *, lean: bool, measured: bool = False
) -> tuple[list[Listed], ListSums]:
    """A part of a list, as `page_of_records`, and the sums of the whole list."""
    groups = Groups(archive_id, filters)
    page = _page(groups, order, part, lean=lean, measured=measured)
    if not filters.text:
        return page, groups.totals()
    # A list that ends on its first page is added up: some searches would compare every prompt once more.
    is_whole = not part.offset and len(page) < part.size
    return page, list_sums.added(page) if is_whole else search.sums(archive_id, filters)


def with_prompts(archive_id: int, records: Sequence[Listed]) -> Iterator[Listed]:
    """Records of a long list that was read without prompts, with them: some at a time are in memory. Leaves out what
    is removed meanwhile."""
    for start in range(0, len(records), PROMPTS_AT_ONCE):
        some = records[start : start + PROMPTS_AT_ONCE]
        names = [record.request_id for record in some]
        found: dict[str, str] = dict(fetch(f"{_PROMPTS} AND r.request_id IN ({marks(names)})", [archive_id, *names]))
        yield from (one._replace(prompt=found[one.request_id]) for one in some if one.request_id in found)


def _page(groups: Groups, order: str, part: Part, *, lean: bool, measured: bool) -> list[Listed]:
    archive_id, filters = groups.archive_id, groups.filters
    prompt, join = ("NULL", "") if lean else ("COALESCE(p.text, '')", "LEFT JOIN usage_prompt p ON p.record_id = r.id")
    columns = [*_LISTED, prompt, *(SELECTED if measured else ())]
    beside = JOINED if measured else ""
    # Tuples, because creating model instances takes longer than the rest of the answer.
    if not filters.text and (rows := rows_among_first(archive_id, filters, order, part, columns, beside)):
        return [_listed(row) for row in rows]
    if filters.text:
        ids = search.page(archive_id, filters, order, part.offset, part.size)
    else:
        ids = page_ids.page_among(groups, order, part.offset, part.size)
    if not ids:
        return []
    rows = fetch(
        f"SELECT r.id, {', '.join(columns)} FROM usage_record r {join} {beside} WHERE r.id IN ({marks(ids)})",  # noqa: S608 - constant parts, bound values
        ids,
    )
    found = {row[0]: _listed(row[1:]) for row in rows}
    return [found[record_id] for record_id in ids if record_id in found]


def _listed(row: SqlRow) -> Listed:
    width = len(_LISTED) + 1
    record = Listed(*row[:width])
    return record._replace(measures=measures_of(*row[width:])) if len(row) > width else record


def records_after(
    archive_id: int, filters: RecordFilters, cursor: Cursor, size: int, *, lean: bool, measured: bool = False
) -> tuple[list[Listed], Cursor | None]:
    """The next records after a place, and the place after them; None at the end.

    Raises ApiError 503 where records before it are removed so often that the place is not found.
    """
    rest = cursor.from_its_day(filters)
    if rest is None:
        return [], None
    for _ in range(_TRIES):
        passed = cursor.count_passed(archive_id, rest)
        # One record before the place, which shows that none was removed since, and one after the last.
        offset, most = max(passed - 1, 0), size + 2
        found = page_of_records(archive_id, rest, cursor.order, Span(offset, most), lean=lean, measured=measured)
        if passed and (not found or cursor.is_before(found[0].ts, found[0].request_id)):
            continue
        records = [one for one in found if cursor.is_before(one.ts, one.request_id)]
        if records or len(found) < most:
            is_end = len(records) <= size and len(found) < most
            return records[:size], None if is_end else cursor_after(records[:size], cursor.order)
    raise ApiError(503, "unavailable", gettext("The archive is being changed; try again."), retry_after=1)


def cursor_after(records: list[Listed], order: str) -> Cursor:
    """The place after the last of some records."""
    return Cursor(order, records[-1].ts, records[-1].request_id)


def count_records(archive_id: int, filters: RecordFilters) -> int:
    """How many records the filters find."""
    return sums_of_records(archive_id, filters).calls


def sums_of_records(archive_id: int, filters: RecordFilters) -> ListSums:
    """What the records that the filters find add up to: from the rollups where they have the filters."""
    return (search.sums if filters.text else list_sums.totals)(archive_id, filters)


def chunks_of_ids(archive_id: int, filters: RecordFilters, order: str) -> Iterator[list[int]]:
    """The ids of all records that the filters find, in order, in chunks. Each chunk is a short query."""
    return (search.chunks if filters.text else export_chunks.chunks)(archive_id, filters, order)


def records_by_account() -> dict[int, int]:
    """How many records each account has, from the rollup, in two queries. Accounts without records are absent."""
    return archives.by_account(DayTotal.objects.values_list("archive_id").annotate(records=Sum("calls")))


def days_without_prompts(archive_id: int, since: date, max_prompt: int) -> dict[date, int]:
    """The days from `since` on that have records without a complete prompt, with the number of these records.

    A prompt is incomplete if it is missing, or if the source cut it below `max_prompt` characters.
    """
    rows = fetch(_WITHOUT_PROMPTS, [archive_id, f"{since} 00:00:00", max_prompt])
    return {date.fromisoformat(day): missing for day, missing in rows}


def has_records(archive_id: int) -> bool:
    return Record.objects.filter(archive_id=archive_id).exists()


def record(archive_id: int, request_id: str, *, measured: bool = False) -> Record | None:
    beside = ("prompt", "recordmeasures") if measured else ("prompt",)
    return Record.objects.select_related(*beside).filter(archive_id=archive_id, request_id=request_id).first()
