"""Files that the web server receives: over real connections (docs/decisions/web.md#slow-clients)."""

import errno
import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import OperationalError, connections

from accounts.models import ApiToken, User
from accounts.tokens import personal_tokens, token_text
from archive_site.serving import slow_clients
from archive_site.serving.places import OF_A_SOURCE
from archive_site.serving.uploads import OF_ACCOUNTS, OF_AN_ACCOUNT, OF_STRANGERS
from tests.archive_site.commands import wait_until
from tests.archive_site.conftest import LONGEST_BODY
from tests.archive_site.small_site import Site, everything
from tests.factories import ApiClient, make_user
from tests.tokens import make_token

FILE = 5 * LONGEST_BODY
REFUSED = b"HTTP/1.1 503 Service Unavailable\r\n"


@pytest.fixture(autouse=True)
def _limit(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.IMPORT_MAX_BYTES = FILE
    # The threads of the site keep no connection to the database of the tests.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)


def head(
    path: str = "/api/import",
    length: int = FILE,
    kind: str = "multipart/form-data; boundary=x",
    headers: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Type: {kind}", f"Content-Length: {length}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode()


def by_token(user: User) -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(user)[1]}"}


def by_session(user: User) -> dict[str, str]:
    name = django_settings.SESSION_COOKIE_NAME
    return {"Cookie": f"{name}={ApiClient.signed_in(user).client.cookies[name].value}"}


def taken(site: Site, *, is_of_account: bool) -> int:
    return site.server.uploads.taken(is_of_account=is_of_account)


def is_unused(site: Site) -> bool:
    return not taken(site, is_of_account=True) and not taken(site, is_of_account=False)


def test_a_file_is_received_whole(site: Site) -> None:
    answer = everything(site.connect(head() + b"x" * FILE))
    assert answer.endswith(b"x" * FILE)


@pytest.mark.parametrize(
    "said", [head("/api/collect"), head(kind="application/json"), head(length=FILE + 1), head("/api/import/")]
)
def test_another_body_of_that_length_is_not_received(site: Site, said: bytes) -> None:
    # The application sees no body; the middleware refuses its length.
    assert everything(site.connect(said)).endswith(b"\r\n\r\nok")


def test_more_files_than_places_are_refused(site: Site) -> None:
    sending = [site.connect(head() + b"x") for _ in range(OF_A_SOURCE)]
    wait_until(lambda: taken(site, is_of_account=False) == OF_A_SOURCE)
    assert everything(site.connect(head() + b"x")).startswith(REFUSED)
    assert site.get("/page").endswith(b"ok")
    sending[0].sendall(b"x" * (FILE - 1))
    assert everything(sending[0]).endswith(b"x" * FILE)
    sending[1].close()
    wait_until(lambda: is_unused(site))


@pytest.mark.django_db(transaction=True)
def test_strangers_hold_no_place_of_an_account(site: Site, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    alice, bob = (by_token(make_user(name)) for name in ("alice", "bob"))
    for number in range(OF_STRANGERS):
        site.connect(head(headers={"X-Forwarded-For": f"192.0.2.{number}"}) + b"x")
    wait_until(lambda: taken(site, is_of_account=False) == OF_STRANGERS)
    assert everything(site.connect(head(headers={"X-Forwarded-For": "192.0.2.9"}) + b"x")).startswith(REFUSED)
    for number in range(OF_AN_ACCOUNT):
        site.connect(head(headers={"X-Forwarded-For": f"198.51.100.{number}", **alice}) + b"x")
    wait_until(lambda: taken(site, is_of_account=True) == OF_AN_ACCOUNT)
    # Two places are for others, from however many addresses one account sends.
    third = site.connect(head(headers={"X-Forwarded-For": "198.51.100.9", **alice}) + b"x")
    assert everything(third).startswith(REFUSED)
    for number in range(OF_ACCOUNTS - OF_AN_ACCOUNT):
        site.connect(head(headers={"X-Forwarded-For": f"203.0.113.{number}", **bob}) + b"x")
    wait_until(lambda: taken(site, is_of_account=True) == OF_ACCOUNTS)


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("claim", [by_token, by_session])
def test_a_file_of_an_account_takes_one_of_its_places(site: Site, claim: Any) -> None:
    sending = site.connect(head(headers=claim(make_user("alice"))) + b"x")
    wait_until(lambda: taken(site, is_of_account=True) == 1)
    sending.sendall(b"x" * (FILE - 1))
    assert everything(sending).endswith(b"x" * FILE)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("claim", [by_token, by_session])
def test_the_claim_of_a_disabled_account_is_that_of_a_stranger(site: Site, claim: Any) -> None:
    user = make_user("alice")
    headers = claim(user)
    User.objects.update(status=User.DISABLED)
    site.connect(head(headers=headers) + b"x")
    wait_until(lambda: taken(site, is_of_account=False) == 1)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("version", [{"session_version": 9}, {"password": "!"}])
def test_a_session_that_has_ended_is_that_of_a_stranger(site: Site, version: dict[str, Any]) -> None:
    headers = by_session(make_user("alice"))
    User.objects.update(**version)
    site.connect(head(headers=headers) + b"x")
    wait_until(lambda: taken(site, is_of_account=False) == 1)


@pytest.mark.django_db(transaction=True)
def test_the_session_of_a_visitor_is_that_of_a_stranger(site: Site) -> None:
    visitor = ApiClient().client
    visitor.get("/captcha.png")
    name = django_settings.SESSION_COOKIE_NAME
    site.connect(head(headers={"Cookie": f"{name}={visitor.cookies[name].value}"}) + b"x")
    wait_until(lambda: taken(site, is_of_account=False) == 1)


def test_a_file_is_received_as_a_strangers_while_the_store_cannot_say(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(text: str) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(personal_tokens, "find", fail)
    sending = site.connect(head(headers={"Authorization": f"Bearer {token_text.new_text()}"}) + b"x")
    wait_until(lambda: taken(site, is_of_account=False) == 1)
    sending.sendall(b"x" * (FILE - 1))
    assert everything(sending).endswith(b"x" * FILE)


def test_nothing_is_read_or_ended_while_the_store_is_asked(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answered = threading.Event(), threading.Event()

    def wait(text: str) -> ApiToken:
        asked.set()
        assert answered.wait(60)
        return ApiToken(user_id=1)

    monkeypatch.setattr(personal_tokens, "find", wait)
    sending = site.connect(head(headers={"Authorization": f"Bearer {token_text.new_text()}"}) + b"x")
    assert asked.wait(60)
    site.pass_by(slow_clients.LONGEST_REQUEST + 1)
    assert is_unused(site)
    assert site.places_taken == 0
    assert site.get("/page").endswith(b"ok")
    answered.set()
    wait_until(lambda: taken(site, is_of_account=True) == 1)
    sending.sendall(b"x" * (FILE - 1))
    assert everything(sending).endswith(b"x" * FILE)


def test_a_client_that_leaves_while_the_store_is_asked_holds_no_place(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answered = threading.Event(), threading.Event()

    def wait(text: str) -> ApiToken:
        asked.set()
        assert answered.wait(60)
        return ApiToken(user_id=1)

    monkeypatch.setattr(personal_tokens, "find", wait)
    sending = site.connect(head(headers={"Authorization": f"Bearer {token_text.new_text()}"}) + b"x")
    assert asked.wait(60)
    sending.close()
    answered.set()
    wait_until(lambda: not site.connections)
    assert is_unused(site)


def test_a_file_for_which_the_disk_has_no_room_is_507(
    site: Site, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*asked: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("waitress.buffers.TempfileBasedBuffer.append", full)
    # More than is kept in memory; the client would send still more.
    settings.IMPORT_MAX_BYTES = large = 4 * 1024 * 1024
    answer = everything(site.connect(head(length=large) + b"x" * (large - 1000)))
    assert answer.startswith(b"HTTP/1.1 507 Insufficient Storage\r\n")
    assert b'"error": "no_space"' in answer
    assert site.get("/page").endswith(b"ok")
    wait_until(lambda: is_unused(site))


@pytest.mark.django_db(transaction=True)
def test_a_file_of_an_account_gets_more_time_than_that_of_a_stranger(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_clients, "LONGEST_REQUEST", 5.0)
    monkeypatch.setattr(slow_clients, "LEAST_OF_UPLOAD", FILE / 60)
    slow = site.connect(head(headers=by_token(make_user("alice"))) + b"x")
    wait_until(lambda: taken(site, is_of_account=True) == 1)
    site.pass_by(1)
    assert site.places_taken == 1
    other = site.connect(head() + b"x")
    site.wait_for_requests(2)
    site.pass_by(6)
    assert everything(other).startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    slow.sendall(b"x" * (FILE - 1))
    assert everything(slow).endswith(b"x" * FILE)


@pytest.mark.django_db(transaction=True)
def test_a_file_that_comes_too_slowly_is_ended(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_clients, "LONGEST_REQUEST", 5.0)
    monkeypatch.setattr(slow_clients, "LEAST_OF_UPLOAD", FILE * 10)
    slow = site.connect(head(headers=by_token(make_user("alice"))) + b"x")
    wait_until(lambda: taken(site, is_of_account=True) == 1)
    site.pass_by(6)
    assert everything(slow).startswith(b"HTTP/1.1 408 Request Timeout\r\n")
