"""Error responses from outside of views: JSON under /api/, a page elsewhere (docs/api.md#errors)."""

import logging
import secrets
import sys
from typing import Any
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from archive_site.lib.http import csrf
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.body_limits import limit_of
from archive_site.lib.http.json_views import error_response

log = logging.getLogger(__name__)
# Characters of a path in the log.
_SHOWN = 200


def too_large(request: HttpRequest) -> HttpResponse:
    limit = limit_of(request.path, request.META.get("CONTENT_TYPE", "")) // 1024
    message = gettext("A request may hold at most %(limit)s KiB.") % {"limit": limit}
    return _failure(request, 413, "too_large", gettext("Too large"), message)


def length_required(request: HttpRequest) -> HttpResponse:
    message = gettext("Send the length of the request body (Content-Length).")
    return _failure(request, 411, "length_required", gettext("Length required"), message)


def restoring(request: HttpRequest, error: ApiError) -> HttpResponse:
    if request.path.startswith("/api/"):
        return error_response(error)
    return _page(request, error.status, gettext("Please wait"), error.message)


def too_frequent(request: HttpRequest, error: ApiError) -> HttpResponse:
    response = _page(request, error.status, gettext("Please wait"), error.message)
    response.headers["Retry-After"] = str(error.retry_after)
    return response


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """400 that names the reason, the CSRF token or the request's origin: docs/api.md#csrf."""
    wrong = csrf.what_is_wrong(reason)
    if request.path.startswith("/api/"):
        return error_response(ApiError(400, "bad_request", wrong))
    try_again = gettext("The page was open too long, or cookies are off. Load it again.")
    message = wrong if csrf.is_about_origin(reason) else try_again
    return _page(request, 400, gettext("Please try again"), message)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    message = gettext("This request cannot be understood.")
    return _failure(request, 400, "bad_request", gettext("Bad request"), message)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    message = gettext("Only an administrator may see this.")
    return _failure(request, 403, "forbidden", gettext("Not allowed"), message)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    message = gettext("There is nothing at this address.")
    return _failure(request, 404, "not_found", gettext("Not found"), message)


def server_error(request: HttpRequest) -> HttpResponse:
    """500 with a generic message and an event id, the detail being in the log; 503 if Redis does not answer."""
    if _is_of_redis(sys.exc_info()[1]):
        log.error("Redis does not answer", exc_info=True)
        message = gettext("A part of this service does not respond. Try again soon.")
        return _failure(request, 503, "unavailable", gettext("Not available"), message)
    event = secrets.token_hex(4)
    # Method and path are quoted so that a line break in them cannot forge a line of the log.
    method, path = quote(request.method or "")[:_SHOWN], quote(request.path)[:_SHOWN]
    log.error("event %s: %s %s failed", event, method, path, exc_info=True)
    words = gettext("Something went wrong on this side. The server's log has the detail under event %(event)s.")
    title, message = gettext("Something went wrong"), words % {"event": event}
    return _failure(request, 500, "internal", title, message, event=event)


def _is_of_redis(error: BaseException | None) -> bool:
    """Whether Redis failed; without REDIS_URL nothing loads its client."""
    exceptions = sys.modules.get("redis.exceptions")
    return exceptions is not None and isinstance(error, exceptions.RedisError)


def _failure(request: HttpRequest, status: int, code: str, title: str, message: str, **extra: Any) -> HttpResponse:
    if request.path.startswith("/api/"):
        return error_response(ApiError(status, code, message, **extra))
    return _page(request, status, title, message)


def _page(request: HttpRequest, status: int, title: str, message: str) -> HttpResponse:
    context = {"title": title, "message": message, "status": status, "frame": _frame(request, status)}
    return render(request, "error.html", context, status=status)


def _frame(request: HttpRequest, status: int) -> str:
    """The frame with navigation for signed-in accounts. It queries the store, so it is left out after a failure."""
    user = getattr(request, "user", None)
    return "frame.html" if status in (403, 404) and user and user.is_authenticated else "base.html"
