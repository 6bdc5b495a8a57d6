"""The JSON reads of one account's archive (docs/api.md#reads)."""

from collections.abc import Iterator
from typing import Annotated

from django.http import HttpResponseBase, QueryDict
from django.utils.translation import gettext
from msgspec import UNSET

from accounts import archives
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Paged, about, as_json
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import READS, described
from archive_site.lib.http.json_views import JsonPieces
from archive_site.lib.http.parameter_parsing import Paging, without_nul
from archive_site.lib.http.request_types import BAD, Flag, Page, Parameter, Size, Switch, clamped, word
from archive_site.lib.http.schemas import text
from archive_site.lib.http.span_of_days import BAD_DAY, OfDays
from usage import etag, record_payloads
from usage.amounts.unit_of_archive import unit_of
from usage.coverage.api_types import Coverage
from usage.coverage.ledger import coverage_json
from usage.export import list_file
from usage.export.formats import FILE_TYPES, FORMATS, format_in
from usage.export.header import Contents, language_in
from usage.filters import NEWEST_FIRST, ORDERS, RecordFilters
from usage.parameters_of_reads import FORMAT, Columns, Lang, OfLists, OfSums, OfTotals, file_format
from usage.prompt_privacy import policy as privacy
from usage.reads import comparison, queries
from usage.reads.daily_series import daily_pieces
from usage.reads.dimensions import SELECTIONS
from usage.reads.dimensions import dims as dims_of
from usage.reads.list_parts import PROMPTS_AT_ONCE, Place, list_part, with_prompts
from usage.reads.short_key_form import top as top_of
from usage.reads.summary import summary as summary_of
from usage.reads.trends import trends
from usage.record_lists.cursor import Cursor
from usage.record_types import RECORDS, AboutList, Record, ShortRecord, WholeRecord
from usage.sum_types import Daily, Dims, Summary


@described(
    READS,
    "Summary",
    "Totals of a window, and of the window before it",
    answer=Summary,
    errors=BAD,
    is_conditional=True,
)
def summary(request: AccountRequest, query: OfTotals) -> HttpResponseBase:
    filters, compared, archive_id = query.filters, query.compare, archives.of_request(request)
    measured = archives.is_named(request)

    def found() -> Summary:
        before = comparison.of_totals(archive_id, filters, compared, measured=measured) if compared else UNSET
        return summary_of(archive_id, filters, before, measured=measured)

    return etag.answer(request, (filters, compared, _minute(filters)), found)


@described(
    READS,
    "Daily",
    "Sums of each day",
    answer=Daily,
    errors=BAD,
    is_conditional=True,
)
def daily(request: AccountRequest, query: OfTotals) -> HttpResponseBase:
    filters, compared, archive_id = query.filters, query.compare, archives.of_request(request)
    measured = archives.is_named(request)

    def pieces() -> Iterator[bytes]:
        yield b'{"days":'
        yield from daily_pieces(archive_id, filters, measured=measured)
        if compared:
            before = comparison.of_days(archive_id, filters, compared, measured=measured)
            yield f',"comparison":{record_payloads.json_text(as_json(before))}'.encode()
        yield b"}"

    asked = (filters, compared, _minute(filters) if compared else None)
    return etag.answer(request, asked, lambda: JsonPieces(pieces()))


class OfDims(OfTotals, frozen=True):
    dim: Annotated[str, word(SELECTIONS), about("which sums; all three without it and for any other value")]
    trend: Annotated[Flag, about("`1` adds `trend`, for small lines")]


@described(
    READS,
    "Dims",
    "Sums by model, client, hour and purpose",
    about="With `dim` `model`, `client` or `hour` only that key is there; with `purpose` a list is added to the three.",
    answer=Dims,
    errors=BAD,
    is_conditional=True,
)
def dims(request: AccountRequest, query: OfDims) -> HttpResponseBase:
    filters, only, compared, trend = query.filters, query.dim, query.compare, query.trend
    archive_id, measured = archives.of_request(request), archives.is_named(request)

    def found() -> Dims:
        now = dims_of(archive_id, filters, only, measured=measured)
        before = comparison.of_dims(archive_id, filters, compared, only, now, measured=measured) if compared else UNSET
        return now.payload(before, trends(archive_id, filters, now) if trend else UNSET)

    return etag.answer(request, (filters, only, compared, trend, _minute(filters) if compared else None), found)


@described(
    READS,
    "Coverage",
    "What is known of each day",
    answer=Coverage,
    errors=BAD_DAY,
    is_conditional=True,
)
def coverage(request: AccountRequest, query: OfDays) -> HttpResponseBase:
    days, archive_id = query.days, archives.of_request(request)
    wants_prompts = privacy.wants_prompts(request.user.pk)
    return etag.answer(
        request, (days, wants_prompts), lambda: coverage_json(archive_id, days, wants_prompts=wants_prompts)
    )


