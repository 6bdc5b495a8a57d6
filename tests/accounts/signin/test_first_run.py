"""The token of the first-run link: one use, one administrator (docs/decisions/accounts.md#first-administrator)."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from accounts.models import Store, User
from accounts.signin.first_run import create_first_admin, is_open, issue_token
from accounts.store_identity import open_store
from audit.models import Entry
from tests.factories import PASSWORD

pytestmark = pytest.mark.django_db


def token() -> str:
    open_store()
    issued = issue_token()
    assert issued
    return issued


def make(issued: str, name: str = "ada", ip: str = "192.0.2.1") -> User:
    return create_first_admin(issued, name, PASSWORD, PASSWORD, ip=ip)


def test_a_token_is_long_and_never_the_same() -> None:
    first, second = token(), token()
    assert min(len(first), len(second)) >= 32
    assert first != second


def test_the_store_holds_no_token_only_its_hash() -> None:
    issued = token()
    kept = Store.objects.get().first_run_token
    assert (len(kept), issued in kept) == (64, False)


@pytest.mark.parametrize("guess", ["", "guess", "é", "x" * 10_000])
def test_another_token_opens_nothing(guess: str) -> None:
    token()
    assert not is_open(guess)


def test_without_a_token_nothing_is_open() -> None:
    open_store()
    assert not is_open("")


def test_a_store_that_was_never_opened_opens_nothing() -> None:
    assert not is_open("")


def test_the_hash_itself_opens_nothing() -> None:
    token()
    assert not is_open(Store.objects.get().first_run_token)


def test_a_newer_token_kills_the_older() -> None:
    older, newer = token(), token()
    assert (is_open(older), is_open(newer)) == (False, True)


def test_no_token_is_issued_once_any_account_exists(alice: User) -> None:
    open_store()
    assert issue_token() is None


def test_a_token_is_dead_once_any_account_exists(db: None) -> None:
    issued = token()
    User.objects.create(username="bob")
    assert not is_open(issued)
    with pytest.raises(ValidationError, match="no longer valid"):
        make(issued)


def test_the_token_dies_with_its_use() -> None:
    issued = token()
    make(issued)
    assert not is_open(issued)
    with pytest.raises(ValidationError, match="no longer valid"):
        make(issued, "eve")
    assert User.objects.count() == 1


def test_a_used_token_stays_dead_though_the_account_goes() -> None:
    issued = token()
    make(issued).delete()
    assert not is_open(issued)


def test_a_failed_try_does_not_use_it_up() -> None:
    issued = token()
    with pytest.raises(ValidationError):
        create_first_admin(issued, "ada", "short", "short")
    assert (is_open(issued), Entry.objects.exists()) == (True, False)
    assert make(issued).is_admin


def test_it_takes_no_place_of_those_who_register_from_the_address() -> None:
    assert make(token()).register_ip is None


def test_it_is_audited() -> None:
    admin = make(token())
    entry = Entry.objects.get()
    assert (entry.action, entry.actor, entry.user_id, entry.ip) == ("first_run", "ada", admin.pk, "192.0.2.1")


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_makes_the_administrator() -> None:
    issued = token()

    def attempt(number: int) -> bool:
        try:
            make(issued, f"ada{number}")
        except ValidationError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(attempt, range(4))) == [False, False, False, True]
    assert User.objects.count() == 1
