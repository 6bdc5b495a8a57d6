"""The way from a form to a page of another host."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext


def lead_out(request: HttpRequest, address: str) -> HttpResponse:
    """A page that leads to this address at once (docs/decisions/accounts.md#sign-in-elsewhere).

    No redirect does: the policy of pages lets forms lead nowhere else.
    """
    context = {
        "title": gettext("One moment"),
        "message": gettext("This leads to %(host)s.") % {"host": urlsplit(address).netloc},
        "back": address,
        "back_text": gettext("Go on"),
    }
    response = render(request, "error.html", context)
    response.headers["Refresh"] = f"0; url={address}"
    return response
