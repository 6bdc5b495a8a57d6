"""The device cookie of a browser that has signed in before: docs/api.md#sign-in-throttle."""

import time
import uuid
from typing import Any

import pytest
from django.conf import settings
from django.core import signing

from accounts.models import Store, User
from accounts.signin import device_cookie
from accounts.signin.throttling import MOST_BY_ADDRESS, TooManyFailures, count_try
from tests.accounts.page_forms import answer_of, instance, page, sign_in
from tests.concurrency import together
from tests.factories import PASSWORD, ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
WRONG_PASSWORD = "wrong Horse 7"
NEW_PASSWORD = "another Horse 8"


@pytest.fixture(autouse=True)
def store(db: None) -> Store:
    return Store.objects.get_or_create(id=1, defaults={"time_zone": "Europe/Berlin", "key_fingerprint": "f"})[0]


@pytest.fixture
def cookie(alice: User) -> str:
    """The device cookie of a browser in which alice has signed in."""
    browser = ApiClient()
    assert sign_in(browser).status_code == 302
    return str(browser.client.cookies[settings.DEVICE_COOKIE_NAME].value)


def browser_with(cookie: str) -> ApiClient:
    browser = ApiClient()
    browser.client.cookies[settings.DEVICE_COOKIE_NAME] = cookie
    return browser


def lock_name(name: str = "alice") -> None:
    for number in range(10):
        count_try(name, f"192.0.2.{number}")


def lock_address(address: str) -> None:
    for number in range(MOST_BY_ADDRESS):
        count_try(f"name{number}", address)


def status(cookie: str, password: str = PASSWORD, name: str = "alice", **fields: str) -> int:
    return int(sign_in(browser_with(cookie), name, password, **fields).status_code)


