"""Parts of a list of records: by number, or those that follow a place (docs/api.md#records)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.parameter_parsing import Paging
from archive_site.lib.storage.sql import SqlRow, fetch, marks
from usage import horizon
from usage.filters import RecordFilters
from usage.prompt_privacy.shown_text import SHOWN
from usage.record_lists import list_sums, page_ids
from usage.record_lists.cursor import Cursor, goes_by_time
from usage.record_lists.first_pages import rows_among_first
from usage.record_lists.list_sums import NO_RECORDS, Groups, ListSums
from usage.record_lists.spans import Part, Span
from usage.record_payloads import Listed
from usage.search import plan as search
from usage.stored_measures import JOINED, SELECTED, measures_of

_LISTED = ("r.request_id", "r.credits", "r.model", "r.client", "r.ts", "r.agent_purpose")
# Records whose prompts are in memory at once; a list that is not longer is read with them.
PROMPTS_AT_ONCE = 50
_PROMPTS = f"""
    SELECT r.request_id, {SHOWN} FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id
    WHERE r.user_id = %s"""  # noqa: S608 - constants
# How often a part of a list is read again because records before it were removed meanwhile.
_TRIES = 5


@dataclass(frozen=True)
class Place:
    """Which part of a list is wanted: a page by its number, or what follows `after`."""

    order: str
    paging: Paging
    after: Cursor | None = None

    @property
    def is_by_time(self) -> bool:
        """Whether the order goes by time: only then has the next part a place."""
        return goes_by_time(self.order)


@dataclass(frozen=True)
class ListPart:
    """Records in their order, the place of the next part, and the sums of the whole list.

    There is no place at the end of the list, nor in an order that does not go by time.
    """

    records: list[Listed]
    following: Cursor | None
    sums: ListSums

    @property
    def next_place(self) -> str | None:
        return self.following.as_text() if self.following else None


def list_part(archive_id: int, filters: RecordFilters, place: Place, *, lean: bool, measured: bool = False) -> ListPart:
    """A part of a list: with prompts unless `lean`, and with measures where `measured`. Days whose records were erased
    are no part of it.

    Raises ApiError 503 where records before `place.after` are removed so often that the place is not found.
    """
    order, paging = place.order, place.paging
    kept = horizon.of_kept_calls(archive_id, filters)
    if kept is None:
        return ListPart([], None, NO_RECORDS)
    filters = kept
    if place.after:
        sums = (search.sums if filters.text else list_sums.totals)(archive_id, filters)
        return ListPart(*_after(archive_id, filters, place.after, paging.size, lean=lean, measured=measured), sums)
    groups = Groups(archive_id, filters)
    page = _page(groups, order, paging, lean=lean, measured=measured)
    sums = _sums(groups, page, paging)
    has_more = page and paging.page * paging.size < sums.calls and place.is_by_time
    return ListPart(page, _cursor_after(page, order) if has_more else None, sums)


def page_of_records(
    archive_id: int, filters: RecordFilters, order: str, part: Part, *, lean: bool, measured: bool = False
) -> list[Listed]:
    """A part of a list: reads their ids in order, then only their rows, with prompts unless `lean`, and with measures
    where `measured`."""
    kept = horizon.of_kept_calls(archive_id, filters)
    return [] if kept is None else _page(Groups(archive_id, kept), order, part, lean=lean, measured=measured)


def with_prompts(archive_id: int, records: Sequence[Listed]) -> Iterator[Listed]:
    """Records of a long list that was read without prompts, with them: some at a time are in memory. Leaves out what
    is removed meanwhile."""
    for start in range(0, len(records), PROMPTS_AT_ONCE):
        some = records[start : start + PROMPTS_AT_ONCE]
        names = [record.request_id for record in some]
        found: dict[str, str] = dict(fetch(f"{_PROMPTS} AND r.request_id IN ({marks(names)})", [archive_id, *names]))
        yield from (one._replace(prompt=found[one.request_id]) for one in some if one.request_id in found)


def _sums(groups: Groups, page: Sequence[Listed], paging: Paging) -> ListSums:
    """The sums of the whole list; `page` is the part of it that was read."""
    if not groups.filters.text:
        return groups.totals()
    # A list that ends on its first page is added up: some searches would compare every prompt once more.
    is_whole = not paging.offset and len(page) < paging.size
    return list_sums.added(page) if is_whole else search.sums(groups.archive_id, groups.filters)


def _page(groups: Groups, order: str, part: Part, *, lean: bool, measured: bool) -> list[Listed]:
    archive_id, filters = groups.archive_id, groups.filters
    prompt, join = ("NULL", "") if lean else (SHOWN, "LEFT JOIN usage_prompt p ON p.record_id = r.id")
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


def _after(
    archive_id: int, filters: RecordFilters, cursor: Cursor, size: int, *, lean: bool, measured: bool = False
) -> tuple[list[Listed], Cursor | None]:
    """The next records after a place, and the place after them; None at the end."""
    rest = cursor.from_its_day(filters)
    if rest is None:
        return [], None
    for _ in range(_TRIES):
        passed = cursor.count_passed(archive_id, rest)
        # One record before the place, which shows that none was removed since, and one after the last.
        offset, most = max(passed - 1, 0), size + 2
        part = Span(offset, most)
        found = _page(Groups(archive_id, rest), cursor.order, part, lean=lean, measured=measured)
        if passed and (not found or cursor.is_before(found[0].ts, found[0].request_id)):
            continue
        records = [one for one in found if cursor.is_before(one.ts, one.request_id)]
        if records or len(found) < most:
            is_end = len(records) <= size and len(found) < most
            return records[:size], None if is_end else _cursor_after(records[:size], cursor.order)
    raise ApiError(503, "unavailable", gettext("The archive is being changed; try again."), retry_after=1)


def _cursor_after(records: list[Listed], order: str) -> Cursor:
    """The place after the last of some records."""
    return Cursor(order, records[-1].ts, records[-1].request_id)
