"""The project's routes, and more: a view that fails, one for administrators, one that gives back what it gets, and one
that refuses it."""

from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from archive_site.lib.http.json_views import body_of, endpoint

MARKER = "marker-7f3a"


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError(MARKER)


def echo(request: HttpRequest) -> dict[str, Any]:
    return body_of(request)


def refuse(request: HttpRequest) -> dict[str, Any]:
    raise ValidationError(["First.", "Second."])


urlpatterns = [
    path("api/broken", endpoint(GET=broken)),
    path("api/echo", endpoint(POST=echo)),
    path("api/refuse", endpoint(GET=refuse)),
    path("api/admins", endpoint(admin=True, GET=lambda request: {"ok": True})),
    path("broken", broken),
    path("", include("archive_site.urls")),
]
handler400 = "archive_site.lib.http.error_responses.bad_request"
handler403 = "archive_site.lib.http.error_responses.forbidden"
handler404 = "archive_site.lib.http.error_responses.not_found"
handler500 = "archive_site.lib.http.error_responses.server_error"
