"""The JSON reads of one account's archive (docs/api.md#reads)."""

from dataclasses import replace
from decimal import Decimal

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext
from msgspec import UNSET

from accounts import config
from archive_site.lib import clock
from archive_site.lib.http import parameters
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Items, Paged, as_json
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.common_parameters import BAD, BAD_DAY, DAYS, PAGING, clamped
from archive_site.lib.http.described import READS, Parameter, described
from archive_site.lib.http.json_views import JsonText
from archive_site.lib.http.schemas import one_of, text
from usage import comparison, etag, extra_columns, queries, record_payloads
from usage.api_parameters import COLUMNS, COMPARE, LANG, OF_LISTS, OF_SUMS, ORDER, file_format
from usage.coverage.api_types import Coverage
from usage.coverage.day_states import coverage_json
from usage.daily_series import daily_json
from usage.dimensions import SELECTIONS
from usage.dimensions import dims as dims_of
from usage.export import list_file
from usage.export.formats import FILE_TYPES, FORMATS, format_in
from usage.filters import NEWEST_FIRST, ORDERS, Choice, RecordFilters
from usage.record_lists.cursor import Cursor, goes_by_time
from usage.record_lists.list_sums import ListSums
from usage.record_payloads import MICRO, Listed
from usage.record_types import RECORDS, AboutList, Record, ShortRecord, WholeRecord
from usage.short_key_form import top as top_of
from usage.sum_types import Daily, Dims, Summary
from usage.summary import summary as summary_of
from usage.trends import trends

SEARCH_LIMIT = 1000
# Values of one parameter.
MOST_NAMES = 100


@described(
    READS,
    "Summary",
    "Totals of a window, and of the window before it",
    parameters=(*OF_SUMS, COMPARE),
    answer=Summary,
    errors=BAD,
    is_conditional=True,
)
def summary(request: AccountRequest) -> HttpResponseBase:
    filters, compared = filters_of(request), comparison.requested(request.GET)

    def found() -> Summary:
        user_id = request.user.pk
        return summary_of(user_id, filters, comparison.of_totals(user_id, filters, compared) if compared else UNSET)

    return etag.answer(request, (filters, compared, _minute(filters)), found)


@described(
    READS,
    "Daily",
    "Sums of each day",
    parameters=(*OF_SUMS, COMPARE),
    answer=Daily,
    errors=BAD,
    is_conditional=True,
)
def daily(request: AccountRequest) -> HttpResponseBase:
    filters, compared = filters_of(request), comparison.requested(request.GET)

    def found() -> JsonText:
        days = f'"days":{daily_json(request.user.pk, filters)}'
        if not compared:
            return JsonText(f"{{{days}}}")
        before = record_payloads.json_text(as_json(comparison.of_days(request.user.pk, filters, compared)))
        return JsonText(f'{{{days},"comparison":{before}}}')

    return etag.answer(request, (filters, compared, _minute(filters) if compared else None), found)


@described(
    READS,
    "Dims",
    "Sums by model, client, hour and purpose",
    about="With `dim` `model`, `client` or `hour` only that key is there; with `purpose` a list is added to the three.",
    parameters=(
        *OF_SUMS,
        Parameter("dim", one_of(SELECTIONS), "which sums; all three without it and for any other value"),
        Parameter("trend", one_of(("1", "true", "on", "0")), "`1` adds `trend`, for small lines"),
        COMPARE,
    ),
    answer=Dims,
    errors=BAD,
    is_conditional=True,
)
def dims(request: AccountRequest) -> HttpResponseBase:
    filters, dim = filters_of(request), request.GET.get("dim", "")
    only = dim if dim in SELECTIONS else ""
    compared, trend = comparison.requested(request.GET), parameters.truth(request.GET.get("trend"))

    def found() -> Dims:
        user_id = request.user.pk
        now = dims_of(user_id, filters, only)
        before = comparison.of_dims(user_id, filters, compared, only, now) if compared else UNSET
        return now.payload(before, trends(user_id, filters, now) if trend else UNSET)

    return etag.answer(request, (filters, only, compared, trend, _minute(filters) if compared else None), found)


@described(
    READS,
    "Coverage",
    "What is known of each day",
    parameters=DAYS,
    answer=Coverage,
    errors=BAD_DAY,
    is_conditional=True,
)
def coverage(request: AccountRequest) -> HttpResponseBase:
    days, wants_prompts = parameters.days(request.GET), config.wants_prompts()
    return etag.answer(
        request, (days, wants_prompts), lambda: coverage_json(request.user.pk, days, wants_prompts=wants_prompts)
    )


@described(
    READS,
    "Top",
    "The most expensive records",
    parameters=(*OF_SUMS, clamped("n", 50, 1000, "how many")),
    answer=list[ShortRecord],
    errors=BAD,
    is_conditional=True,
)
def top(request: AccountRequest) -> HttpResponseBase:
    filters, n = filters_of(request), parameters.clamped(request.GET, "n", 50, 1000)
    return etag.answer(request, (filters, n), lambda: top_of(request.user.pk, filters, n))


