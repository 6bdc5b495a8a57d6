"""What ends tokens: docs/api.md#tokens."""

import io
import sys
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

from accounts.models import ApiToken, User
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, answer_of
from tests.factories import PASSWORD, ApiClient
from tests.tokens import TokenClient, make_token

pytestmark = pytest.mark.django_db
NEW = "another Horse 8"


def works(program: TokenClient) -> bool:
    return bool(program.get("/api/status").status_code == 200)


@pytest.mark.parametrize("body", [{}, {"keep_data": True}])
def test_they_end_with_the_account(body: dict[str, Any], alice: User, bob: User, root: User, api_of: ApiOf) -> None:
    ended, others = TokenClient.of(alice), TokenClient.of(bob)
    assert api_of(root).post(f"/api/users/{alice.pk}/delete", body).status_code == 200
    assert (works(ended), works(others)) == (False, True)
    assert [token.user_id for token in ApiToken.objects.all()] == [bob.pk]


@pytest.mark.engine
@pytest.mark.parametrize("body", [{"status": "disabled"}, {"password": NEW, "password2": NEW}])
def test_they_end_by_an_administrator(body: dict[str, Any], alice: User, bob: User, root: User, api_of: ApiOf) -> None:
    ended, others, admin = [TokenClient.of(alice) for _ in range(2)], TokenClient.of(bob), api_of(root)
    assert admin.post(f"/api/users/{alice.pk}", body).status_code == 200
    # Nor do they come back.
    admin.post(f"/api/users/{alice.pk}", {"status": "active"})
    assert ([works(one) for one in ended], works(others)) == ([False, False], True)
    entry = Entry.objects.filter(action="user_update").earliest("pk")
    assert entry.detail.endswith("tokens ended: 2")


def test_a_change_that_is_refused_ends_none(alice: User, root: User, api_of: ApiOf) -> None:
    program = TokenClient.of(alice)
    body = {"status": "disabled", "password": "short", "password2": "short"}
    assert api_of(root).post(f"/api/users/{alice.pk}", body).status_code == 400
    assert works(program)


@pytest.mark.parametrize("body", [{"is_admin": True}, {"email": "a@example.org"}, {"status": "active"}])
def test_other_changes_leave_them(body: dict[str, Any], alice: User, root: User, api_of: ApiOf) -> None:
    program = TokenClient.of(alice)
    assert api_of(root).post(f"/api/users/{alice.pk}", body).status_code == 200
    assert works(program)


def test_they_end_by_the_command_that_sets_a_password(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    program = TokenClient.of(alice)
    monkeypatch.setattr(sys, "stdin", io.StringIO(NEW))
    call_command("set_password", "alice", "--password-stdin", stdout=io.StringIO())
    assert not works(program)


def test_the_state_of_the_account_is_read_on_each_request(alice: User) -> None:
    program = TokenClient.of(alice)
    User.objects.update(status=User.DISABLED)
    assert not works(program)


def change_password(visitor: ApiClient, **more: object) -> Any:
    return visitor.post("/api/password", {"old": PASSWORD, "new": NEW, "new2": NEW, **more})


@pytest.mark.parametrize("more", [{}, {"end_tokens": False}, {"end_tokens": None}, {"end_tokens": "no"}])
def test_the_own_password_leaves_them(more: dict[str, object], alice: User, api_of: ApiOf) -> None:
    program = TokenClient.of(alice)
    answer = change_password(api_of(alice), **more)
    assert (answer.status_code, "token" in answer_of(answer)["message"]) == (200, False)
    assert (works(program), Entry.objects.get(action="password").detail) == (True, "")


@pytest.mark.parametrize("chosen", [True, "1", "on"])
def test_the_own_password_ends_them_if_asked(chosen: object, alice: User, bob: User, api_of: ApiOf) -> None:
    program, others, visitor = TokenClient.of(alice), TokenClient.of(bob), api_of(alice)
    answer = change_password(visitor, end_tokens=chosen)
    assert (answer.status_code, set(answer_of(answer)), "tokens" in answer_of(answer)["message"]) == (
        200,
        {"ok", "message"},
        True,
    )
    assert (works(program), works(others)) == (False, True)
    assert Entry.objects.get(action="password").detail == "tokens ended: 1"
    assert visitor.get("/api/status").status_code == 200


def test_a_wrong_old_password_ends_none(alice: User, api_of: ApiOf) -> None:
    program = TokenClient.of(alice)
    assert change_password(api_of(alice), old="wrong Horse 7", end_tokens=True).status_code == 400
    assert works(program)


def test_ending_other_sessions_and_signing_out_leave_them(alice: User, api_of: ApiOf) -> None:
    program, visitor = TokenClient.of(alice), api_of(alice)
    leaving: list[Callable[[], Any]] = [
        lambda: visitor.post("/api/sessions/end-others"),
        lambda: visitor.client.post("/logout", {"_csrf": visitor.token}),
    ]
    assert [leave().status_code for leave in leaving] == [200, 302]
    assert works(program)


def test_one_that_was_made_before_another_stays(alice: User) -> None:
    first, second = make_token(alice), make_token(alice)
    ApiToken.objects.filter(pk=second[0].pk).delete()
    assert works(TokenClient(first[1]))
