"""Hosts that the whole internet can reach; addresses that members name must be of these (docs/sources.md#addresses)."""

import socket

from archive_site.lib.public_addresses import is_public


class PrivateHost(Exception):
    """The host, or the machine behind it, is not one that the whole internet can reach."""


def require(host: str) -> None:
    """Raises PrivateHost for a name with a private address, and OSError for one that has none."""
    for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM):
        require_address(str(entry[4][0]))


def require_address(address: str) -> None:
    """Raises PrivateHost for a numeric address that is not public."""
    if not is_public(address):
        raise PrivateHost
