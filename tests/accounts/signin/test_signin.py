"""Signing in and out: sessions, tokens, versions, equal work for every failure (docs/api.md#sessions)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.db.models import F
from django.http import HttpRequest

from accounts.models import User
from accounts.passwords.hashers import Argon2Hasher
from audit.models import Entry
from tests.factories import PASSWORD, ApiClient

ApiOf = Callable[[User], ApiClient]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]


def sign_in(visitor: ApiClient, username: str = "alice", password: str = PASSWORD) -> Any:
    fields = {"_csrf": visitor.token, "username": username, "password": password}
    response = visitor.client.post("/login", fields)
    visitor.token = visitor.client.cookies[settings.CSRF_COOKIE_NAME].value
    return response


def session_of(visitor: ApiClient) -> str:
    cookie = visitor.client.cookies.get(settings.SESSION_COOKIE_NAME)
    return cookie.value if cookie else ""


def is_in(visitor: ApiClient) -> bool:
    return bool(visitor.get("/api/settings").status_code == 200)


def test_the_session_is_a_new_one(alice: User, anonymous: ApiClient) -> None:
    anonymous.client.session.save()
    before = session_of(anonymous)
    sign_in(anonymous)
    assert session_of(anonymous) not in ("", before)


def test_a_visitors_session_does_not_go_on(alice: User, anonymous: ApiClient) -> None:
    session = anonymous.client.session
    session["planted"] = "by somebody else"
    session.save()
    sign_in(anonymous)
    assert "planted" not in anonymous.client.session


def test_who_signs_in_again_gets_a_new_session_and_the_old_one_ends(alice: User, anonymous: ApiClient) -> None:
    sign_in(anonymous)
    before = session_of(anonymous)
    sign_in(anonymous)
    after = session_of(anonymous)
    assert after != before
    anonymous.client.cookies[settings.SESSION_COOKIE_NAME] = before
    assert not is_in(anonymous)


def test_another_account_takes_nothing_over(alice: User, bob: User, anonymous: ApiClient) -> None:
    sign_in(anonymous)
    session = anonymous.client.session
    session["of"] = "alice"
    session.save()
    sign_in(anonymous, "bob")
    assert "of" not in anonymous.client.session
    assert anonymous.client.session["_auth_user_id"] == str(bob.pk)


def test_the_token_from_before_is_dead_and_the_new_one_works(alice: User, anonymous: ApiClient) -> None:
    before = anonymous.token
    sign_in(anonymous)
    assert anonymous.token != before
    assert anonymous.post("/api/settings").status_code == 200
    anonymous.token = before
    assert anonymous.post("/api/settings").status_code == 400


def test_a_failed_try_changes_neither_session_nor_token(alice: User, anonymous: ApiClient) -> None:
    before = (session_of(anonymous), anonymous.token)
    sign_in(anonymous, password="wrong Horse 7")
    assert (session_of(anonymous), anonymous.token) == before
    assert not is_in(anonymous)


@pytest.mark.parametrize("spelling", ["ALICE", " alice ", "ａｌｉｃｅ"])
def test_another_spelling_of_the_name_signs_in(spelling: str, alice: User, anonymous: ApiClient) -> None:
    assert sign_in(anonymous, spelling).status_code == 302
    assert is_in(anonymous)


@pytest.mark.parametrize("wrong", [PASSWORD + " ", " " + PASSWORD, PASSWORD.upper(), PASSWORD + "x" * 5000, "x" * 5000])
def test_a_password_is_compared_to_the_letter(wrong: str, alice: User, anonymous: ApiClient) -> None:
    assert sign_in(anonymous, password=wrong).status_code == 400


def test_a_disabled_account_does_not_get_in(alice: User, anonymous: ApiClient) -> None:
    User.objects.update(status=User.DISABLED)
    sign_in(anonymous)
    assert not is_in(anonymous)


def test_a_disabled_account_is_rejected_at_its_next_request(alice: User, anonymous: ApiClient) -> None:
    sign_in(anonymous)
    User.objects.update(status=User.DISABLED)
    assert anonymous.get("/api/settings").status_code == 401
    assert anonymous.get("/config").headers["Location"] == "/login?next=/config"
    assert anonymous.post("/api/settings").status_code == 401


def test_a_role_that_was_taken_is_gone_at_the_next_request(root: User, anonymous: ApiClient) -> None:
    sign_in(anonymous, "root")
    assert anonymous.get("/api/settings").json()["_role"] == "admin"
    User.objects.update(is_admin=False)
    assert anonymous.get("/api/settings").json()["_role"] == "user"


def test_a_deleted_accounts_session_is_dead(alice: User, anonymous: ApiClient) -> None:
    sign_in(anonymous)
    alice.delete()
    assert not is_in(anonymous)


def test_a_higher_session_version_kills_every_session(alice: User) -> None:
    visitors = [ApiClient(), ApiClient()]
    for visitor in visitors:
        sign_in(visitor)
    User.objects.update(session_version=F("session_version") + 1)
    assert [is_in(visitor) for visitor in visitors] == [False, False]


def test_a_changed_password_kills_every_session(alice: User, anonymous: ApiClient) -> None:
    sign_in(anonymous)
    alice.set_password("another Horse 7")
    alice.save()
    assert not is_in(anonymous)


def test_another_secret_key_ends_every_session(
    alice: User, anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in(anonymous)
    monkeypatch.setattr(settings, "SECRET_KEY", "another-key-" * 5)
    assert not is_in(anonymous)


def test_the_session_that_changes_it_may_stay(alice: User) -> None:
    here, elsewhere = ApiClient(), ApiClient()
    for visitor in (here, elsewhere):
        sign_in(visitor)
    alice.refresh_from_db()
    alice.session_version += 1
    alice.save()
    request = HttpRequest()
    request.session = here.client.session
    request.user = alice
    update_session_auth_hash(request, alice)
    request.session.save()
    here.client.cookies[settings.SESSION_COOKIE_NAME] = request.session.session_key or ""
    assert (is_in(here), is_in(elsewhere)) == (True, False)


def test_one_accounts_version_leaves_others_in(alice: User, bob: User, api_of: ApiOf) -> None:
    visitor = api_of(bob)
    User.objects.filter(pk=alice.pk).update(session_version=9)
    assert is_in(visitor)


def test_signing_in_is_counted_and_dated(alice: User, anonymous: ApiClient) -> None:
    sign_in(anonymous)
    sign_in(ApiClient())
    alice.refresh_from_db()
    assert (alice.login_count, alice.last_login_ip, alice.last_login_at is None) == (2, "127.0.0.1", False)


def test_a_failed_try_is_not(alice: User, anonymous: ApiClient) -> None:
    sign_in(anonymous, password="wrong Horse 7")
    alice.refresh_from_db()
    assert (alice.login_count, alice.last_login_ip, alice.last_login_at) == (0, None, None)


def entry() -> tuple[str, str, int | None, str, str]:
    found = Entry.objects.get()
    return found.action, found.actor, found.user_id, found.ip, found.detail


def test_signing_in_is_audited(alice: User, anonymous: ApiClient) -> None:
    sign_in(anonymous)
    assert entry() == ("login", "alice", alice.pk, "127.0.0.1", "")


def test_a_wrong_password_is_audited_under_the_accounts_name(alice: User, anonymous: ApiClient) -> None:
    sign_in(anonymous, "ALICE", "wrong Horse 7")
    assert entry() == ("login_failed", "alice", alice.pk, "127.0.0.1", "wrong password")


def test_a_disabled_accounts_try_is_audited_as_such(alice: User, anonymous: ApiClient) -> None:
    User.objects.update(status=User.DISABLED)
    sign_in(anonymous)
    assert entry() == ("login_failed", "alice", alice.pk, "127.0.0.1", "disabled account")


def test_an_unknown_name_is_audited_in_part(anonymous: ApiClient) -> None:
    sign_in(anonymous, "x" * 100)
    assert entry() == ("login_failed", "x" * 32, None, "127.0.0.1", "unknown name")


def test_signing_out_is_audited(alice: User, anonymous: ApiClient) -> None:
    sign_in(anonymous)
    anonymous.client.post("/logout", {"_csrf": anonymous.token})
    assert list(Entry.objects.order_by("id").values_list("action", flat=True)) == ["login", "logout"]


def test_no_password_is_in_the_audit_log(alice: User, anonymous: ApiClient) -> None:
    sign_in(anonymous, password="marker Horse 7")
    sign_in(anonymous)
    assert not any("Horse" in "".join(map(str, row)) for row in Entry.objects.values_list())


@pytest.fixture
def hashes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One item for each hashed password."""
    done: list[str] = []
    for name in ("encode", "verify"):
        original = getattr(Argon2Hasher, name)

        def counted(self: Argon2Hasher, *args: Any, _original: Any = original, _name: str = name) -> Any:
            done.append(_name)
            return _original(self, *args)

        monkeypatch.setattr(Argon2Hasher, name, counted)
    return done


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("alice", "wrong Horse 7"),
        ("nobody", "wrong Horse 7"),
        ("nobody", PASSWORD),
        ("off", PASSWORD),
        ("off", "wrong 7"),
    ],
)
def test_every_failure_costs_one_hash(
    name: str, password: str, alice: User, bob: User, anonymous: ApiClient, hashes: list[str]
) -> None:
    User.objects.filter(pk=bob.pk).update(username="off", username_key="off", status=User.DISABLED)
    assert sign_in(anonymous, name, password).status_code == 400
    assert len(hashes) == 1


def test_a_success_costs_one_hash_too(alice: User, anonymous: ApiClient, hashes: list[str]) -> None:
    assert sign_in(anonymous).status_code == 302
    assert hashes == ["verify"]
