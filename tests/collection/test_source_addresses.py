"""Addresses that owners of archives give (docs/sources.md#addresses)."""

import pytest

from accounts.archive_changes import WrongField
from archive_site.lib.stored_message import Message
from collection.sources.addresses import normal_address, usable_address
from collection.sources.over_http import public_hosts
from collection.sources.over_http.asking import Asking
from collection.sources.over_http.exchange import Answer, Request
from collection.sources.source import SourceFailure
from tests.collection.scripted_upstream import ScriptedUpstream, answer, hang


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("https://gateway.example.org", "https://gateway.example.org"),
        (" https://Gateway.Example.ORG/ ", "https://gateway.example.org"),
        ("https://gateway.example.org/v1", "https://gateway.example.org"),
        ("https://gateway.example.org/llm/v1/", "https://gateway.example.org/llm"),
        ("https://gateway.example.org:8443/a-b/c_d", "https://gateway.example.org:8443/a-b/c_d"),
        ("https://[2606:4700::1111]", "https://[2606:4700::1111]"),
    ],
)
def test_an_address_has_a_normal_form(given: str, normal: str) -> None:
    assert normal_address(given, private_allowed=False) == normal == normal_address(normal, private_allowed=False)


@pytest.mark.parametrize(
    "given",
    [
        None, 7, "", " ", "gateway.example.org", "ftp://gateway.example.org", "https://", "https://:443",
        "https://user@gateway.example.org", "https://user:secret@gateway.example.org", "https://gateway.example.org?a=b",
        "https://gateway.example.org#a", "https://gateway.example.org/../admin", "https://gateway.example.org/a b",
        "https://gateway.example.org/%2e%2e", "https://gateway.example.org:0", "https://gateway.example.org:x",
        "https://gateway.example.org:70000", "https://g\u0430teway.example.org", "https://a\nb.example.org",
        "https://-a.example.org", f"https://{'a' * 300}.example.org", "javascript://gateway.example.org", ["https://a.b"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("private_allowed", [False, True])
def test_what_is_no_address_is_refused_and_not_repeated(given: object, private_allowed: bool) -> None:
    with pytest.raises(WrongField) as refused:
        normal_address(given, private_allowed=private_allowed)
    assert (refused.value.status, refused.value.error) == (400, "bad_request")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "given",
    [
        "http://gateway.example.org", "https://127.0.0.1", "https://10.1.2.3:4000", "https://192.168.1.2",
        "https://169.254.169.254", "https://[::1]", "https://[::ffff:10.0.0.1]", "https://localhost", "https://gateway",
        "https://gateway.local", "https://gateway.internal", "https://gateway.home.arpa", "http://127.0.0.1:4000",
    ],
)  # fmt: skip
def test_private_hosts_are_for_those_who_may_name_them(given: str) -> None:
    with pytest.raises(WrongField):
        normal_address(given, private_allowed=False)
    assert normal_address(given, private_allowed=True) == given
    assert usable_address(given, private_allowed=False) == ""


def asked(url: str) -> Asking:
    asking = Asking(5.0, True, lambda found: False, tries=1, private_allowed=False)
    with pytest.raises(SourceFailure) as raised:
        asking.ask(Request("GET", url, {"Authorization": "Bearer secret-of-a-test"}))
    assert raised.value.message == Message("host_not_public", host=url.split("/")[2].split(":")[0])
    asking.close()
    return asking


def test_a_host_that_is_not_public_is_not_connected_to() -> None:
    with ScriptedUpstream(answer(200, "{}")) as server:
        asked(f"{server.url}/spend")
        asked(f"http://localhost:{server.url.rpartition(':')[2]}/spend")
        assert (server.connections, server.requests) == (0, [])


def test_a_name_that_turns_private_after_the_check_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_hosts, "require", lambda host: None)
    with ScriptedUpstream(hang) as server:
        asked(f"{server.url}/spend")
        assert server.requests == []


def test_where_private_hosts_are_allowed_it_is_asked() -> None:
    with ScriptedUpstream(answer(200, "{}")) as server:
        found, _ = Asking(5.0, True, lambda found: False).ask(Request("POST", f"{server.url}/spend", {}, b"{}"))
        assert found == Answer(200, "", "", bytearray(b"{}"))
