"""The throttle of failed sign-ins: docs/api.md#sign-in-throttle."""

import time
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from accounts.models import User
from accounts.signin import throttling
from accounts.signin.forms import WRONG
from accounts.signin.throttling import TooManyFailures, Try, count_try, has_failed
from audit.models import Entry
from tests.accounts.page_forms import instance, page, sign_in
from tests.concurrency import processes, together
from tests.factories import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
WRONG_PASSWORD = "wrong Horse 7"
GUESS = """
import sys
from django.conf import settings
counters = {"BACKEND": "archive_site.lib.storage.counter_cache.CounterCache", "LOCATION": sys.argv[1]}
settings.configure(
    CACHES={"default": counters, "counters": counters}, AUTH_USER_MODEL="accounts.User", USE_TZ=True,
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "accounts"],
)
import django
django.setup()
from accounts.signin.throttling import TooManyFailures, count_try
passed = 0
for number in range(50):
    try:
        count_try("alice", f"192.0.2.{number % 5}")
        passed += 1
    except TooManyFailures:
        pass
print(passed)
"""


def refused(name: str, address: str) -> bool:
    try:
        count_try(name, address)
    except TooManyFailures:
        return True
    return False


def fail(times: int, name: str = "alice", address: str = "192.0.2.1") -> Any:
    """Fail `times` times from one address; return the page's answer to the last failure."""
    for _ in range(times - 1):
        refused(name, address)
    return sign_in(ApiClient(), name, WRONG_PASSWORD, address=address)


def fill_address(address: str, times: int = throttling.MOST_BY_ADDRESS) -> None:
    for number in range(times):
        count_try(f"name{number}", address)


def test_the_tenth_failure_gets_the_ordinary_answer(alice: User) -> None:
    response = fail(10)
    assert response.status_code == 400
    assert WRONG in page(response)


def test_the_next_try_is_429_even_with_the_right_password(alice: User, anonymous: ApiClient) -> None:
    fail(10)
    response = sign_in(anonymous, address="192.0.2.2")
    assert response.status_code == 429
    assert 1 <= int(response.headers["Retry-After"]) <= 900
    assert "Too many failed tries" in page(response)
    assert anonymous.get("/config").status_code == 302


def test_a_refused_try_keeps_the_name_and_not_the_password(alice: User) -> None:
    response = fail(11)
    assert 'value="alice"' in page(response)
    assert WRONG_PASSWORD not in page(response)


def test_an_unknown_name_is_throttled_as_a_known_one() -> None:
    assert (fail(10, "nobody").status_code, fail(1, "nobody").status_code) == (400, 429)


def test_another_name_from_another_address_signs_in(alice: User, bob: User, anonymous: ApiClient) -> None:
    fail(11)
    assert sign_in(anonymous, "bob", address="192.0.2.2").status_code == 302


@pytest.mark.parametrize("spelling", ["ALICE", " alice ", "ａｌｉｃｅ", "Alice"])
def test_other_spellings_count_as_the_same_name(spelling: str, alice: User, anonymous: ApiClient) -> None:
    fail(5)
    fail(5, spelling)
    assert sign_in(anonymous, address="192.0.2.2").status_code == 429


def test_the_thirtieth_failure_of_an_address_is_ordinary_and_the_next_is_429(alice: User, anonymous: ApiClient) -> None:
    fill_address("192.0.2.1", 29)
    assert fail(1, "bob").status_code == 400
    assert sign_in(anonymous, address="192.0.2.1").status_code == 429
    assert sign_in(anonymous, address="192.0.2.2").status_code == 302


def test_a_success_clears_the_name(alice: User, anonymous: ApiClient) -> None:
    fail(9)
    assert sign_in(anonymous, address="192.0.2.2").status_code == 302
    assert fail(10).status_code == 400
    assert fail(1).status_code == 429


def test_a_success_does_not_clear_the_address(alice: User, anonymous: ApiClient) -> None:
    fill_address("192.0.2.1", 29)
    assert sign_in(anonymous, address="192.0.2.1").status_code == 302
    assert fail(1, "bob").status_code == 400
    assert fail(1, "carol").status_code == 429


def test_successes_never_add_up(alice: User) -> None:
    for _ in range(throttling.MOST_BY_ADDRESS + 5):
        count_try("alice", "192.0.2.1").succeeded()
    assert not has_failed("alice", "192.0.2.1")


def test_a_refused_try_is_no_failure_of_the_address() -> None:
    for _ in range(10):
        count_try("alice", "192.0.2.1")
    assert all(refused("alice", "192.0.2.2") for _ in range(40))
    assert not refused("bob", "192.0.2.2")


@pytest.mark.file_counters
def test_a_refused_try_does_not_lengthen_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    start = time.time()
    for _ in range(10):
        count_try("alice", "192.0.2.1")
    monkeypatch.setattr(time, "time", lambda: start + 800)
    with pytest.raises(TooManyFailures) as error:
        count_try("alice", "192.0.2.1")
    assert 95 <= error.value.retry_after <= 101
    monkeypatch.setattr(time, "time", lambda: start + 903)
    assert not refused("alice", "192.0.2.1")


def test_the_longer_wait_of_name_and_address_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    start = time.time()
    for number in range(10):
        count_try("alice", f"192.0.2.{number}")
    monkeypatch.setattr(time, "time", lambda: start + 600)
    fill_address("192.0.3.1")
    with pytest.raises(TooManyFailures) as error:
        count_try("alice", "192.0.3.1")
    assert 898 <= error.value.retry_after <= 900


def test_a_refused_try_is_not_written_down(alice: User) -> None:
    for _ in range(12):
        sign_in(ApiClient(), password=WRONG_PASSWORD)
    assert Entry.objects.filter(action="login_failed").count() == 10


@pytest.mark.file_counters
def test_names_are_counted_as_hashes() -> None:
    attempt = count_try("my secret Password 1", "192.0.2.1")
    assert isinstance(attempt, Try)
    assert "secret" not in attempt.name
    assert b"secret" not in Path(settings.DATA_FOLDER.counters).read_bytes()


def test_parallel_threads_get_at_most_ten_guesses() -> None:
    guesses = [lambda n=n: refused("alice", f"192.0.2.{n}") for n in range(24)]
    assert together(*guesses).count(False) == 10


def test_parallel_threads_from_one_address_get_thirty() -> None:
    guesses = [lambda n=n: refused(f"name{n}", "192.0.2.1") for n in range(48)]
    assert together(*guesses).count(False) == 30


@pytest.mark.thorough
def test_parallel_processes_get_at_most_ten_guesses(tmp_path: Path) -> None:
    passed = processes(GUESS, tmp_path / "counters.sqlite3")
    assert sum(map(int, passed)) == 10


@pytest.mark.django_db(transaction=True)
def test_parallel_sign_ins_over_http_check_at_most_ten_passwords(alice: User) -> None:
    instance(captcha_policy="off")
    guesses = [lambda: sign_in(ApiClient(), password=WRONG_PASSWORD).status_code for _ in range(16)]
    codes = together(*guesses)
    assert (codes.count(400), codes.count(429)) == (10, 6)


def test_the_addresses_of_one_ipv6_network_count_as_one() -> None:
    for number in range(throttling.MOST_BY_ADDRESS):
        count_try(f"name{number}", f"2001:db8::{number + 1:x}")
    with pytest.raises(TooManyFailures):
        count_try("another", "2001:db8::ffff")
    count_try("another", "2001:db8:0:1::1")
