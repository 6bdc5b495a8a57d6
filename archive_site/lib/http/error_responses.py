"""Error responses from outside of views: JSON under /api/, a page elsewhere (docs/api.md#errors)."""

import logging
import secrets
import sys
from urllib.parse import quote

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from archive_site.lib import seldom_log
from archive_site.lib.http import csrf, refusal_log, store_refusals
from archive_site.lib.http.answer_types import LoggedFailure
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.bearer import bearer_text
from archive_site.lib.http.body_limits import limit_of
from archive_site.lib.http.json_views import error_response, retry_later
from archive_site.lib.storage.redis_failures import is_of_redis

log = logging.getLogger(__name__)
# Characters of a path in the log.
_SHOWN = 200


def too_large(request: HttpRequest) -> HttpResponse:
    limit = limit_of(request.path_info, request.META.get("CONTENT_TYPE", "")) // 1024
    message = gettext("A request may hold at most %(limit)s KiB.") % {"limit": limit}
    return _failure(request, gettext("Too large"), ApiError(413, "too_large", message))


def length_required(request: HttpRequest) -> HttpResponse:
    message = gettext("Send the length of the request body (Content-Length).")
    return _failure(request, gettext("Length required"), ApiError(411, "length_required", message))


def not_now(request: HttpRequest, error: ApiError) -> HttpResponse:
    """A refusal that the next try may not have."""
    return _failure(request, gettext("Please wait"), error)


def too_slow(request: HttpRequest, error: ApiError) -> HttpResponse:
    """A read that was ended, or that may not begin beside slow ones."""
    return _failure(request, gettext("Too slow"), error)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """400 that names the reason, the CSRF token or the request's origin: docs/api.md#csrf."""
    wrong = csrf.what_is_wrong(reason)
    if request.path_info.startswith("/api/"):
        answer = error_response(ApiError(400, "bad_request", wrong))
        if not csrf.is_about_origin(reason):
            answer.headers[csrf.REFUSAL] = "refused"
        return answer
    try_again = gettext("The page was open too long, or cookies are off. Load it again.")
    message = wrong if csrf.is_about_origin(reason) else try_again
    return _page(request, 400, gettext("Please try again"), message)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, DisallowedHost):
        refusal_log.note_host(request)
    message = gettext("This request cannot be understood.")
    return _failure(request, gettext("Bad request"), ApiError(400, "bad_request", message))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    message = gettext("Only an administrator may see this.")
    return _failure(request, gettext("Not allowed"), ApiError(403, "forbidden", message))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    message = gettext("There is nothing at this address.")
    return _failure(request, gettext("Not found"), ApiError(404, "not_found", message))


def server_error(request: HttpRequest) -> HttpResponse:
    """507 if the disk is full, 503 if the store is locked, short of memory, damaged or missing, or Redis fails.

    Else 500 with a generic message and an event id, the detail being in the log.
    """
    error = sys.exc_info()[1]
    refused = _redis_refusal(error) or (store_refusals.refusal_of(error) if error else None)
    if refused:
        title = gettext("The disk is full") if refused.error == "no_space" else gettext("Not available")
        return _failure(request, title, refused)
    event = secrets.token_hex(4)
    # Method and path are quoted so that a line break in them cannot forge a line of the log.
    method, path = quote(request.method or "")[:_SHOWN], quote(request.path)[:_SHOWN]
    log.error("event %s: %s %s failed", event, method, path, exc_info=True)
    words = gettext("Something went wrong on this side. The server's log has the detail under event %(event)s.")
    message = words % {"event": event}
    return _failure(
        request, gettext("Something went wrong"), ApiError(500, "internal", message, more=LoggedFailure(event))
    )


def _redis_refusal(error: BaseException | None) -> ApiError | None:
    """What a failure of Redis is answered with."""
    if not is_of_redis(error):
        return None
    seldom_log.warn(log, "redis", "Redis does not answer, and requests fail: %s", seldom_log.shown(str(error)))
    message = gettext("A part of this service does not respond. Try again soon.")
    return ApiError(503, "unavailable", message, retry_after=store_refusals.RETRY_AFTER)


def _failure(request: HttpRequest, title: str, error: ApiError) -> HttpResponse:
    if request.path_info.startswith("/api/") or bearer_text(request) is not None:
        return error_response(error)
    return retry_later(_page(request, error.status, title, error.message), error.retry_after)


def _page(request: HttpRequest, status: int, title: str, message: str) -> HttpResponse:
    # The store may be what failed, so that the page of a failure asks nothing of it, not even for the account.
    nobody = {"user": None} if status >= 500 else {}
    context = {"title": title, "message": message, "status": status, "frame": _frame(request, status), **nobody}
    return render(request, "error.html", context, status=status)


def _frame(request: HttpRequest, status: int) -> str:
    """The frame with navigation for signed-in accounts. It queries the store, so it is left out after a failure."""
    user = getattr(request, "user", None)
    return "frame.html" if status in (403, 404) and user and user.is_authenticated else "base.html"
