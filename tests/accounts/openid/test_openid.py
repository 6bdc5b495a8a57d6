"""Signing in elsewhere, at a real provider (docs/api.md#sign-in-elsewhere)."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from accounts.account_creation import create_account
from accounts.actor import Actor
from accounts.models import ExternalIdentity, Session, User
from accounts.openid import identities, pages
from accounts.openid import provider as provider_module
from accounts.openid.person import Person
from accounts.signin import throttling, visitor_sessions
from audit.models import Entry
from tests.accounts.openid.conftest import ORIGIN, Enter, begin_link, led_out, way_back
from tests.accounts.page_forms import page, post
from tests.accounts.second_factor.authenticator import Authenticator
from tests.accounts.second_factor.factors_of import code_of, give, is_in, sign_in, with_codes
from tests.archive_site.commands import manage_here
from tests.factories import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
Changed = Callable[..., None]


def linked(user: User, issuer: str, subject: str) -> None:
    identities.link(user, issuer, subject, Actor("root", None))


@pytest.mark.engine
def test_who_is_linked_signs_in_there(alice: User, issuer: str, enter: Enter) -> None:
    linked(alice, issuer, "alice-there")
    visitor = ApiClient()
    assert "Sign in with Example ID" in page(visitor.get("/login"))
    answer = enter(visitor, "alice-there", next="/records")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/records")
    assert is_in(visitor)
    assert Entry.objects.get(action="login").user_id == alice.pk
    assert ExternalIdentity.objects.get().last_used_at is not None


def test_what_is_asked_is_bound_to_the_session_and_leads_back_to_the_origin(alice: User, issuer: str) -> None:
    begun = ApiClient().get("/openid/begin").headers["Location"]
    asked = {name: value[0] for name, value in parse_qs(urlsplit(begun).query).items()}
    assert begun.startswith(f"{issuer}/auth?")
    assert (asked["redirect_uri"], asked["code_challenge_method"]) == (f"{ORIGIN}/openid/callback", "S256")
    assert asked["state"]
    assert asked["nonce"]


@pytest.mark.parametrize(
    ("claims", "name", "shown"),
    [
        ({"preferred_username": "carol", "name": "Carol"}, "carol", "Carol"),
        ({"preferred_username": "carol", "name": "Car\u202eol"}, "carol", "carol"),
        ({"preferred_username": "c\u0430rol", "name": "Carol"}, "user", "Carol"),
        ({"preferred_username": "x", "name": ""}, "user", "user"),
        ({"preferred_username": "system"}, "user", "user"),
        ({"preferred_username": "x" * 40}, "x" * 28, "x" * 28),
        ({"preferred_username": "alice", "name": "Alice\u200b"}, "alice2", "alice2"),
        ({"preferred_username": ["carol"], "name": 7}, "carol", "7"),
    ],
)
def test_what_the_provider_calls_a_person_keeps_nobody_out(
    alice: User,
    monkeypatch: pytest.MonkeyPatch,
    claims: dict[str, Any],
    name: str,
    shown: str,
) -> None:
    tries: list[str] = []

    def counted(username: str, *values: Any, **more: Any) -> User:
        tries.append(username)
        return create_account(username, *values, **more)

    monkeypatch.setattr(identities, "create_account", counted)
    made = identities.created_for(Person("https://id.example.org", "there", claims, ""), "192.0.2.1")
    assert (made.username, made.display_name) == (name, shown)
    assert len(tries) == (2 if name == "alice2" else 1)


@pytest.mark.engine
def test_a_person_who_signs_in_twice_at_once_gets_one_account(alice: User) -> None:
    person = Person("https://id.example.org", "there", {"preferred_username": "carol"}, "")
    # Both have found no account.
    first, second = (identities.created_for(person, "192.0.2.1") for _ in range(2))
    assert (first.pk, second.username) == (second.pk, "carol")
    assert User.objects.count() == 2


def test_visitors_on_their_way_there_leave_a_bounded_number_of_sessions(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitor_sessions, "MOST_KEPT", 3)
    for _ in range(5):
        assert ApiClient().get("/openid/begin").status_code == 302
    assert Session.objects.count() == 3


def test_pictures_of_before_make_room_for_who_is_on_the_way(
    alice: User, issuer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitor_sessions, "MOST_KEPT", 3)
    linked(alice, issuer, "alice")
    visitor = ApiClient()
    for _ in range(2):
        ApiClient().get("/captcha.png")
    address = visitor.get("/openid/begin").headers["Location"]
    for _ in range(2):
        ApiClient().get("/captcha.png")
    assert visitor.client.get(way_back(address, "alice")).status_code == 302
    assert is_in(visitor)


def test_addresses_never_link(alice: User, enter: Enter) -> None:
    User.objects.filter(pk=alice.pk).update(email="alice@example.org")
    visitor = ApiClient()
    answer = enter(visitor, "alice")
    assert answer.status_code == 403
    assert "No account of this instance belongs to you there." in page(answer)
    assert not is_in(visitor)
    assert not ExternalIdentity.objects.exists()


@pytest.mark.engine
def test_whoever_signs_in_first_gets_an_account_where_the_instance_says_so(
    alice: User, enter: Enter, changed: Changed
) -> None:
    changed(creates=True)
    visitor = ApiClient()
    # The name is taken, and the account of that name stays as it is.
    assert enter(visitor, "alice").headers["Location"] == "/"
    made = User.objects.get(username="alice2")
    assert (made.display_name, made.has_usable_password(), made.email, made.is_admin) == (
        "alice Elsewhere", False, None, False,
    )  # fmt: skip
    again = ApiClient()
    enter(again, "alice")
    assert User.objects.count() == 2
    assert sign_in(ApiClient(), "alice2", "!").status_code == 400


@pytest.mark.engine
def test_a_claim_makes_administrators_and_takes_the_right_away(
    alice: User, root: User, issuer: str, enter: Enter, changed: Changed
) -> None:
    changed(admin_claim="groups", admin_value="archive-admins")
    linked(alice, issuer, "alice:x,archive-admins")
    enter(ApiClient(), "alice:x,archive-admins")
    assert User.objects.get(pk=alice.pk).is_admin
    ExternalIdentity.objects.update(subject="alice:x")
    enter(ApiClient(), "alice:x")
    assert not User.objects.get(pk=alice.pk).is_admin
    assert Entry.objects.filter(action="user_update").count() == 2


def test_the_last_administrator_stays_one(root: User, issuer: str, enter: Enter, changed: Changed) -> None:
    changed(admin_claim="groups", admin_value="archive-admins")
    linked(root, issuer, "root")
    visitor = ApiClient()
    enter(visitor, "root")
    assert User.objects.get(pk=root.pk).is_admin


def test_the_second_factor_is_asked_for_after_it(alice: User, issuer: str, enter: Enter) -> None:
    secret, _ = with_codes(alice)
    linked(alice, issuer, "alice")
    visitor = ApiClient()
    assert enter(visitor, "alice").headers["Location"] == "/second-factor"
    assert not is_in(visitor)
    visitor.token = visitor.client.cookies["archive_csrf"].value
    assert give(visitor, code_of(secret)).status_code == 302
    assert is_in(visitor)


def test_a_disabled_account_does_not_get_in(alice: User, issuer: str, enter: Enter) -> None:
    linked(alice, issuer, "alice")
    User.objects.update(status=User.DISABLED)
    assert enter(ApiClient(), "alice").status_code == 403


def test_signing_out_leads_there_too(alice: User, issuer: str, enter: Enter) -> None:
    linked(alice, issuer, "alice")
    visitor = ApiClient()
    enter(visitor, "alice")
    token = visitor.client.cookies["archive_csrf"].value
    answer = visitor.client.post("/logout", {"_csrf": token})
    assert led_out(answer).startswith(f"{issuer}/session/end?id_token_hint=")
    assert not is_in(visitor)


def test_signing_out_after_somebody_else_left_at_the_code_leads_nowhere(
    alice: User, bob: User, issuer: str, enter: Enter
) -> None:
    """Else the address would show who the other one is at the provider, and end their session there."""
    with_codes(alice)
    linked(alice, issuer, "alice")
    visitor = ApiClient()
    assert enter(visitor, "alice").headers["Location"] == "/second-factor"
    visitor.token = visitor.client.cookies["archive_csrf"].value
    assert sign_in(visitor, "bob").headers["Location"] == "/"
    answer = post(visitor, "/logout")
    assert (answer.status_code, issuer in f"{answer.headers}{page(answer)}") == (302, False)


# Linking.


def test_the_owner_links_the_account_after_the_password(alice: User, issuer: str, enter: Enter) -> None:
    visitor = ApiClient()
    sign_in(visitor, "alice")
    assert enter(visitor, "alice-there", **{"for": "link"}).headers["Location"] == "/profile#elsewhere"
    assert ExternalIdentity.objects.get().user_id == alice.pk
    assert enter(ApiClient(), "alice-there").headers["Location"] == "/"


def test_without_a_recent_password_nothing_is_linked(alice: User, api_of: Callable[[User], ApiClient]) -> None:
    assert begin_link(api_of(alice)).headers["Location"].startswith("/reauthenticate?")


def test_a_link_that_was_begun_long_ago_links_nobody(alice: User, issuer: str) -> None:
    """The address stays in the history of the browser, where anybody may open it."""
    visitor = ApiClient()
    sign_in(visitor, "alice")
    back = way_back(led_out(begin_link(visitor)), "mallory")
    session = visitor.client.session
    for purpose in session["openid_purposes"].values():
        purpose["at"] -= 3600
    session.save()
    assert visitor.client.get(back).status_code == 400
    assert not ExternalIdentity.objects.exists()


def test_no_address_begins_a_link(alice: User) -> None:
    visitor = ApiClient()
    sign_in(visitor, "alice")
    assert visitor.get("/openid/begin", **{"for": "link"}).headers["Location"] == "/"
    assert visitor.client.post("/openid/begin").status_code == 400


def test_an_account_gets_no_other_person_before_the_first_is_removed(alice: User, issuer: str, enter: Enter) -> None:
    linked(alice, issuer, "alice-there")
    visitor = ApiClient()
    sign_in(visitor, "alice")
    answer = enter(visitor, "mallory", **{"for": "link"})
    assert (answer.status_code, "another person" in page(answer)) == (400, True)
    assert ExternalIdentity.objects.get().subject == "alice-there"


def test_an_answer_serves_the_way_that_it_was_asked_for(alice: User, issuer: str) -> None:
    linked(alice, issuer, "alice")
    visitor = ApiClient()
    sign_in(visitor, "alice")
    again = visitor.get("/openid/begin", **{"for": "again"}).headers["Location"]
    ExternalIdentity.objects.all().delete()
    begin_link(visitor)
    assert visitor.client.get(way_back(again, "mallory")).status_code == 400
    assert not ExternalIdentity.objects.exists()


def test_a_session_there_from_before_is_no_password(alice: User, enter: Enter, changed: Changed) -> None:
    changed(creates=True)
    visitor = ApiClient()
    enter(visitor, "carol")
    visitor.token = visitor.client.cookies["archive_csrf"].value
    for path in ("/api/second-factor/codes", "/api/privacy/apply", "/api/openid/remove"):
        assert visitor.post(path).status_code == 403
    refused = visitor.post("/api/account/delete", {"username": "carol", "password": ""})
    assert (refused.status_code, refused.json()["error"]) == (403, "reauthenticate")
    enter(visitor, "carol", **{"for": "again"})
    assert visitor.post("/api/account/delete", {"username": "carol", "password": ""}).status_code == 200


def test_the_first_account_is_made_by_the_link_of_the_first_run(enter: Enter, changed: Changed, db: None) -> None:
    changed(creates=True)
    assert enter(ApiClient(), "carol").status_code == 403
    assert not User.objects.exists()


def test_what_is_required_can_be_proved_there(alice: User, root: User, issuer: str, enter: Enter) -> None:
    linked(alice, issuer, "alice")
    visitor = ApiClient()
    enter(visitor, "alice")
    manage_here("config", "set", "require_second_factor", "everybody")
    assert visitor.get("/records").headers["Location"] == "/profile#factor"
    assert enter(visitor, "alice", **{"for": "again", "next": "/profile"}).headers["Location"] == "/profile"


def test_a_person_has_one_account(alice: User, bob: User, issuer: str, enter: Enter) -> None:
    linked(alice, issuer, "there")
    visitor = ApiClient()
    sign_in(visitor, "bob")
    answer = enter(visitor, "there", **{"for": "link"})
    assert (answer.status_code, "Another account" in page(answer)) == (400, True)
    assert ExternalIdentity.objects.get().user_id == alice.pk


def test_the_answer_to_a_link_of_another_session_links_nothing(alice: User, bob: User, issuer: str) -> None:
    mine, other = ApiClient(), ApiClient()
    sign_in(mine, "alice")
    sign_in(other, "bob")
    begun = led_out(begin_link(mine))
    assert other.client.get(way_back(begun, "there")).status_code == 400
    assert not ExternalIdentity.objects.exists()


# Proving again who one is.


def test_who_has_no_password_proves_it_there(
    alice: User, issuer: str, enter: Enter, changed: Changed, settings: Any
) -> None:
    changed(creates=True)
    visitor = ApiClient()
    enter(visitor, "carol")
    visitor.token = visitor.client.cookies["archive_csrf"].value
    session = visitor.client.session
    session["password_given_at"] = 0
    session.save()
    assert visitor.post("/api/second-factor/codes").status_code == 403
    assert enter(visitor, "carol", **{"for": "again", "next": "/profile"}).headers["Location"] == "/profile"
    assert visitor.post("/api/second-factor/codes").status_code == 200


def test_another_person_proves_nothing(alice: User, issuer: str, enter: Enter) -> None:
    linked(alice, issuer, "alice")
    visitor = ApiClient()
    enter(visitor, "alice")
    session = visitor.client.session
    session["password_given_at"] = 0
    session.save()
    assert enter(visitor, "mallory", **{"for": "again"}).status_code == 400
    visitor.token = visitor.client.cookies["archive_csrf"].value
    assert visitor.post("/api/second-factor/codes").status_code == 403
    assert is_in(visitor)


# What goes wrong.


@pytest.mark.parametrize(
    "query",
    ["", "?error=access_denied", "?code=x&state=y", "?code=x", "?state=y", "?code=x&state=y&iss=https://evil.example"],
)
def test_what_nobody_has_begun_is_refused_and_signs_nobody_out(alice: User, query: str) -> None:
    visitor = ApiClient()
    sign_in(visitor, "alice")
    assert visitor.client.get(f"/openid/callback{query}").status_code == 400
    assert is_in(visitor)


def test_an_answer_is_taken_once(alice: User, issuer: str) -> None:
    linked(alice, issuer, "alice")
    visitor = ApiClient()
    back = way_back(visitor.get("/openid/begin").headers["Location"], "alice")
    assert visitor.client.get(back).status_code == 302
    assert ApiClient().client.get(back).status_code == 400


def test_failures_count_for_the_address(alice: User, issuer: str) -> None:
    def fail() -> int:
        visitor = ApiClient()
        state = parse_qs(urlsplit(visitor.get("/openid/begin").headers["Location"]).query)["state"][0]
        return int(visitor.client.get("/openid/callback", {"error": "access_denied", "state": state}).status_code)

    assert [fail() for _ in range(32)] == [400] * throttling.MOST_BY_ADDRESS + [429] * 2


def test_what_nobody_has_begun_locks_nobody_out(alice: User, issuer: str, enter: Enter) -> None:
    linked(alice, issuer, "alice")
    assert {ApiClient().client.get("/openid/callback?error=x&state=y").status_code for _ in range(32)} == {400}
    assert enter(ApiClient(), "alice").headers["Location"] == "/"
    assert sign_in(ApiClient(), "alice").headers["Location"] == "/"
    assert not Entry.objects.filter(action="login_failed").exists()


def test_a_provider_that_does_not_answer_is_said(alice: User, changed: Changed) -> None:
    changed(issuer="http://127.0.0.1:9")
    answer = ApiClient().get("/openid/begin")
    assert (answer.status_code, "does not answer" in page(answer)) == (503, True)
    # Passwords work on.
    assert sign_in(ApiClient(), "alice").headers["Location"] == "/"


def test_a_silent_provider_is_asked_again_after_a_while(changed: Changed, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def get(address: str, **_: Any) -> Any:
        asked.append(address)
        raise requests.ConnectTimeout

    monkeypatch.setattr(requests, "get", get)
    changed(issuer="https://id.example.org/realm")
    assert [ApiClient().get("/openid/begin").status_code for _ in range(3)] == [503] * 3
    assert asked == ["https://id.example.org/realm/.well-known/openid-configuration"]
    provider_module.known.at -= 16
    ApiClient().get("/openid/begin")
    assert len(asked) == 2


def test_nobody_waits_behind_a_question_to_the_provider(issuer: str) -> None:
    with provider_module.known.lock:
        assert ApiClient().get("/openid/begin").status_code == 503
    assert ApiClient().get("/openid/begin").status_code == 302


def test_few_ask_the_provider_at_once(alice: User, issuer: str) -> None:
    linked(alice, issuer, "alice")
    visitor = ApiClient()
    back = way_back(visitor.get("/openid/begin").headers["Location"], "alice")
    for _ in range(4):
        pages._ROOM.acquire()
    try:
        assert visitor.client.get(back).status_code == 503
    finally:
        for _ in range(4):
            pages._ROOM.release()


def test_visitors_leave_a_bounded_number_of_sessions(issuer: str) -> None:
    codes = [ApiClient().client.get("/openid/begin").status_code for _ in range(42)]
    assert codes == [302] * 40 + [429] * 2


def test_passwords_may_be_off_but_for_one_administrator(alice: User, root: User, changed: Changed) -> None:
    changed(only="ROOT")
    # Nothing tells who may: the same answer to all, and the same work.
    answers = [sign_in(ApiClient(), *one) for one in [("alice",), ("nobody",), ("root", "wrong")]]
    assert [answer.status_code for answer in answers] == [400] * 3
    assert ["User name or password is wrong." in page(answer) for answer in answers] == [True] * 3
    assert "lets people sign in with Example ID" in page(ApiClient().get("/login"))
    assert Entry.objects.filter(action="login_failed").count() == 3
    assert sign_in(ApiClient(), "root").headers["Location"] == "/"
    assert ApiClient().get("/register").status_code == 403


def test_where_passwords_are_off_nobody_enters_past_the_provider(
    alice: User, root: User, changed: Changed, api_of: Callable[[User], ApiClient]
) -> None:
    device, visitor = Authenticator(ORIGIN), ApiClient()
    sign_in(visitor, "alice")
    question = visitor.post("/api/second-factor/passkeys/options").json()
    visitor.post("/api/second-factor/passkeys", {"name": "Laptop", "answer": device.make(question)})
    visitor.post("/api/second-factor/passkeys/alone", {"alone": True})
    link = api_of(root).post("/api/users/invitations").json()["path"]
    for only, status, is_let_in in (("root", 404, False), ("", 200, True)):
        changed(only=only)
        assert ApiClient().get(link).status_code == status
        alone = ApiClient()
        alone.get("/login")
        alone.token = alone.client.cookies["archive_csrf"].value
        asked = alone.client.post("/second-factor/passkey", headers={"X-CSRF-Token": alone.token}).json()
        post(alone, "/second-factor", passkey=json.dumps(device.answer(asked)))
        assert is_in(alone) == is_let_in


def test_without_a_provider_there_is_nothing(alice: User, settings: Any) -> None:
    settings.OPENID = None
    assert ApiClient().get("/openid/begin").status_code == 404
    assert ApiClient().get("/openid/callback").status_code == 404
    assert "openid" not in page(ApiClient().get("/login"))
