"""The cookie of an account: encrypted at rest, and shown as a hint at most."""

from datetime import UTC, datetime

import pytest
from cryptography.fernet import Fernet
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.credentials import credential
from accounts.models import Setting, User
from archive_site.lib.storage.data_folder import DataFolder
from audit.redaction import redacted
from tests.standing_clock import SetClock

COOKIE = "session=marker-9f31c2|1790000000|0123abcd"


@pytest.fixture
def replaced_key(alice: User, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Alice's cookie is set; then another instance key is put in place."""
    credential.store(alice.pk, COOKIE)
    settings.DATA_FOLDER = DataFolder(tmp_path_factory.mktemp("home"))
    settings.DATA_FOLDER.instance_key.write_bytes(Fernet.generate_key())


def test_an_account_begins_without_a_cookie(alice: User) -> None:
    assert credential.state(alice.pk) == credential.CredentialState(set=False, chars=0, tail="", broken=False)


def test_a_missing_cookie_has_no_hint(alice: User) -> None:
    assert credential.state(alice.pk).hint == ""


def test_a_stored_cookie_comes_back_as_it_was(alice: User) -> None:
    credential.store(alice.pk, COOKIE)
    assert credential.reveal(alice.pk) == COOKIE


def test_the_hint_has_length_and_last_four_characters(alice: User) -> None:
    credential.store(alice.pk, COOKIE)
    assert credential.state(alice.pk).hint == f"{len(COOKIE)} chars, ...abcd"


def test_a_field_that_is_left_out_is_no_part_of_it(alice: User) -> None:
    credential.store(alice.pk, " key-of-a-service-0123")
    assert credential.state(alice.pk).hint == "21 chars, ...0123"


@pytest.mark.parametrize(("cookie", "hint"), [("a=345678901", "11 chars"), ("a=3456789012", "12 chars, ...9012")])
def test_a_cookie_below_twelve_characters_has_no_tail(alice: User, cookie: str, hint: str) -> None:
    credential.store(alice.pk, cookie)
    assert credential.state(alice.pk).hint == hint


def test_a_set_cookie_is_usable(alice: User) -> None:
    credential.store(alice.pk, COOKIE)
    assert credential.state(alice.pk).usable


def test_the_store_holds_no_plain_cookie(alice: User) -> None:
    credential.store(alice.pk, COOKIE)
    assert "marker" not in Setting.objects.get(user_id=alice.pk, key="cookie").value


def test_one_account_never_gets_the_cookie_of_another(alice: User, bob: User) -> None:
    credential.store(alice.pk, COOKIE)
    with pytest.raises(credential.NoCredential):
        credential.reveal(bob.pk)


def test_a_new_cookie_takes_the_place_of_the_old_one(alice: User) -> None:
    credential.store(alice.pk, COOKIE)
    credential.store(alice.pk, "session=other")
    assert credential.reveal(alice.pk) == "session=other"


def test_a_cleared_cookie_is_gone(alice: User) -> None:
    credential.store(alice.pk, COOKIE)
    credential.clear(alice.pk)
    assert not credential.state(alice.pk).set


@pytest.mark.usefixtures("replaced_key")
def test_a_replaced_instance_key_breaks_the_cookie(alice: User) -> None:
    assert credential.state(alice.pk) == credential.CredentialState(set=True, chars=0, tail="", broken=True)


@pytest.mark.usefixtures("replaced_key")
def test_a_broken_cookie_has_no_hint_and_is_not_usable(alice: User) -> None:
    state = credential.state(alice.pk)
    assert (state.hint, state.usable) == ("", False)


@pytest.mark.usefixtures("replaced_key")
def test_a_broken_cookie_cannot_be_revealed(alice: User) -> None:
    with pytest.raises(credential.BrokenCredential):
        credential.reveal(alice.pk)


@pytest.mark.usefixtures("replaced_key")
def test_a_new_cookie_replaces_a_broken_one(alice: User) -> None:
    credential.store(alice.pk, COOKIE)
    assert credential.state(alice.pk).usable


def test_the_moment_the_cookie_was_set_is_known(alice: User, time: SetClock) -> None:
    moment = datetime(2026, 9, 1, 12, tzinfo=UTC)
    time.now = moment
    credential.store(alice.pk, COOKIE)
    assert credential.set_at(alice.pk) == moment


def test_a_missing_cookie_was_never_set(alice: User) -> None:
    assert credential.set_at(alice.pk) is None


def test_a_cookie_that_was_stored_is_written_down_nowhere(alice: User) -> None:
    credential.store(alice.pk, "marker-0f-n0-kn0wn-f0rm")
    assert "marker" not in redacted("failed with marker-0f-n0-kn0wn-f0rm in it")


def test_the_state_takes_one_query(alice: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    credential.store(alice.pk, COOKIE)
    with django_assert_num_queries(1):
        credential.state(alice.pk)
