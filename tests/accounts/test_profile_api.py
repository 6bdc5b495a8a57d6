"""POST /api/profile: docs/api.md#profile."""

from typing import Any

import pytest

from accounts.models import User
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, answer_of
from tests.factories import PASSWORD, ApiClient

pytestmark = pytest.mark.django_db
PATH = "/api/profile"


def saved(alice: User, api_of: ApiOf, **body: object) -> User:
    response = api_of(alice).post(PATH, body)
    assert response.status_code == 200, response.content
    assert (answer_of(response)["ok"], set(answer_of(response))) == (True, {"ok", "message"})
    return User.objects.get(pk=alice.pk)


def refused(response: Any) -> bool:
    return response.status_code == 400 and set(answer_of(response)) == {"ok", "message"} and not Entry.objects.exists()


def test_name_and_email_are_saved_trimmed(alice: User, api_of: ApiOf) -> None:
    user = saved(alice, api_of, display_name="  Alice A ", email=" a@example.org ")
    assert (user.display_name, user.email) == ("Alice A", "a@example.org")


def test_what_is_not_given_stays(alice: User, api_of: ApiOf) -> None:
    saved(alice, api_of, display_name="Alice A", email="a@example.org")
    assert saved(alice, api_of, email="b@example.org").display_name == "Alice A"
    assert saved(alice, api_of, display_name="A").email == "b@example.org"


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_name_becomes_the_user_name(empty: object, alice: User, api_of: ApiOf) -> None:
    assert saved(alice, api_of, display_name=empty).display_name == "alice"


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_email_clears_it(empty: object, alice: User, api_of: ApiOf) -> None:
    saved(alice, api_of, email="a@example.org")
    assert saved(alice, api_of, email=empty).email is None


def test_null_counts_as_not_given(alice: User, api_of: ApiOf) -> None:
    """Only an empty text resets a name or clears an email."""
    saved(alice, api_of, display_name="Alice A", email="a@example.org")
    assert saved(alice, api_of, display_name=None, email="b@example.org").display_name == "Alice A"
    assert saved(alice, api_of, display_name="A", email=None).email == "b@example.org"


@pytest.mark.parametrize("name", ["display_name", "email", "language", "theme"])
def test_null_alone_is_400(name: str, alice: User, api_of: ApiOf) -> None:
    """A body without any key of the profile is 400."""
    User.objects.update(display_name="Alice A", email="a@example.org")
    assert refused(api_of(alice).post(PATH, {name: None}))
    user = User.objects.get()
    assert (user.display_name, user.email) == ("Alice A", "a@example.org")


def test_too_long_ones_are_cut(alice: User, api_of: ApiOf) -> None:
    user = saved(alice, api_of, display_name="x" * 65, email="a@" + "b" * 127)
    assert (len(user.display_name), len(user.email or "")) == (64, 128)


@pytest.mark.parametrize("name", ["Zoë 😀", "山田 太郎", "<b>x</b>", "O'Brien"])
def test_any_name_can_be_shown(name: str, alice: User, api_of: ApiOf) -> None:
    assert saved(alice, api_of, display_name=name).display_name == name


@pytest.mark.parametrize("name", ["a\x00b", "a\nb", "\x1b[31m"])
def test_a_name_has_no_control_characters(name: str, alice: User, api_of: ApiOf) -> None:
    """Characters that cannot be shown are refused, not removed."""
    assert refused(api_of(alice).post(PATH, {"display_name": name}))


@pytest.mark.parametrize("email", ["nobody", "a b@c", "a@b c", "a@\tb", "a@b\x00", "x" * 128 + "@y"])
def test_what_cannot_be_an_email_is_refused(email: str, alice: User, api_of: ApiOf) -> None:
    assert refused(api_of(alice).post(PATH, {"display_name": "A", "email": email}))
    assert User.objects.get().display_name == "alice"


@pytest.mark.parametrize("body", [{}, [], {"username": "eve"}, {"is_admin": True}])
def test_neither_key_is_400(body: object, alice: User, api_of: ApiOf) -> None:
    assert refused(api_of(alice).post(PATH, body))


@pytest.mark.parametrize(("name", "value"), [("language", "zh-hans"), ("theme", "dark")])
def test_language_or_theme_alone_is_a_change(name: str, value: str, alice: User, api_of: ApiOf) -> None:
    """Each key of the profile is enough; only a body without any of them is 400."""
    assert getattr(saved(alice, api_of, **{name: value}), name) == value
    assert Entry.objects.get(action="profile").detail == name


def test_nothing_else_of_the_account_changes(alice: User, bob: User, api_of: ApiOf) -> None:
    user = saved(
        alice, api_of, display_name="A", id=bob.pk, user_id=bob.pk, username="eve", is_admin=True, status="x",
        password="another Horse 8", password2="another Horse 8",
    )  # fmt: skip
    assert (user.username, user.is_admin, user.status, user.check_password(PASSWORD)) == (
        "alice",
        False,
        "active",
        True,
    )
    assert User.objects.get(pk=bob.pk).display_name == "bob"


def test_other_sessions_live_on(alice: User, api_of: ApiOf) -> None:
    there = api_of(alice)
    saved(alice, api_of, display_name="A")
    assert there.get("/api/runs").status_code == 200


def test_it_is_in_the_audit_log(alice: User, api_of: ApiOf) -> None:
    saved(alice, api_of, display_name="A")
    entry = Entry.objects.get(action="profile")
    assert (entry.actor, entry.user_id, entry.ip) == ("alice", alice.pk, "127.0.0.1")


def test_anonymous_is_401_without_the_token_400_and_a_get_405(alice: User, anonymous: ApiClient, api_of: ApiOf) -> None:
    assert anonymous.post(PATH, {"display_name": "A"}).status_code == 401
    assert api_of(alice).client.post(PATH).status_code == 400
    assert api_of(alice).get(PATH).status_code == 405
