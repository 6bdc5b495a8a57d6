"""The client's address behind no, one or two trusted proxies: docs/decisions/web.md#client-address."""

from typing import Any

import pytest
from django.test import RequestFactory

from archive_site.lib.http.client_address import client_address

SOCKET = "192.0.2.1"


def address(settings: Any, proxies: int, forwarded: str | None, socket: str = SOCKET) -> str:
    settings.TRUSTED_PROXIES = proxies
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return client_address(RequestFactory().get("/", headers=headers, REMOTE_ADDR=socket))


@pytest.mark.parametrize("forwarded", [None, "203.0.113.9", "203.0.113.9, 198.51.100.4", "nonsense"])
def test_without_a_proxy_only_the_socket_counts(forwarded: str | None, settings: Any) -> None:
    assert address(settings, 0, forwarded) == SOCKET


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "10.9.9.9, 203.0.113.9", "203.0.113.9"),
        (2, "203.0.113.9, 198.51.100.4", "203.0.113.9"),
        (2, "10.9.9.9, 203.0.113.9, 198.51.100.4", "203.0.113.9"),
    ],
)
def test_what_the_client_wrote_itself_never_counts(proxies: int, forwarded: str, expected: str, settings: Any) -> None:
    assert address(settings, proxies, forwarded) == expected


@pytest.mark.parametrize("proxies", [1, 2])
@pytest.mark.parametrize("forwarded", [None, "", "nonsense", "nonsense, nonsense"])
def test_the_socket_counts_where_the_proxies_say_nothing(proxies: int, forwarded: str | None, settings: Any) -> None:
    assert address(settings, proxies, forwarded) == SOCKET


def test_the_socket_counts_where_the_header_is_shorter_than_the_chain(settings: Any) -> None:
    assert address(settings, 2, "203.0.113.9") == SOCKET


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("203.0.113.9:51234", "203.0.113.9"),
        ("[2001:db8::7]:51234", "2001:db8::7"),
        ("[2001:db8::7]", "2001:db8::7"),
        ("2001:DB8:0::7", "2001:db8::7"),
    ],
)
def test_the_address_is_without_port_in_its_shortest_form(written: str, expected: str, settings: Any) -> None:
    assert address(settings, 1, written) == expected


def test_a_socket_without_an_address_has_none(settings: Any) -> None:
    assert address(settings, 0, None, socket="") == ""


@pytest.mark.parametrize("forwarded", ["fe80::1%" + "a" * 100, "203.0.113.9" + "9" * 100, "x" * 10_000])
def test_no_address_is_longer_than_the_store_holds(forwarded: str, settings: Any) -> None:
    assert len(address(settings, 1, forwarded)) <= 45