def test_a_sign_in_leaves_the_cookie_for_a_year(alice: User, anonymous: ApiClient) -> None:
    sign_in(anonymous)
    cookie = anonymous.client.cookies["archive_device"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert cookie["max-age"] == 365 * 86400
    assert not cookie["secure"]


def test_under_https_the_cookie_is_secure(alice: User, anonymous: ApiClient, settings: Any) -> None:
    settings.SESSION_COOKIE_SECURE = True
    sign_in(anonymous)
    assert anonymous.client.cookies["archive_device"]["secure"]


def test_a_failed_sign_in_leaves_none(alice: User, anonymous: ApiClient) -> None:
    sign_in(anonymous, password=WRONG_PASSWORD)
    assert "archive_device" not in anonymous.client.cookies


def test_the_cookie_holds_neither_name_nor_hash(alice: User, cookie: str) -> None:
    held = str(signing.loads(cookie, salt="accounts.device"))
    alice.refresh_from_db()
    assert not any(secret in held for secret in ("'alice'", alice.password, alice.get_session_auth_hash()))


def test_the_owner_signs_in_while_strangers_lock_the_name(cookie: str) -> None:
    lock_name()
    assert (status(cookie), status("")) == (302, 429)


def test_the_owner_signs_in_while_strangers_lock_the_address(cookie: str) -> None:
    lock_address("192.0.2.9")
    assert (status(cookie, address="192.0.2.9"), status("", address="192.0.2.9")) == (302, 429)


def test_other_spellings_of_the_name_are_the_same_account(cookie: str) -> None:
    lock_name()
    assert status(cookie, name="ＡＬＩＣＥ") == 302


def test_the_device_has_ten_tries_of_its_own(cookie: str) -> None:
    lock_name()
    assert [status(cookie, WRONG_PASSWORD) for _ in range(11)] == [400] * 10 + [429]
    assert status(cookie) == 429


def test_failures_of_the_device_lock_neither_name_nor_address(cookie: str) -> None:
    for _ in range(12):
        status(cookie, WRONG_PASSWORD)
    assert status("") == 302


@pytest.mark.thorough
def test_a_success_clears_the_device_and_not_the_name(cookie: str) -> None:
    lock_name()
    for _ in range(9):
        status(cookie, WRONG_PASSWORD)
    assert status(cookie) == 302
    assert [status(cookie, WRONG_PASSWORD) for _ in range(11)] == [400] * 10 + [429]
    assert status("") == 429


def test_two_devices_of_an_account_count_apart(cookie: str) -> None:
    other = ApiClient()
    sign_in(other)
    for _ in range(10):
        status(cookie, WRONG_PASSWORD)
    assert status(other.client.cookies[settings.DEVICE_COOKIE_NAME].value) == 302


def test_the_cookie_of_another_account_counts_as_none(cookie: str, bob: User) -> None:
    lock_name("bob")
    assert status(cookie, name="bob") == 429


@pytest.mark.parametrize("forged", ["", "x", "e30:1:x", "a" * 4000])
def test_a_forged_cookie_counts_as_none(forged: str, alice: User) -> None:
    lock_name()
    assert status(forged) == 429


def test_a_cookie_signed_for_another_purpose_counts_as_none(alice: User) -> None:
    mark = {"account": alice.pk, "device": "x", "bound": device_cookie._bound_to(alice)}
    lock_name()
    assert status(signing.dumps(mark, salt="something else")) == 429


def test_a_changed_cookie_counts_as_none(cookie: str) -> None:
    lock_name()
    assert status(("f" if cookie[0] != "f" else "g") + cookie[1:]) == 429


def test_a_cookie_dies_after_a_year(cookie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 366 * 86400)
    lock_name()
    assert status(cookie) == 429


def test_a_cookie_dies_with_a_change_of_the_password(cookie: str) -> None:
    browser = browser_with("")
    sign_in(browser)
    browser.token = browser.client.cookies[settings.CSRF_COOKIE_NAME].value
    answer = browser.post("/api/password", {"old": PASSWORD, "new": NEW_PASSWORD, "new2": NEW_PASSWORD})
    assert answer_of(answer)["ok"]
    lock_name()
    assert status(cookie, NEW_PASSWORD) == 429


def test_a_cookie_dies_with_a_restore(cookie: str) -> None:
    Store.objects.update(store_id=uuid.uuid4())
    lock_name()
    assert status(cookie) == 429


def test_a_cookie_of_a_deleted_account_counts_as_none(cookie: str, alice: User) -> None:
    alice.delete()
    lock_name()
    assert status(cookie) == 429


@pytest.mark.thorough
def test_a_wrong_captcha_counts_for_the_device(cookie: str) -> None:
    instance(captcha_policy="always")
    lock_address("192.0.2.9")
    assert [status(cookie, address="192.0.2.9") for _ in range(11)] == [400] * 10 + [429]


def test_a_failure_of_the_device_asks_for_a_captcha(cookie: str) -> None:
    instance(captcha_policy="on_failure")
    browser = browser_with(cookie)
    assert 'name="captcha"' not in page(browser.get("/login"))
    assert 'name="captcha"' in page(sign_in(browser, password=WRONG_PASSWORD))


@pytest.mark.thorough
def test_the_device_that_is_locked_out_has_to_wait(cookie: str) -> None:
    for _ in range(10):
        status(cookie, WRONG_PASSWORD)
    response = sign_in(browser_with(cookie))
    assert 1 <= int(response.headers["Retry-After"]) <= 900


def test_parallel_tries_of_a_device_get_at_most_ten_guesses() -> None:
    def refused(address: str) -> bool:
        try:
            count_try("alice", address, "device")
        except TooManyFailures:
            return True
        return False

    guesses = [lambda n=n: refused(f"192.0.2.{n}") for n in range(24)]
    assert together(*guesses).count(False) == 10


@pytest.mark.engine
@pytest.mark.parametrize("name", ["alice\0", "\0", "a\0lice"])
def test_a_name_that_no_database_takes_is_a_wrong_one(cookie: str, name: str) -> None:
    assert status(cookie, name=name) == 400
