"""The address that `up` listens to."""

import errno
import socket
from typing import Any

import pytest

from archive_site.lib.environment import ConfigurationError
from archive_site.serving.bind_address import Address, hand_over


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


OF_IPV6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no address of IPv6 for itself")


@pytest.mark.parametrize(
    ("text", "host", "port", "url"),
    [
        ("127.0.0.1:8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        (":8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        ("8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        ("0.0.0.0:80", "0.0.0.0", 80, "http://127.0.0.1:80"),
        ("[::1]:8000", "::1", 8000, "http://[::1]:8000"),
        ("[::]:8000", "::", 8000, "http://[::1]:8000"),
        ("[::ffff:127.0.0.1]:8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        ("[::FFFF:7f00:1]:8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        ("::1:8000", "::1", 8000, "http://[::1]:8000"),
        ("localhost:8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        ("127.0.0.1:0", "127.0.0.1", 0, "http://127.0.0.1:0"),
    ],
)
def test_an_address_is_read_and_shown_as_one_can_open_it(text: str, host: str, port: int, url: str) -> None:
    address = Address.parse(text)
    assert (address.host, address.port, address.url) == (host, port, url)


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:http", "host:-1", "", "127.0.0.1:\u0668\u0660"]
)
def test_an_address_without_a_port_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"\A--bind .*\Z"):
        Address.parse(text)


@pytest.mark.parametrize(
    "text",
    ["[::1", "::1", "[::1:8000", "::1]:8000", "[[::1]]:8000", "[::1]]:8000", "[1::2::3]:80", "http://localhost:80"],
)
def test_what_is_no_host_and_port_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Address.parse(text)
    assert str(refused.value) == (f"--bind {text}: HOST:PORT is needed, as in 127.0.0.1:8000 or [::1]:8000")


def test_an_address_of_ipv4_that_is_written_as_one_of_ipv6_is_bound() -> None:
    asked = Address.parse("[::ffff:127.0.0.1]:0")
    with asked.bound() as bound:
        assert reachable(asked.listen(bound))


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0:80",
        "[::ffff:192.0.2.1]:80",
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


@pytest.mark.parametrize(
    "text", ["127.0.0.1:80", "127.8.8.8:80", "[::1]:80", "[::ffff:127.0.0.1]:80", "localhost:80", ":80"]
)
def test_debug_mode_serves_this_machine(text: str, settings: Any) -> None:
    settings.DEBUG = True
    assert Address.parse(text).port == 80


@pytest.mark.parametrize("host", ["no..host", "192.0.2.1", "name.invalid"])
def test_an_address_of_elsewhere_is_one_line(host: str) -> None:
    with pytest.raises(ConfigurationError, match=r"\ACannot listen on .*\Z"):
        Address.parse(f"{host}:8000").bound()


def reachable(address: Address) -> bool:
    try:
        socket.create_connection((address.host, address.port), timeout=30).close()
    except ConnectionRefusedError:
        return False
    return True


@pytest.mark.parametrize("host", ["127.0.0.1", pytest.param("::1", marks=OF_IPV6)])
def test_for_port_0_the_system_chooses_one_which_the_address_then_has(host: str) -> None:
    asked = Address(host, 0)
    with asked.bound() as bound:
        found = asked.listen(bound)
        assert (found.host, found.port) == (host, bound.getsockname()[1])
        assert found.port > 0
        assert reachable(found)


def test_a_port_that_is_given_is_the_one_that_is_bound() -> None:
    # What is taken at one address of this machine is given to nobody at another.
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        asked = Address("127.0.0.2", elsewhere.getsockname()[1])
        with asked.bound() as bound:
            assert asked.listen(bound) == asked
            assert reachable(asked)


def test_nobody_can_connect_before_it_listens() -> None:
    with Address("127.0.0.1", 0).bound() as bound:
        assert not reachable(Address("127.0.0.1", bound.getsockname()[1]))


def test_of_two_that_start_at_once_the_slower_one_ends_with_one_line() -> None:
    with Address("127.0.0.1", 0).bound() as first:
        asked = Address("127.0.0.1", first.getsockname()[1])
        with asked.bound() as second:
            asked.listen(first)
            with pytest.raises(ConfigurationError, match=r"\ACannot listen on 127.0.0.1:\d+: Address already in use\Z"):
                asked.listen(second)


def test_a_process_that_starts_again_has_the_socket_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Address("127.0.0.1", 0)
    before = asked.bound()
    name = before.getsockname()
    variables = hand_over(before)
    assert before.get_inheritable()
    before.detach()
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    with asked.bound() as after:
        assert after.getsockname() == name
        assert not after.get_inheritable()
        # The next one is bound anew.
        with asked.bound() as other:
            assert other.getsockname() != name


def test_without_a_web_server_there_is_nothing_to_hand_over() -> None:
    assert hand_over(None) == {}


@OF_IPV6
def test_all_addresses_of_ipv6_are_those_of_ipv4_too() -> None:
    asked = Address("::", 0)
    with asked.bound() as bound:
        found = asked.listen(bound)
        assert reachable(Address("127.0.0.1", found.port))
        assert reachable(Address("::1", found.port))


@OF_IPV6
def test_one_address_of_ipv6_is_that_alone() -> None:
    asked = Address("::1", 0)
    with asked.bound() as bound:
        assert not reachable(Address("127.0.0.1", asked.listen(bound).port))


def test_a_system_without_ipv6_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*asked: object) -> None:
        raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")

    monkeypatch.setattr("archive_site.serving.bind_address.socket.socket", unknown)
    with pytest.raises(ConfigurationError, match=r"\ACannot listen on :::80: Address family not supported"):
        Address("::", 80).bound()
