"""Pages of collection: an account's runs, and what every page says of its cookie."""

from collections.abc import Callable
from functools import cache

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from accounts import credential
from archive_site.lib import clock
from archive_site.lib.http import parameters
from archive_site.lib.http.account_request import AccountRequest, signed_in_page
from collection import runs, watermark
from collection.schedule import scheduler


@signed_in_page
def run_list(request: AccountRequest) -> HttpResponse:
    """The own runs, newest first; read through the API (specification 4.2)."""
    return render(request, "runs.html", {"now": clock.local_text(clock.now())})


@signed_in_page
def run(request: AccountRequest, run_id: str) -> HttpResponse:
    """One own run, followed through the API while it is under way. Raises Http404 for any other."""
    own = runs.of_account(request.user.pk).defer("stored_detail")
    found = own.filter(pk=parameters.whole_number(run_id)).first()
    if found is None:
        raise Http404
    return render(request, "run.html", {"run": found, "now": clock.local_text(clock.now())})


def notices(request: HttpRequest) -> dict[str, Callable[[], object]]:
    """For all templates, asked only where one uses it: what the frame is to say before it has asked the API.

    That is whether there was a run, whether a cookie is missing or was refused, and of which span calls may be missing.
    """

    def has_run() -> bool:
        return request.user.is_authenticated and runs.of_account(request.user.pk).exists()

    def cookieless() -> bool:
        return request.user.is_authenticated and not credential.is_set(request.user.pk)

    def refused() -> bool:
        return request.user.is_authenticated and scheduler.cookie_is_refused(request.user.pk)

    def short() -> list[str | None]:
        span = watermark.missing(request.user.pk) if request.user.is_authenticated else None
        return [clock.local_text(moment) for moment in span or ()]

    asked = {"has_run": has_run, "cookie_missing": cookieless, "cookie_refused": refused, "data_short": short}
    return {name: cache(ask) for name, ask in asked.items()}