@described(
    READS,
    "Records",
    "A list of records",
    parameters=(
        *OF_LISTS,
        ORDER,
        Parameter("lean", one_of(("1",)), "`1` leaves `prompt` out; JSON alone"),
        COLUMNS,
        Parameter("sums", one_of(("1", "0", "true", "false", "on", "off")), "`1` adds `sums`; JSON alone"),
        *PAGING,
        Parameter("after", text(), "the `next` of an answer in the same order of time: the records that follow"),
        file_format("json"),
        LANG,
    ),
    answer=RECORDS,
    file_types=FILE_TYPES,
    errors={**BAD, "503 unavailable": "Records are removed too fast to give the list."},
    is_conditional=True,
)
def records(request: AccountRequest) -> HttpResponseBase:
    filters, paging = filters_of(request, of_list=True), parameters.paging(request.GET)
    order, after = _order_and_cursor(request)
    lean, form = request.GET.get("lean") == "1", format_in(request, "json")
    purpose, with_sums = extra_columns.with_purpose(request.GET), bool(parameters.switch(request.GET, "sums"))
    user_id = request.user.pk

    def part(*, lean: bool) -> tuple[list[Listed], Cursor | None, ListSums]:
        if after:
            sums = queries.sums_of_records(user_id, filters)
            return *queries.records_after(user_id, filters, after, paging.size, lean=lean), sums
        page, sums = queries.page_and_sums(user_id, filters, order, paging, lean=lean)
        has_more = page and paging.page * paging.size < sums.calls and goes_by_time(order)
        return page, queries.cursor_after(page, order) if has_more else None, sums

    def found() -> tuple[Items[Record], Paged, AboutList]:
        page, following, sums = part(lean=lean)
        place = following.as_text() if following else None
        beside = AboutList(
            next=place if goes_by_time(order) else UNSET,
            window=queries.window(user_id, filters.days).payload(),
            sums=sums.payload() if with_sums else UNSET,
        )
        items = [record_payloads.readable(record, purpose=purpose) for record in page]
        return Items(items), Paged(**paging.payload(sums.calls)), beside

    if form != "json":
        if lean or with_sums:
            raise ApiError(400, "bad_request", gettext("'lean' and 'sums' are for JSON alone."))
        page, following, _ = part(lean=True)
        return list_file.answer(request, page, following, FORMATS[form], purpose=purpose)
    return etag.answer(request, (filters, paging, order, after, lean, purpose, with_sums), found)


def _order_and_cursor(request: HttpRequest) -> tuple[str, Cursor | None]:
    """The order of a list, and the place after which it is wanted. Raises ApiError 400."""
    given, after = request.GET.get("order", ""), request.GET.get("after", "")
    order = given if given in ORDERS else NEWEST_FIRST
    if not after:
        return order, None
    cursor = Cursor.read(after)
    if cursor is None or (given and cursor.order != order):
        message = gettext("'after' must be the 'next' of an answer in the same order of time.")
        raise ApiError(400, "bad_request", message)
    return cursor.order, cursor


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
    def found() -> WholeRecord:
        record = queries.record(request.user.pk, _as_stored(request_id))
        if record is None:
            raise ApiError(404, None, gettext("There is no such record."))
        return record_payloads.whole(record)

    return etag.answer(request, (), found)


def filters_of(request: HttpRequest, *, of_list: bool = False) -> RecordFilters:
    """The filters of a read: days, models, clients, purposes, and with `of_list` those of lists. Raises ApiError 400.

    `no_model` selects the records without a model and overrides `model`; `no_client` and `no_purpose` do the same.
    """
    days = parameters.days(request.GET)
    model, client, purpose = (_named(request, name) for name in ("model", "client", "purpose"))
    filters = RecordFilters(days, model, client, purpose)
    return _of_list(request, filters) if of_list else filters


def _of_list(request: HttpRequest, filters: RecordFilters) -> RecordFilters:
    """The filters, and those of lists only: a text of the prompt, free calls, a prompt, least credits, an hour."""
    text = _as_stored(request.GET.get("q", ""))
    if len(text) > SEARCH_LIMIT:
        message = gettext("'q' may have at most %(most)s characters.") % {"most": SEARCH_LIMIT}
        raise ApiError(400, "bad_request", message)
    has_prompt = parameters.switch(request.GET, "with_prompt")
    return replace(
        filters,
        text=text,
        is_free=parameters.switch(request.GET, "free"),
        # A prompt that has the text is there.
        has_prompt=None if text and has_prompt else has_prompt,
        credits_above=_micro(parameters.amount(request.GET, "credits_above")),
        hour=parameters.hour(request.GET, "hour"),
    )


def _minute(filters: RecordFilters) -> str | None:
    """The minute, for the tag of an answer that ends with it: only one whose days may include today."""
    return etag.minute() if filters.days.may_hold(clock.today()) else None


def _micro(amount: Decimal | None) -> int | None:
    # More is compared than a millionth has digits for: a call is above 0.0000005 exactly where it is above 0.
    return None if amount is None else int(amount * MICRO)


def _named(request: HttpRequest, name: str) -> Choice:
    if parameters.truth(request.GET.get(f"no_{name}")):
        return ""
    names = sorted({_as_stored(text) for text in request.GET.getlist(name) if text})
    if len(names) > MOST_NAMES:
        message = gettext("'%(name)s' may have at most %(most)s values.") % {"name": name, "most": MOST_NAMES}
        raise ApiError(400, "bad_request", message)
    return tuple(names) if len(names) > 1 else next(iter(names), None)


def _as_stored(text: str) -> str:
    # Records store U+FFFD in place of NUL, because databases cut a text at NUL or refuse it.
    return text.replace("\0", "\ufffd")
