"""The CSRF check of every POST, by the token and the request's origin: docs/api.md#csrf."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, HttpResponseForbidden
from django.middleware.csrf import REASON_CSRF_TOKEN_MISSING, REASON_NO_CSRF_COOKIE, CsrfViewMiddleware, RejectRequest
from django.urls import get_callable
from django.utils.translation import gettext

from archive_site.lib.http import refusal_log
from archive_site.lib.http.bearer import is_by_token

FIELD = "_csrf"
# This header shows a page that its token was refused, and not what it sent.
REFUSAL = "Archive-CSRF"
_DJANGO_FIELD = "csrfmiddlewaretoken"


class CsrfCheck(CsrfViewMiddleware):
    """Django's check, except that a token in the header needs no Referer and the form field is `_csrf`.

    A page of another origin cannot send the header: its browser asks first (CORS), and this service never agrees.
    A form can be sent from anywhere, so it gets Django's whole check. A foreign `Origin` is refused in both cases.
    A request by a token is not checked: no browser adds a token to a request by itself, and cookies do not count there.
    """

    def process_view(
        self, request: HttpRequest, callback: Callable[..., HttpResponseBase], args: Any, kwargs: Any
    ) -> HttpResponseForbidden | None:
        return None if is_by_token(request) else super().process_view(request, callback, args, kwargs)

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponseBase:
        """The answer to a refusal, with a line of the log; Django's would hold whatever address a Referer names."""
        if not is_about_origin(reason):
            return super()._reject(request, reason)  # type: ignore[misc,no-any-return]  # missing in the stubs
        refusal_log.note_origin(request)
        answer: HttpResponseBase = get_callable(settings.CSRF_FAILURE_VIEW)(request, reason=reason)
        return answer

    def _check_referer(self, request: HttpRequest) -> None:
        if settings.CSRF_HEADER_NAME in request.META:
            return
        if not (request.POST.get(FIELD) or request.POST.get(_DJANGO_FIELD)):
            raise RejectRequest(REASON_CSRF_TOKEN_MISSING)
        super()._check_referer(request)  # type: ignore[misc]  # missing in the stubs

    def _check_token(self, request: HttpRequest) -> None:
        # Django has checked Origin and Referer by now, so the field can take the place of the header.
        token = request.POST.get(FIELD)
        if token:
            request.META.setdefault(settings.CSRF_HEADER_NAME, token)
        super()._check_token(request)  # type: ignore[misc]


def is_about_origin(reason: str) -> bool:
    """Whether Django refused a request because of its origin."""
    return reason.startswith(("Origin ", "Referer "))


def what_is_wrong(reason: str) -> str:
    """Django's reason for a refusal as a sentence for the client."""
    if reason.startswith("Origin "):
        return gettext("The request comes from another origin (Origin).")
    if reason.startswith("Referer "):
        return gettext("A form request needs a Referer or Origin header of this origin.")
    if reason == REASON_CSRF_TOKEN_MISSING:
        return gettext("The CSRF token is missing: send it in the header X-CSRF-Token.")
    if reason == REASON_NO_CSRF_COOKIE:
        return gettext("The cookie of the CSRF token is missing.")
    return gettext("The CSRF token is wrong.")
