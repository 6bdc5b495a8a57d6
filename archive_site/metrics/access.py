"""Who may read `/metrics`: the bearer of its token, and allowed addresses (docs/decisions/web.md#metrics)."""

import ipaddress

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.utils.crypto import constant_time_compare

from archive_site.lib.http.bearer import bearer_text
from archive_site.lib.http.client_address import client_address

NO_STORE = {"Cache-Control": "no-store"}


def is_on() -> bool:
    """Whether the environment opens the page to somebody."""
    return bool(settings.METRICS_TOKEN or settings.METRICS_ADDRESSES)


def refusal(request: HttpRequest) -> HttpResponse | None:
    """The answer to a request that may not read the page; None for one that may."""
    token = bearer_text(request)
    if settings.METRICS_TOKEN and token is not None:
        return None if constant_time_compare(token, settings.METRICS_TOKEN) else _unauthorized()
    if _comes_from_allowed_address(request):
        return None
    if settings.METRICS_ADDRESSES:
        return plain("This address may not read the metrics.\n", 403)
    return _unauthorized()


def plain(text: str, status: int, **headers: str) -> HttpResponse:
    """A short answer for programs, which no cache keeps."""
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8", headers={**NO_STORE, **headers})


def _unauthorized() -> HttpResponse:
    return plain("Send the token of the metrics.\n", 401, **{"WWW-Authenticate": "Bearer"})


def _comes_from_allowed_address(request: HttpRequest) -> bool:
    try:
        address = ipaddress.ip_address(client_address(request))
    except ValueError:
        return False
    return any(address in network for network in settings.METRICS_ADDRESSES) and _is_asked_by_its_own_name(request)


def _is_asked_by_its_own_name(request: HttpRequest) -> bool:
    """Whether the Host header is an allowed name or any address.

    A foreign page could lead a name of its own to this service, and read it in a browser on an allowed machine.
    """
    try:
        request.get_host()
    except DisallowedHost:
        return _is_address(split_domain_port(request.META.get("HTTP_HOST", ""))[0].strip("[]"))
    return True


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
