"""The address that `up` listens to."""

from typing import Any

import pytest

from archive_site.lib.environment import ConfigurationError
from archive_site.serving.supervisor import Address


@pytest.mark.parametrize(
    ("text", "host", "port", "url"),
    [
        ("127.0.0.1:8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        (":8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        ("8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        ("0.0.0.0:80", "0.0.0.0", 80, "http://127.0.0.1:80"),
        ("[::1]:8000", "::1", 8000, "http://[::1]:8000"),
        ("[::]:8000", "::", 8000, "http://[::1]:8000"),
        ("localhost:8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
    ],
)
def test_an_address_is_read_and_shown_as_one_can_open_it(text: str, host: str, port: int, url: str) -> None:
    address = Address.parse(text)
    assert (address.host, address.port, address.url) == (host, port, url)


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:http", "host:-1", "", "127.0.0.1:\u0668\u0660"]
)
def test_an_address_without_a_port_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"\A--bind .*\Z"):
        Address.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0:80",
        "192.0.2.1:80",
        "[::]:80",
        "[::1234]:80",
        "example.org:80",
        "localhost.example.org:80",
        "127.evil:80",
    ],
)
def test_debug_mode_refuses_all_but_this_machine(text: str, settings: Any) -> None:
    settings.DEBUG = True
    with pytest.raises(ConfigurationError, match="this machine only"):
        Address.parse(text)


@pytest.mark.parametrize("text", ["127.0.0.1:80", "127.8.8.8:80", "[::1]:80", "localhost:80", ":80"])
def test_debug_mode_serves_this_machine(text: str, settings: Any) -> None:
    settings.DEBUG = True
    assert Address.parse(text).port == 80


@pytest.mark.parametrize("host", ["no..host", "192.0.2.1", "name.invalid"])
def test_an_address_of_elsewhere_is_one_line(host: str) -> None:
    with pytest.raises(ConfigurationError, match=r"\ACannot listen on .*\Z"):
        Address.parse(f"{host}:8000").require_free()
