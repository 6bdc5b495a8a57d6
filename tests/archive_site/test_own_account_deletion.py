"""POST /api/account/delete: an owner leaves with all data (docs/api.md#delete-your-own-account)."""

from typing import Any

import pytest

from accounts.models import User
from audit.models import Entry
from tests.accounts.page_forms import answer_of
from tests.accounts.second_factor.factors_of import code_of, give, half_in, is_in, sign_in, with_codes
from tests.archive_site.account_data import give_everything, owned
from tests.factories import PASSWORD, ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]


def signed_in(user: User) -> ApiClient:
    visitor = ApiClient()
    assert sign_in(visitor, user.username).status_code == 302
    return visitor


def leave(visitor: ApiClient, username: str = "alice", password: str = PASSWORD) -> Any:
    return visitor.post("/api/account/delete", {"username": username, "password": password})


@pytest.mark.engine
def test_all_of_the_account_goes_and_nothing_of_others(alice: User, bob: User, root: User) -> None:
    give_everything(alice)
    give_everything(bob)
    before, visitor, elsewhere = owned(bob.pk), signed_in(alice), signed_in(alice)
    answer = leave(visitor, " Alice ")
    assert (answer.status_code, answer_of(answer)["ok"]) == (200, True), answer.content
    assert not User.objects.filter(pk=alice.pk).exists()
    assert not any(owned(alice.pk))
    assert owned(bob.pk) == before
    assert not is_in(visitor)
    assert not is_in(elsewhere)
    entry = Entry.objects.get(action="user_delete")
    assert (entry.actor, entry.user_id) == ("alice", alice.pk)


@pytest.mark.parametrize(
    ("username", "password"), [("bob", PASSWORD), ("", PASSWORD), ("alice", "wrong"), ("alice", "")]
)
def test_a_wrong_name_or_password_deletes_nothing(alice: User, bob: User, username: str, password: str) -> None:
    visitor = signed_in(alice)
    assert leave(visitor, username, password).status_code == 400
    assert (User.objects.count(), is_in(visitor)) == (2, True)


def test_the_last_administrator_cannot_delete_the_own_account(root: User, alice: User) -> None:
    visitor = signed_in(root)
    assert leave(visitor, "root").status_code == 400
    User.objects.filter(pk=alice.pk).update(is_admin=True)
    assert leave(visitor, "root").status_code == 200
    assert [user.username for user in User.objects.all()] == ["alice"]


def test_wrong_passwords_are_throttled_as_at_the_sign_in(alice: User, bob: User) -> None:
    visitor = signed_in(alice)
    codes = [leave(visitor, "alice", "wrong").status_code for _ in range(11)]
    assert (codes[0], codes[-1]) == (400, 429)
    assert leave(visitor).status_code == 429
    assert User.objects.filter(pk=alice.pk).exists()


def test_it_needs_a_recent_code_of_who_has_a_second_factor(alice: User, bob: User) -> None:
    secret, _ = with_codes(alice)
    visitor = half_in(alice)
    give(visitor, code_of(secret))
    session = visitor.client.session
    session["second_factor_given_at"] = 0
    session.save()
    refused = leave(visitor)
    assert (refused.status_code, answer_of(refused)["error"], answer_of(refused)["second_factor"]) == (
        403,
        "reauthenticate",
        True,
    )
    again = visitor.post("/api/reauthenticate", {"password": PASSWORD, "code": code_of(secret, 1)})
    assert again.status_code == 200
    assert leave(visitor).status_code == 200


def test_the_file_of_the_account_needs_one_too_but_not_for_a_token(alice: User) -> None:
    secret, _ = with_codes(alice)
    visitor = half_in(alice)
    give(visitor, code_of(secret))
    token = visitor.post("/api/tokens", {"name": "x", "scopes": ["export"]}).json()["token"]
    assert visitor.get("/api/account/export").status_code == 200
    session = visitor.client.session
    session["second_factor_given_at"] = 0
    session.save()
    assert visitor.get("/api/account/export").status_code == 403
    led = visitor.client.get("/api/account/export", headers={"Accept": "text/html"})
    assert led.headers["Location"] == "/reauthenticate?next=%2Fapi%2Faccount%2Fexport"
    bearer = ApiClient().client.get("/api/account/export", headers={"Authorization": f"Bearer {token}"})
    assert bearer.status_code == 200
    assert bearer.getvalue().startswith(b"PK")

    form = visitor.client.get(led.headers["Location"]).content.decode()
    assert 'name="code"' in form
    fields = {"_csrf": visitor.token, "next": "/api/account/export", "password": PASSWORD}
    assert visitor.client.post("/reauthenticate", {**fields, "code": ""}).status_code == 400
    assert visitor.client.post("/reauthenticate", {**fields, "code": "000000"}).status_code == 400
    given = visitor.client.post("/reauthenticate", {**fields, "code": code_of(secret, 1)})
    assert (given.status_code, given.headers["Location"]) == (302, "/api/account/export")
    assert visitor.get("/api/account/export").status_code == 200
