"""What a request gets that no view answered: JSON under /api/, a page elsewhere (specification 7)."""

import logging
import secrets
import sys
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from redis.exceptions import RedisError

from archive_site.lib.errors import ApiError
from archive_site.lib.jsonviews import error_response

log = logging.getLogger(__name__)


def too_large(request: HttpRequest) -> HttpResponse:
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024
    return _failure(request, 413, "too_large", "Too large", f"A request may hold at most {limit} KiB.")


def length_required(request: HttpRequest) -> HttpResponse:
    return _failure(
        request, 411, "length_required", "Length required", "Send the length of the body with it (Content-Length)."
    )


def restoring(request: HttpRequest, error: ApiError) -> HttpResponse:
    if request.path.startswith("/api/"):
        return error_response(error)
    return _page(request, error.status, "A moment, please", error.message)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """400 where the CSRF token is missing or wrong (specification 5.2)."""
    if request.path.startswith("/api/"):
        return error_response(ApiError(400, "bad_request", "The CSRF token is missing or wrong."))
    return _page(request, 400, "Please try again", "The page was open too long, or cookies are off. Load it again.")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _failure(request, 400, "bad_request", "Bad request", "This request cannot be understood.")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _failure(request, 403, "forbidden", "Not allowed", "Only an administrator may see this.")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _failure(request, 404, "not_found", "Not found", "There is nothing at this address.")


def server_error(request: HttpRequest) -> HttpResponse:
    """500 that holds a generic message and an event id only, the detail being in the log; 503 where Redis is away."""
    if isinstance(sys.exc_info()[1], RedisError):
        log.error("Redis does not answer", exc_info=True)
        return _failure(
            request, 503, "unavailable", "Not available", "A part of this service does not answer. Try again soon."
        )
    event = secrets.token_hex(4)
    # Quoted: a line break in an address would make a line of the log.
    log.error("event %s: %s %s failed", event, request.method, quote(request.path), exc_info=True)
    message = f"Something went wrong on this side. The server's log has the detail under event {event}."
    return _failure(request, 500, "internal", "Something went wrong", message, event=event)


def _failure(request: HttpRequest, status: int, code: str, title: str, message: str, **extra: Any) -> HttpResponse:
    if request.path.startswith("/api/"):
        return error_response(ApiError(status, code, message, **extra))
    return _page(request, status, title, message)


def _page(request: HttpRequest, status: int, title: str, message: str) -> HttpResponse:
    return render(request, "error.html", {"title": title, "message": message, "status": status}, status=status)
