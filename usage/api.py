"""The JSON reads of one account's archive (docs/api.md#reads)."""

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext

from accounts import config
from archive_site.lib import clock
from archive_site.lib.http import parameters
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.json_views import Body, JsonText
from usage import comparison, etag, extra_columns, queries, record_payloads
from usage.coverage.day_states import coverage_json
from usage.daily_series import daily_json
from usage.dimensions import DIMS, SELECTIONS
from usage.dimensions import dims as dims_of
from usage.filters import NEWEST_FIRST, ORDERS, RecordFilters
from usage.short_key_form import top as top_of
from usage.summary import summary as summary_of
from usage.trends import trends

SEARCH_LIMIT = 1000


def summary(request: AccountRequest) -> HttpResponseBase:
    filters, compared = filters_of(request), comparison.requested(request.GET)

    def found() -> Body:
        answer = summary_of(request.user.pk, filters)
        return answer | ({"comparison": comparison.of_totals(request.user.pk, filters, compared)} if compared else {})

    return etag.answer(request, (filters, compared, _minute(filters)), found)


def daily(request: AccountRequest) -> HttpResponseBase:
    filters, compared = filters_of(request), comparison.requested(request.GET)

    def found() -> JsonText:
        days = f'"days":{daily_json(request.user.pk, filters)}'
        if not compared:
            return JsonText(f"{{{days}}}")
        before = record_payloads.json_text(comparison.of_days(request.user.pk, filters, compared))
        return JsonText(f'{{{days},"comparison":{before}}}')

    return etag.answer(request, (filters, compared, _minute(filters) if compared else None), found)


def dims(request: AccountRequest) -> HttpResponseBase:
    filters, dim = filters_of(request), request.GET.get("dim", "")
    only = dim if dim in SELECTIONS else ""
    compared, trend = comparison.requested(request.GET), parameters.truth(request.GET.get("trend"))

    def found() -> Body:
        user_id = request.user.pk
        answer: Body = {**(now := dims_of(user_id, filters, only))}
        if compared:
            answer["comparison"] = comparison.of_dims(user_id, filters, compared, only, now)
        if trend:
            answer["trend"] = trends(user_id, filters, (dim for dim in SELECTIONS.get(only, DIMS) if dim != "hour"))
        return answer

    return etag.answer(request, (filters, only, compared, trend, _minute(filters) if compared else None), found)


def coverage(request: AccountRequest) -> HttpResponseBase:
    days, wants_prompts = parameters.days(request.GET), config.wants_prompts()
    return etag.answer(
        request, (days, wants_prompts), lambda: coverage_json(request.user.pk, days, wants_prompts=wants_prompts)
    )


def top(request: AccountRequest) -> HttpResponseBase:
    filters, n = filters_of(request), parameters.clamped(request.GET, "n", 50, 1000)
    return etag.answer(request, (filters, n), lambda: top_of(request.user.pk, filters, n))


def records(request: AccountRequest) -> HttpResponseBase:
    filters, paging = filters_of(request, with_text=True), parameters.paging(request.GET)
    order, lean = request.GET.get("order", ""), request.GET.get("lean") == "1"
    order = order if order in ORDERS else NEWEST_FIRST
    purpose = extra_columns.with_purpose(request.GET)

    def found() -> Body:
        user_id = request.user.pk
        page = queries.page_of_records(user_id, filters, order, paging, lean=lean)
        total = queries.count_records(user_id, filters)
        return {
            "items": [record_payloads.readable(record, purpose=purpose) for record in page],
            **paging.payload(total),
            "window": queries.window(user_id, filters.days).payload(),
        }

    return etag.answer(request, (filters, paging, order, lean, purpose), found)


def record(request: AccountRequest, request_id: str) -> HttpResponseBase:
    def found() -> Body:
        record = queries.record(request.user.pk, _as_stored(request_id))
        if record is None:
            raise ApiError(404, None, gettext("There is no such record."))
        return record_payloads.whole(record)

    return etag.answer(request, (), found)


def filters_of(request: HttpRequest, *, with_text: bool = False) -> RecordFilters:
    """The filters of a read: days, model, client, purpose, and with `with_text` also `q`. Raises ApiError 400.

    `no_model` selects the records without a model and overrides `model`; `no_client` and `no_purpose` do the same.
    """
    text = _as_stored(request.GET.get("q", "")) if with_text else ""
    if len(text) > SEARCH_LIMIT:
        message = gettext("'q' may have at most %(most)s characters.") % {"most": SEARCH_LIMIT}
        raise ApiError(400, "bad_request", message)
    days = parameters.days(request.GET)
    model, client, purpose = (_named(request, name) for name in ("model", "client", "purpose"))
    return RecordFilters(days, model, client, purpose, text)


def _minute(filters: RecordFilters) -> str | None:
    """The minute, for the tag of an answer that ends with it: only one whose days may include today."""
    return etag.minute() if filters.days.may_hold(clock.today()) else None


def _named(request: HttpRequest, name: str) -> str | None:
    if parameters.truth(request.GET.get(f"no_{name}")):
        return ""
    return _as_stored(request.GET.get(name, "")) or None


def _as_stored(text: str) -> str:
    # Records store U+FFFD in place of NUL, because databases cut a text at NUL or refuse it.
    return text.replace("\0", "\ufffd")
