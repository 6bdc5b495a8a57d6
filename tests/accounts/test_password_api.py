"""POST /api/password: docs/api.md#password."""

from typing import Any

import pytest

from accounts.models import User
from accounts.signin import throttling
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, answer_of, sign_in
from tests.concurrency import together
from tests.factories import PASSWORD, ApiClient

pytestmark = pytest.mark.django_db
PATH = "/api/password"
NEW = "another Horse 8"


def change(visitor: ApiClient, old: object = PASSWORD, new: object = NEW, new2: object = NEW) -> Any:
    return visitor.post(PATH, {"old": old, "new": new, "new2": new2})


def test_it_answers_with_words(alice: User, api_of: ApiOf) -> None:
    response = change(api_of(alice))
    assert response.status_code == 200
    assert answer_of(response)["ok"] is True
    assert set(answer_of(response)) == {"ok", "message"}


@pytest.mark.usefixtures("no_captcha")
def test_the_new_password_signs_in_and_the_old_no_more(alice: User, api_of: ApiOf, anonymous: ApiClient) -> None:
    change(api_of(alice))
    assert sign_in(anonymous).status_code == 400
    assert sign_in(anonymous, password=NEW).status_code == 302


def test_this_session_lives_and_those_of_other_devices_die(alice: User, api_of: ApiOf) -> None:
    here, there = api_of(alice), api_of(alice)
    change(here)
    assert here.get("/api/runs").status_code == 200
    assert there.get("/api/runs").status_code == 401


def test_this_session_gets_a_new_key(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    before = visitor.client.cookies["archive_session"].value
    change(visitor)
    assert visitor.client.cookies["archive_session"].value != before


def test_the_same_password_again_ends_other_sessions_too(alice: User, api_of: ApiOf) -> None:
    here, there = api_of(alice), api_of(alice)
    change(here, new=PASSWORD, new2=PASSWORD)
    assert there.get("/api/runs").status_code == 401


def test_it_is_in_the_audit_log_without_a_password(alice: User, api_of: ApiOf) -> None:
    change(api_of(alice))
    entry = Entry.objects.get(action="password")
    assert (entry.actor, entry.user_id, entry.ip, entry.detail) == ("alice", alice.pk, "127.0.0.1", "")


@pytest.mark.parametrize("old", ["", None, "wrong Horse 7", PASSWORD + " ", 7, [PASSWORD], "x" * 100_000])
def test_a_wrong_old_password_changes_nothing(old: object, alice: User, api_of: ApiOf) -> None:
    here, there = api_of(alice), api_of(alice)
    response = change(here, old=old)
    assert (response.status_code, set(answer_of(response))) == (400, {"ok", "message"})
    assert there.get("/api/runs").status_code == 200
    assert User.objects.get().check_password(PASSWORD)


def test_a_wrong_old_password_is_in_the_audit_log(alice: User, api_of: ApiOf) -> None:
    change(api_of(alice), old="wrong Horse 7")
    entry = Entry.objects.get()
    assert (entry.action, entry.actor, entry.user_id) == ("password_failed", "alice", alice.pk)
    assert (entry.ip, entry.detail) == ("127.0.0.1", "")


def test_the_eleventh_guess_is_too_frequent_even_if_it_is_right(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    assert {change(visitor, old=f"guess {number}").status_code for number in range(10)} == {400}
    for old in ("another guess", PASSWORD):
        refused = change(visitor, old=old)
        assert (refused.status_code, answer_of(refused)["error"]) == (429, "too_frequent")
        assert 1 <= int(refused.headers["Retry-After"]) <= 15 * 60
    assert Entry.objects.filter(action="password_failed").count() == 10


@pytest.mark.django_db(transaction=True)
def test_guesses_of_several_sessions_count_together(alice: User, api_of: ApiOf) -> None:
    visitors = [api_of(alice) for _ in range(5)]
    answers = together(*[lambda one=one: [change(one, old="guess").status_code for _ in range(4)] for one in visitors])
    codes = [code for answer in answers for code in answer]
    assert (codes.count(400), codes.count(429)) == (10, 10)


@pytest.mark.usefixtures("no_captcha")
def test_guesses_count_as_failed_sign_ins(alice: User, api_of: ApiOf, anonymous: ApiClient) -> None:
    for _ in range(10):
        change(api_of(alice), old="guess")
    assert sign_in(anonymous).status_code == 429


def test_failed_sign_ins_count_as_guesses(alice: User, api_of: ApiOf) -> None:
    for _ in range(10):
        throttling.count_try("alice", "198.51.100.7")
    assert change(api_of(alice), old="guess").status_code == 429


def test_the_right_password_clears_the_count(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    for _ in range(9):
        change(visitor, old="guess")
    assert change(visitor, new="short", new2="short").status_code == 400
    assert {change(visitor, old="guess").status_code for _ in range(9)} == {400}
    assert change(visitor).status_code == 200


def test_another_account_of_the_address_is_not_refused(alice: User, bob: User, api_of: ApiOf) -> None:
    for _ in range(11):
        change(api_of(alice), old="guess")
    assert change(api_of(bob)).status_code == 200


@pytest.mark.parametrize(
    ("new", "new2"),
    [("", ""), (None, None), (NEW, ""), (NEW, NEW + "x"), ("Short 1", "Short 1"), ("lowercase", "lowercase")]
    + [("a1" * 64 + "a", "a1" * 64 + "a")],
)
def test_a_new_password_that_will_not_do_changes_nothing(new: object, new2: object, alice: User, api_of: ApiOf) -> None:
    response = change(api_of(alice), new=new, new2=new2)
    assert (response.status_code, set(answer_of(response))) == (400, {"ok", "message"})
    assert User.objects.get().check_password(PASSWORD)


def test_a_password_of_128_characters_is_accepted(alice: User, api_of: ApiOf) -> None:
    assert change(api_of(alice), new="a1" * 64, new2="a1" * 64).status_code == 200


@pytest.mark.parametrize("body", [{}, [], "text"])
def test_any_other_body_is_an_empty_one(body: object, alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).post(PATH, body).status_code == 400


def test_anonymous_is_401_without_the_token_400_and_a_get_405(alice: User, anonymous: ApiClient, api_of: ApiOf) -> None:
    assert change(anonymous).status_code == 401
    assert api_of(alice).client.post(PATH).status_code == 400
    assert api_of(alice).get(PATH).status_code == 405


def test_the_session_version_rises(alice: User, api_of: ApiOf) -> None:
    change(api_of(alice))
    assert User.objects.get(pk=alice.pk).session_version == alice.session_version + 1