class OfTop(OfSums, frozen=True):
    n: Annotated[int, clamped(50, 1000), about("how many")]


@described(
    READS,
    "Top",
    "The most expensive records",
    answer=list[ShortRecord],
    errors=BAD,
    is_conditional=True,
)
def top(request: AccountRequest, query: OfTop) -> HttpResponseBase:
    archive_id, filters, n, measured = archives.of_request(request), query.filters, query.n, archives.is_named(request)
    return etag.answer(request, (filters, n), lambda: top_of(archive_id, filters, n, measured=measured))


def _after(values: QueryDict, name: str) -> Cursor | None:
    """The place after which a list is wanted."""
    after, order = values.get(name, ""), values.get("order", "")
    cursor = Cursor.read(after) if after else None
    if after and (cursor is None or (order and cursor.order != (order if order in ORDERS else NEWEST_FIRST))):
        message = gettext("'after' must be the 'next' of an answer in the same order of time.")
        raise ApiError(400, "bad_request", message)
    return cursor


_AFTER = "the `next` of an answer in the same order of time: the records that follow"


class Listing(OfLists, frozen=True):
    after: Annotated[Cursor | None, Parameter(_after, text()), about(_AFTER)]
    lean: Annotated[str, word(("1",)), about("`1` leaves `prompt` out; JSON alone")]
    columns: Columns
    sums: Annotated[Switch, about("`1` adds `sums`; JSON alone")]
    page: Page
    size: Size
    format: Annotated[str, file_format("json"), about(FORMAT % "json")]
    lang: Lang


@described(
    READS,
    "Records",
    "A list of records",
    answer=RECORDS,
    file_types=FILE_TYPES,
    errors={**BAD, "503 unavailable": "Records are removed too fast to give the list."},
    is_conditional=True,
)
def records(request: AccountRequest, query: Listing) -> HttpResponseBase:
    archive_id = archives.of_request(request)
    unit, measured = unit_of(archive_id), archives.is_named(request)
    filters, after, lean, with_sums = (
        query.filters_in(archive_id, unit),
        query.after,
        bool(query.lean),
        bool(query.sums),
    )
    place = Place(after.order if after else query.order, Paging(query.page, query.size), after)
    form = format_in(request, query.format, "json")

    def found() -> tuple[dict[str, Iterator[Record]], Paged, AboutList]:
        prompts_later = not lean and place.paging.size > PROMPTS_AT_ONCE
        part = list_part(archive_id, filters, place, lean=lean or prompts_later, measured=measured)
        beside_sums = queries.measures_of_records(archive_id, filters) if with_sums and measured else None
        beside = AboutList(
            next=part.next_place if place.is_by_time else UNSET,
            window=queries.window(archive_id, filters.days).payload(),
            sums=part.sums.payload(unit, beside_sums) if with_sums else UNSET,
        )
        records = with_prompts(archive_id, part.records) if prompts_later else iter(part.records)
        items = (record_payloads.readable(record, unit, purpose=query.columns, measured=measured) for record in records)
        return {"items": items}, Paged(**place.paging.payload(part.sums.calls)), beside

    if form == "json":
        return etag.answer(request, (filters, place, lean, query.columns, with_sums), found)
    if lean or with_sums:
        raise ApiError(400, "bad_request", gettext("'lean' and 'sums' are for JSON alone."))
    part = list_part(archive_id, filters, place, lean=True, measured=measured)
    contents, language = Contents(query.columns, measured), language_in(query.lang)
    return list_file.answer(
        request, archive_id, part, FORMATS[form].content_type, FORMATS[form].form(contents, language, unit)
    )


@described(
    READS,
    "One record",
    "The whole row of a record",
    about="The id may hold slashes.",
    answer=WholeRecord,
    errors={"404": "There is no such record."},
    is_conditional=True,
)
def record(request: AccountRequest, request_id: str) -> HttpResponseBase:
    archive_id, measured = archives.of_request(request), archives.is_named(request)

    def found() -> WholeRecord:
        record = queries.record(archive_id, without_nul(request_id), measured=measured)
        if record is None:
            raise ApiError(404, None, gettext("There is no such record."))
        return record_payloads.whole(record, request.user.pk, measured=measured)

    return etag.answer(request, (), found)


def _minute(filters: RecordFilters) -> str | None:
    """The minute, for the tag of an answer that ends with it: only one whose days may include today."""
    return etag.minute() if filters.days.may_hold(clock.today()) else None
