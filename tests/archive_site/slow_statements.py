"""Statements of a store that run until they are ended, and views that ask them."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from archive_site.lib.http.account_request import signed_in_page
from archive_site.lib.http.described import READS, FileAnswer, described
from archive_site.lib.http.json_views import endpoint
from archive_site.lib.storage.sql import execute, fetch

# It would take minutes.
_ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {most}) SELECT COUNT(*) FROM n"
ENDLESS = _ENDLESS.format(most=10**10)
# About a tenth of a second.
LONG = _ENDLESS.format(most=200_000)


def slow(request: HttpRequest) -> dict[str, Any]:
    return {"found": fetch(ENDLESS)[0][0]}


def many(request: HttpRequest) -> dict[str, Any]:
    """Statements that are each short."""
    while True:
        fetch("SELECT 1")


def write(request: HttpRequest) -> dict[str, Any]:
    execute(f"UPDATE accounts_user SET display_name = CAST(({LONG}) AS TEXT)")  # noqa: S608 - a constant
    return {"ok": True}


@described(READS, "Export", "A file", answer=FileAnswer(("text/csv",), "The file."))
def file(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(fetch(LONG)[0][0]))


@signed_in_page
def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(slow(request)))


urlpatterns = [
    path("api/slow", endpoint(GET=slow, POST=write)),
    path("api/many", endpoint(GET=many)),
    path("api/writing-read", endpoint(GET=write)),
    path("api/file", endpoint(GET=file)),
    path("slow", page),
    path("", include("archive_site.urls")),
]
handler500 = "archive_site.lib.http.error_responses.server_error"
