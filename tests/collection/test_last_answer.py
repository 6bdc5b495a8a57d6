"""What the upstream last answered to a credential: from runs and from tests, for the credential in force only."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from accounts import config
from accounts.credentials import credential
from accounts.models import Setting, User
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection import last_answer, noted_answers
from collection.models import Run
from tests.factories import ApiClient

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
COOKIE = "session=somebody|4000000000|hash0value"
AGENT = "Mozilla/5.0 Test"


@pytest.fixture
def owner(alice: User) -> User:
    """Alice, who has set a cookie and a User-Agent an hour ago."""
    config.write({"user_agent": AGENT}, archive_id=alice.pk, may_edit_instance=False)
    credential.store(alice.pk, COOKIE)
    Setting.objects.filter(user_id=alice.pk).update(updated_at=clock.now() - timedelta(hours=1))
    return alice


def ended(user: User, exit_code: int, message: str = "", ago: float = 10, **fields: object) -> None:
    at = clock.now() - timedelta(minutes=ago)
    stored = Message(message).stored() if message else ""
    Run.objects.create(
        archive_id=user.pk, trigger="manual", status="ok" if exit_code == 0 else "failed", created_at=at, started_at=at,
        finished_at=at, exit_code=exit_code, stored_message=stored, **fields,
    )  # fmt: skip


def outcome(user: User) -> str | None:
    answer = last_answer.last_answer(user.pk)
    return answer.outcome if answer else None


def test_before_any_run_and_test_there_is_none(owner: User, bob: User) -> None:
    assert (outcome(owner), outcome(bob)) == (None, None)


@pytest.mark.parametrize(
    ("exit_code", "message", "expected"),
    [
        (0, "", "fine"),
        (4, "cookie_refused", "expired"),
        (5, "user_agent_refused", "user_agent_refused"),
        (5, "cookie_too_large", "cookie_too_large"),
        (5, "answer_not_json", None),
        (1, "", None),
    ],
)
def test_a_run_that_concerns_the_credential_counts(
    exit_code: int, message: str, expected: str | None, owner: User
) -> None:
    ended(owner, exit_code, message)
    assert outcome(owner) == expected


def test_a_run_that_failed_otherwise_hides_no_older_answer(owner: User) -> None:
    ended(owner, 4, "cookie_refused", ago=20)
    ended(owner, 1, ago=10)
    assert outcome(owner) == "expired"


def test_a_run_before_the_change_of_the_credential_does_not_count(owner: User) -> None:
    ended(owner, 4, "cookie_refused", ago=90)
    assert outcome(owner) is None


def test_neither_an_import_nor_the_run_of_another_account_counts(owner: User, bob: User) -> None:
    ended(owner, 0, kind=Run.Kind.IMPORT)
    ended(bob, 0)
    assert outcome(owner) is None


def test_a_test_counts_for_what_was_tested_also_before_it_was_stored(owner: User, bob: User) -> None:
    noted_answers.note(credential.fingerprint("session=another0value", AGENT), "fine")
    assert (outcome(owner), outcome(bob)) == (None, None)
    credential.store(owner.pk, "session=another0value")
    assert outcome(owner) == "fine"
    config.write({"user_agent": "Another/1.0"}, archive_id=owner.pk, may_edit_instance=False)
    assert outcome(owner) is None


def test_the_newer_of_run_and_test_counts(owner: User) -> None:
    noted_answers.note(credential.fingerprint(COOKIE, AGENT), "fine")
    ended(owner, 4, "cookie_refused", ago=10)
    assert outcome(owner) == "fine"
    ended(owner, 4, "cookie_refused", ago=-1)
    assert outcome(owner) == "expired"


def test_a_network_that_fails_is_no_answer(owner: User) -> None:
    noted_answers.note(credential.fingerprint(COOKIE, AGENT), "network")
    assert outcome(owner) is None


def test_a_cookie_that_cannot_be_read_has_no_answer(owner: User) -> None:
    noted_answers.note(credential.fingerprint(COOKIE, AGENT), "fine")
    Setting.objects.filter(user_id=owner.pk, key="cookie").update(value="x")
    assert outcome(owner) is None


@pytest.mark.parametrize(
    ("cookie", "exit_code", "words"),
    [
        (COOKIE, None, "not tested yet"),
        (COOKIE, 0, "accepted by CodeBuddy"),
        (COOKIE, 4, "refused by CodeBuddy"),
        ("session=somebody|1700000000|hash0value", None, ">expired<"),
        ("session=without0end", 4, ">expired<"),
    ],
)
def test_the_settings_say_it(cookie: str, exit_code: int | None, words: str, owner: User, api_of: ApiOf) -> None:
    credential.store(owner.pk, cookie)
    Setting.objects.filter(user_id=owner.pk).update(updated_at=clock.now() - timedelta(hours=1))
    if exit_code is not None:
        ended(owner, exit_code, "cookie_refused" if exit_code else "")
    page = str(api_of(owner).get("/config").content, "utf-8")
    assert words in page.split('id="cookie-answer"')[1].split("cookie-clear")[0]


def test_the_settings_say_when_the_cookie_ends(owner: User, api_of: ApiOf) -> None:
    credential.store(owner.pk, "session=somebody|4000000000|hash0value")
    assert "ends on 2096-10-02" in str(api_of(owner).get("/config").content, "utf-8")
