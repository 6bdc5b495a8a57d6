"""Whose accounts belong to whom, changed by owners and administrators (docs/api.md#sign-in-elsewhere)."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.actor import Actor
from accounts.models import ExternalIdentity, User
from accounts.openid import identities
from audit.models import Entry
from tests.accounts.openid.conftest import Enter, led_out
from tests.accounts.second_factor.factors_of import code_of, give, is_in, sign_in, with_codes
from tests.factories import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
ApiOf = Callable[[User], ApiClient]


def signed_in(user: User) -> ApiClient:
    """With a password that was just given."""
    visitor = ApiClient()
    assert sign_in(visitor, user.username).status_code == 302
    return visitor


@pytest.mark.engine
def test_the_owner_sees_and_removes_it(alice: User, issuer: str) -> None:
    identities.link(alice, issuer, "there", Actor("root", None))
    api = signed_in(alice)
    shown = api.get("/api/openid").json()
    assert (shown["provider"], shown["issuer"], shown["subject"]) == ("Example ID", issuer, "there")
    assert (shown["linked_at"] is not None, shown["last_used_at"]) == (True, None)
    assert api.post("/api/openid/remove").json()["ok"] is True
    assert api.get("/api/openid").json()["subject"] is None
    assert api.post("/api/openid/remove").status_code == 400


def test_removing_needs_a_recent_password(alice: User, issuer: str, api_of: ApiOf) -> None:
    identities.link(alice, issuer, "there", Actor("root", None))
    refused = api_of(alice).post("/api/openid/remove")
    assert (refused.status_code, refused.json()["error"]) == (403, "reauthenticate")


def test_who_has_no_password_keeps_it(alice: User, enter: Enter, changed: Callable[..., None]) -> None:
    changed(creates=True)
    visitor = ApiClient()
    enter(visitor, "carol")
    visitor.token = visitor.client.cookies["archive_csrf"].value
    assert visitor.entered().post("/api/openid/remove").status_code == 400
    assert ExternalIdentity.objects.count() == 1


@pytest.mark.engine
def test_an_administrator_links_and_unlinks(root: User, alice: User, issuer: str, enter: Enter) -> None:
    api = signed_in(root)
    assert api.post(f"/api/users/{alice.pk}/openid", {"subject": " there "}).status_code == 200
    assert enter(ApiClient(), "there").headers["Location"] == "/"
    assert 'data-subject="there"' in api.get("/users").content.decode()
    assert Entry.objects.filter(action="identity").get().actor == "root"
    assert api.post(f"/api/users/{alice.pk}/openid", {"subject": "other"}).status_code == 200
    assert ExternalIdentity.objects.get().subject == "other"
    assert api.post(f"/api/users/{alice.pk}/openid", {"subject": ""}).status_code == 200
    assert not ExternalIdentity.objects.exists()


@pytest.mark.parametrize(
    ("who", "target", "subject", "status"),
    [
        ("root", "root", "there", 400),
        ("root", "alice", "taken", 400),
        ("root", "alice", "", 400),
        ("root", "alice", "a" * 256, 400),
        ("root", "alice", "a\x00b", 400),
        ("root", "nobody", "there", 404),
        ("alice", "alice", "there", 403),
        ("alice", "bob", "there", 403),
    ],
)
def test_what_an_administrator_cannot(
    root: User, alice: User, bob: User, issuer: str, who: str, target: str, subject: str, status: int
) -> None:
    identities.link(bob, issuer, "taken", Actor("root", None))
    people = {"root": root, "alice": alice, "bob": bob}
    target_id = people[target].pk if target in people else 999_999
    answer = signed_in(people[who]).post(f"/api/users/{target_id}/openid", {"subject": subject})
    assert answer.status_code == status, answer.content
    assert list(ExternalIdentity.objects.values_list("user_id", "subject")) == [(bob.pk, "taken")]


def test_without_a_provider_there_is_none(root: User, alice: User, settings: Any) -> None:
    api = signed_in(root)
    settings.OPENID = None
    answers = [api.get("/api/openid"), api.post("/api/openid/remove"), api.post(f"/api/users/{alice.pk}/openid", {})]
    assert [(answer.status_code, answer.json()["error"]) for answer in answers] == [(404, "not_found")] * 3


def test_a_person_at_another_issuer_is_nobody(alice: User, issuer: str, enter: Enter) -> None:
    identities.link(alice, "https://before.example", "there", Actor("root", None))
    assert enter(ApiClient(), "there").status_code == 403
    assert signed_in(alice).get("/api/openid").json()["subject"] is None


def test_signing_out_leads_there_also_after_a_second_factor(alice: User, issuer: str, enter: Enter) -> None:
    secret, _ = with_codes(alice)
    identities.link(alice, issuer, "alice", Actor("root", None))
    visitor = ApiClient()
    enter(visitor, "alice")
    visitor.token = visitor.client.cookies["archive_csrf"].value
    give(visitor, code_of(secret))
    assert is_in(visitor)
    answer = visitor.client.post("/logout", {"_csrf": visitor.token})
    assert led_out(answer).startswith(f"{issuer}/session/end?")


def test_the_proof_elsewhere_and_a_code_make_a_token(alice: User, issuer: str, enter: Enter) -> None:
    secret, _ = with_codes(alice)
    identities.link(alice, issuer, "alice", Actor("root", None))
    visitor = ApiClient()
    enter(visitor, "alice")
    visitor.token = visitor.client.cookies["archive_csrf"].value
    give(visitor, code_of(secret))
    session = visitor.client.session
    session["password_given_at"] = session["second_factor_given_at"] = 0
    session.save()
    # A code alone proves nothing.
    assert visitor.post("/api/reauthenticate", {"password": "", "code": code_of(secret, 1)}).status_code == 400
    enter(visitor, "alice", **{"for": "again"})
    assert visitor.post("/api/tokens", {"name": "x"}).status_code == 403
    assert visitor.post("/api/reauthenticate", {"password": "", "code": code_of(secret, 1)}).status_code == 200
    assert visitor.post("/api/tokens", {"name": "x", "scopes": ["read"]}).status_code == 200
