"""Checks of every request: the size of its body, no writes during a restore, and the rate of writes to pages."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.utils import translation

from archive_site.lib.http import error_responses, rate_limits
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.body_limits import is_upload, limit_of
from archive_site.lib.locks import write_freeze
from archive_site.lib.storage import lock_wait
from archive_site.lib.storage.data_folder import made

Next = Callable[[HttpRequest], HttpResponse]
_READING = ("GET", "HEAD", "OPTIONS")
# Signing out stays possible for an account whose writes another session has used up.
_UNLIMITED = ("/api/", "/logout")


def body_limit(get_response: Next) -> Next:
    """Refuse a body over the limit (413) or of unknown length (411) before anything reads it.

    An accepted body is read at once and whole, except for an uploaded file:
    docs/decisions/web.md#bodies-are-read-at-once.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length == "0" and "HTTP_TRANSFER_ENCODING" in request.META:
            return _early(error_responses.length_required, request)
        kind = request.META.get("CONTENT_TYPE", "")
        if not (length.isascii() and length.isdigit()) or int(length) > limit_of(request.path_info, kind):
            return _early(error_responses.too_large, request)
        if is_upload(request.path_info, kind):
            made(settings.DATA_FOLDER.imports)
            return get_response(request)
        try:
            _ = request.body
        except UnreadablePostError as error:
            return _early(error_responses.bad_request, request, error)
        return get_response(request)

    return answer


def share_lock_waits(get_response: Next) -> Next:
    """Let only some of the requests that are answered at once wait for long where others lock the store."""

    def answer(request: HttpRequest) -> HttpResponse:
        with lock_wait.of_a_request():
            return get_response(request)

    return answer


def no_writes_in_a_restore(get_response: Next) -> Next:
    """Answer a writing request with 503 while a restore replaces the store; a restore waits for those under way."""

    def answer(request: HttpRequest) -> HttpResponse:
        if request.method in _READING:
            return get_response(request)
        try:
            with write_freeze.writing():
                return get_response(request)
        except ApiError as error:
            return _early(error_responses.not_now, request, error)

    return answer


class PageWriteRate:
    """Answer 429 to more than 600 writes of an account in a minute to pages; `endpoint` checks those to the API.

    After the CSRF check, so that no other site can use up the writes of an account.
    """

    def __init__(self, get_response: Next):
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponse | None:
        if request.method in _READING or request.path_info.startswith(_UNLIMITED) or not request.user.is_authenticated:
            return None
        try:
            rate_limits.require_write_rate(request)
        except ApiError as error:
            return error_responses.not_now(request, error)
        return None


def _early(failure: Callable[..., HttpResponse], request: HttpRequest, *why: Exception) -> HttpResponse:
    """A failure before the account is determined: in the browser's language."""
    with translation.override(translation.get_language_from_request(request)):
        return failure(request, *why)
