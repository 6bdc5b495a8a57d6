"""The JSON reads of one account's archive (specification 4.2)."""

from typing import Any

from django.http import HttpRequest

from archive_site.lib import parameters
from archive_site.lib.errors import ApiError
from archive_site.lib.jsonviews import account_id
from usage import payloads, queries
from usage.queries import Filters
from usage.summary import summary as summary_of

SEARCH_LIMIT = 1000


def summary(request: HttpRequest) -> dict[str, Any]:
    return summary_of(account_id(request), _filters(request))


def records(request: HttpRequest) -> dict[str, Any]:
    filters, paging = _filters(request, with_text=True), parameters.paging(request.GET)
    user_id, lean = account_id(request), request.GET.get("lean") == "1"
    page = queries.page_of_records(user_id, filters, request.GET.get("order", ""), paging, lean=lean)
    total = queries.count_records(user_id, filters)
    return {
        "items": [payloads.readable(record, lean=lean) for record in page],
        **paging.payload(total),
        "window": queries.window(user_id, filters.days).payload(),
    }


def record(request: HttpRequest, request_id: str) -> dict[str, Any]:
    found = queries.record(account_id(request), _as_stored(request_id))
    if found is None:
        raise ApiError(404, None, "There is no such record.")
    return payloads.whole(found)


def _filters(request: HttpRequest, *, with_text: bool = False) -> Filters:
    text = _as_stored(request.GET.get("q", "")) if with_text else ""
    if len(text) > SEARCH_LIMIT:
        raise ApiError(400, "bad_request", f"'q' may have at most {SEARCH_LIMIT} characters.")
    days = parameters.days(request.GET)
    model, client = (_as_stored(request.GET.get(name, "")) or None for name in ("model", "client"))
    return Filters(days, model, client, text)


def _as_stored(text: str) -> str:
    # A record holds U+FFFD in the place of NUL; a database would take it for the end of the text, or refuse it.
    return text.replace("\0", "\ufffd")
