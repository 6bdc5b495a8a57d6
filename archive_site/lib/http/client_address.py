"""The client's address for limits, captchas and the audit log: docs/decisions/web.md#client-address."""

import ipaddress
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address of a request's client, as `address_in` finds it."""
    return address_in(request.META)


def address_in(environ: Mapping[str, Any]) -> str:
    """The client's address, without port; the nth from the right of X-Forwarded-For behind n trusted proxies.

    With no trusted proxy only the socket counts, since a client can send any header.
    """
    socket = _address(environ.get("REMOTE_ADDR", ""))
    hops = settings.TRUSTED_PROXIES
    if not hops:
        return socket
    forwarded = [_address(part) for part in environ.get("HTTP_X_FORWARDED_FOR", "").split(",")]
    return (forwarded[-hops] if len(forwarded) >= hops else "") or socket


def source_of(address: str) -> str:
    """The key of limits: an IPv4 address, or the /64 network of an IPv6 address, which usually is one customer."""
    if ":" not in address:
        return address
    return str(ipaddress.ip_network((address, 64), strict=False))


def _address(text: str) -> str:
    # The part after "%" is a zone index: it has a meaning on its own machine only, and any length.
    text = text.strip().partition("%")[0]
    for candidate in (text, text.strip("[]"), text.rpartition(":")[0].strip("[]")):
        try:
            address = ipaddress.ip_address(candidate)
            return str(getattr(address, "ipv4_mapped", None) or address)
        except ValueError:
            continue
    return ""
