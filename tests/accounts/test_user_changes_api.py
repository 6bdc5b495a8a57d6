"""POST /api/users/<id>: docs/api.md#users."""

from typing import Any

import pytest

from accounts.models import User
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, answer_of, sign_in
from tests.accounts.users_api import PATH, audited, change, fresh, refusal
from tests.factories import PASSWORD, ApiClient, make_user

pytestmark = pytest.mark.django_db
NEW_PASSWORD = "another Horse 8"


# Changing


def test_name_and_email_are_changed(alice: User, admin: ApiClient) -> None:
    response = change(admin, alice, display_name=" A ", email=" a@example.org ")
    assert (response.status_code, set(answer_of(response))) == (200, {"ok", "message"})
    assert (fresh(alice).display_name, fresh(alice).email) == ("A", "a@example.org")


def test_empty_ones_are_cleared(alice: User, admin: ApiClient) -> None:
    change(admin, alice, display_name="A", email="a@example.org")
    change(admin, alice, display_name=" ", email="")
    assert (fresh(alice).display_name, fresh(alice).email) == ("alice", None)


def test_a_null_email_clears_it(alice: User, admin: ApiClient) -> None:
    change(admin, alice, email="a@example.org")
    assert change(admin, alice, email=None).status_code == 200
    assert fresh(alice).email is None


def test_a_change_is_in_the_audit_log_without_a_secret(alice: User, admin: ApiClient, root: User) -> None:
    change(admin, alice, display_name="A", password=NEW_PASSWORD, password2=NEW_PASSWORD)
    entry = audited()
    assert (entry.action, entry.actor, entry.user_id) == ("user_update", "root", root.pk)
    assert "alice" in entry.detail
    assert NEW_PASSWORD not in entry.detail


def test_the_audit_log_names_only_what_is_another_value_now(alice: User, admin: ApiClient) -> None:
    assert change(admin, alice, is_admin="0", email="a@example.com").status_code == 200
    assert audited().detail == "alice: email"
    assert change(admin, alice, is_admin="0").status_code == 200
    assert audited().detail == "alice: nothing changed"


@pytest.mark.parametrize("body", [{}, {"username": "eve"}, {"status": None}, {"is_admin": None}, {"password": ""}])
def test_a_body_that_asks_for_nothing_is_refused(body: dict[str, object], alice: User, admin: ApiClient) -> None:
    assert "nothing to change" in refusal(change(admin, alice, **body))
    assert not Entry.objects.exists()


@pytest.mark.parametrize("user_id", ["99999", "0", "x", "-1", "1.5", "9" * 30, "٣"])
@pytest.mark.parametrize("body", [{}, {"display_name": "A"}])
def test_an_unknown_id_is_404_before_the_body_is_looked_at(user_id: str, body: Any, admin: ApiClient) -> None:
    assert refusal(admin.post(f"{PATH}/{user_id}", body), 404)


def test_the_user_name_never_changes(alice: User, admin: ApiClient) -> None:
    change(admin, alice, username="eve", display_name="A")
    assert fresh(alice).username == "alice"


@pytest.mark.parametrize("body", [{"email": "nobody"}, {"display_name": "a\x00"}, {"password": "x", "password2": "x"}])
def test_one_bad_value_changes_nothing_at_all(body: dict[str, object], alice: User, admin: ApiClient) -> None:
    assert refusal(change(admin, alice, is_admin=True, **body))
    assert not fresh(alice).is_admin


@pytest.mark.parametrize("value", ["active", "1", "true", "on", 1, True, " Active "])
def test_the_words_that_make_active(value: object, alice: User, admin: ApiClient) -> None:
    User.objects.filter(pk=alice.pk).update(status=User.DISABLED)
    assert change(admin, alice, status=value).status_code == 200
    assert fresh(alice).is_active


@pytest.mark.parametrize("value", ["disabled", "0", "", False, "yes", 0, "inactive", []])
def test_any_other_word_disables(value: object, alice: User, admin: ApiClient) -> None:
    assert change(admin, alice, status=value).status_code == 200
    assert fresh(alice).status == "disabled"


def test_disabling_ends_sessions_for_good(alice: User, admin: ApiClient, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    change(admin, alice, status="disabled")
    assert visitor.get("/api/runs").status_code == 401
    change(admin, alice, status="active")
    assert visitor.get("/api/runs").status_code == 401


def test_a_disabled_account_is_rejected_even_when_its_version_stayed(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    User.objects.filter(pk=alice.pk).update(status=User.DISABLED)
    assert visitor.get("/api/runs").status_code == 401


def test_a_role_is_given_and_taken(alice: User, admin: ApiClient, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    change(admin, alice, is_admin="1")
    assert visitor.get(PATH).status_code == 200
    change(admin, alice, is_admin="0")
    assert visitor.get(PATH).status_code == 403


@pytest.mark.usefixtures("no_captcha")
def test_a_reset_password_ends_the_accounts_sessions(
    alice: User, admin: ApiClient, api_of: ApiOf, anonymous: ApiClient
) -> None:
    visitor = api_of(alice)
    assert change(admin, alice, password=NEW_PASSWORD, password2=NEW_PASSWORD).status_code == 200
    assert visitor.get("/api/runs").status_code == 401
    assert sign_in(anonymous, password=NEW_PASSWORD).status_code == 302


def test_a_reset_password_raises_the_session_version(alice: User, admin: ApiClient) -> None:
    change(admin, alice, password=NEW_PASSWORD, password2=NEW_PASSWORD)
    assert fresh(alice).session_version == alice.session_version + 1


@pytest.mark.parametrize("body", [{"password": NEW_PASSWORD}, {"password": NEW_PASSWORD, "password2": PASSWORD}])
def test_a_password_needs_its_repetition(body: dict[str, object], alice: User, admin: ApiClient) -> None:
    assert refusal(change(admin, alice, **body))
    assert fresh(alice).check_password(PASSWORD)


# Guards


def test_nobody_takes_the_own_role_away(root: User, admin: ApiClient) -> None:
    make_user("second", is_admin=True)
    assert "your own" in refusal(change(admin, root, is_admin="0"))
    assert fresh(root).is_admin


def test_nobody_disables_the_own_account(root: User, admin: ApiClient) -> None:
    make_user("second", is_admin=True)
    assert "your own" in refusal(change(admin, root, status="disabled"))
    assert fresh(root).is_active


def test_the_own_role_and_state_may_be_said_again(root: User, admin: ApiClient) -> None:
    assert change(admin, root, is_admin=True, status="active").status_code == 200


def test_a_guard_holds_though_other_changes_are_asked_for(root: User, admin: ApiClient) -> None:
    assert refusal(change(admin, root, display_name="R", is_admin=False))
    assert fresh(root).display_name == "root"


@pytest.mark.engine
def test_another_administrator_may_be_demoted_and_disabled(admin: ApiClient) -> None:
    second, third = make_user("second", is_admin=True), make_user("third", is_admin=True)
    assert change(admin, second, is_admin=0).status_code == 200
    assert change(admin, third, status=0).status_code == 200


def test_a_disabled_administrator_may_be_demoted(admin: ApiClient) -> None:
    second = make_user("second", is_admin=True, status=User.DISABLED)
    assert change(admin, second, is_admin=0).status_code == 200
