"""JSON views whose answers span apps (specification 4.2)."""

from typing import Any

from django.db import connection
from django.http import HttpRequest, HttpResponse

from accounts.models import User
from archive_site.manifest import manifest as manifest_of
from archive_site.status import status as status_of


def manifest(request: HttpRequest) -> dict[str, Any]:
    return manifest_of(_user(request))


def status(request: HttpRequest) -> dict[str, Any]:
    return status_of(_user(request))


def healthz(request: HttpRequest) -> HttpResponse:
    """200 `ok` while the application and its store answer; says nothing else to anyone."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok\n", content_type="text/plain", headers={"Cache-Control": "no-store"})


def _user(request: HttpRequest) -> User:
    # `endpoint` has let in nobody else.
    assert isinstance(request.user, User)
    return request.user
