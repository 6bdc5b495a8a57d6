"""Passwords that are easy to guess: warned of, or refused (docs/decisions/accounts.md#weak-passwords)."""

import io
import sys
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from accounts.account_creation import clean_password
from accounts.models import Store, User
from accounts.passwords.password_warnings import warning
from accounts.signin.first_run import issue_token
from tests.accounts.page_forms import ApiOf, answer_of, instance, page, post, register
from tests.accounts.users_api import NEW, change, refusal
from tests.factories import PASSWORD, ApiClient

COMMON = "Password1"
OF_ALICE = "xx-ALICE-1948-yy"


@pytest.mark.parametrize("password", ["Password1", "qwerty123", "iloveyou1", "PASSWORD123"])
def test_a_common_password_is_warned_of(password: str) -> None:
    assert "list of common" in warning(password, "alice")


@pytest.mark.parametrize("password", [OF_ALICE, "my alice 1", "ａｌｉｃｅ 7 roses", "Alice9173", "ecila-al1"])
def test_a_password_with_the_name_is_warned_of(password: str) -> None:
    assert "user name" in warning(password, "Alice")


@pytest.mark.parametrize(("password", "name"), [(PASSWORD, "alice"), ("bo-correct Horse", "bo"), (PASSWORD, "")])
def test_a_good_password_is_not_warned_of(password: str, name: str) -> None:
    assert warning(password, name) == ""


@pytest.mark.parametrize("password", [COMMON, OF_ALICE])
def test_a_warning_is_no_refusal(password: str) -> None:
    assert clean_password(password, password, "alice") == password


@pytest.mark.parametrize("password", [COMMON, OF_ALICE])
@pytest.mark.parametrize("strict", [1, 9])
def test_a_strict_instance_refuses_it(password: str, strict: int, settings: Any) -> None:
    settings.PASSWORD_STRICT = strict
    with pytest.raises(ValidationError, match="easy to guess") as refused:
        clean_password(password, password, "alice")
    assert password not in str(refused.value)


def test_a_strict_instance_keeps_the_least_length_of_the_policy(settings: Any) -> None:
    settings.PASSWORD_STRICT = 1
    assert clean_password("hg7-w2xz", "hg7-w2xz", "alice") == "hg7-w2xz"


def test_a_greater_least_length_is_required(settings: Any) -> None:
    settings.PASSWORD_STRICT = 16
    assert clean_password(PASSWORD + "!", PASSWORD + "!", "alice")
    with pytest.raises(ValidationError, match="16 to 128"):
        clean_password(PASSWORD, PASSWORD, "alice")


@pytest.mark.django_db
def test_forms_name_the_length_that_is_required(alice: User, api_of: ApiOf, settings: Any) -> None:
    settings.PASSWORD_STRICT = 16
    assert "At least 16 characters" in page(api_of(alice).get("/profile"))


# Answers of the API


def own_change(visitor: ApiClient, password: str) -> Any:
    return visitor.post("/api/password", {"old": PASSWORD, "new": password, "new2": password})


@pytest.mark.django_db
def test_a_change_of_the_own_password_warns(alice: User, api_of: ApiOf) -> None:
    answer = answer_of(own_change(api_of(alice), COMMON))
    assert answer["ok"]
    assert "list of common" in answer["warning"]


@pytest.mark.django_db
def test_a_change_to_a_good_password_says_nothing_more(alice: User, api_of: ApiOf) -> None:
    assert set(answer_of(own_change(api_of(alice), "another Horse 8"))) == {"ok", "message"}


@pytest.mark.django_db
def test_a_strict_instance_keeps_the_old_password(alice: User, api_of: ApiOf, settings: Any) -> None:
    settings.PASSWORD_STRICT = 1
    assert "user name" in refusal(own_change(api_of(alice), OF_ALICE))
    assert User.objects.get(pk=alice.pk).check_password(PASSWORD)


def test_a_new_account_is_created_with_a_warning(admin: ApiClient) -> None:
    answer = answer_of(admin.post("/api/users", {**NEW, "password": "carol 2000", "password2": "carol 2000"}))
    assert answer["id"]
    assert "user name" in answer["warning"]


def test_a_strict_instance_creates_no_such_account(admin: ApiClient, settings: Any) -> None:
    settings.PASSWORD_STRICT = 1
    assert "user name" in refusal(
        admin.post("/api/users", {**NEW, "password": "carol 2000", "password2": "carol 2000"})
    )
    assert not User.objects.filter(username="carol").exists()


def test_a_reset_password_is_warned_of(admin: ApiClient, alice: User) -> None:
    answer = answer_of(change(admin, alice, password=OF_ALICE, password2=OF_ALICE))
    assert "user name" in answer["warning"]


def test_another_change_of_an_account_has_no_warning(admin: ApiClient, alice: User) -> None:
    assert set(answer_of(change(admin, alice, display_name="A"))) == {"ok", "message"}


def test_a_strict_instance_resets_to_no_such_password(admin: ApiClient, alice: User, settings: Any) -> None:
    settings.PASSWORD_STRICT = 1
    assert "list of common" in refusal(change(admin, alice, password=COMMON, password2=COMMON))


# Pages


@pytest.fixture
def open_instance(db: None) -> None:
    instance(allow_register="1", captcha_policy="off")


@pytest.mark.usefixtures("open_instance")
def test_the_first_page_of_a_new_account_warns_once(anonymous: ApiClient) -> None:
    assert register(anonymous, "carol", password=COMMON, password2=COMMON).status_code == 302
    assert "list of common" in page(anonymous.get("/"))
    assert "list of common" not in page(anonymous.get("/"))


@pytest.mark.usefixtures("open_instance")
def test_it_says_nothing_about_a_good_password(anonymous: ApiClient) -> None:
    register(anonymous, "carol")
    assert "easy to guess" not in page(anonymous.get("/"))


@pytest.mark.usefixtures("open_instance")
def test_a_strict_instance_registers_no_such_account(anonymous: ApiClient, settings: Any) -> None:
    settings.PASSWORD_STRICT = 1
    response = register(anonymous, "carol", password="carol 2000", password2="carol 2000")
    assert response.status_code == 400
    assert "holds the user name" in page(response)
    assert not User.objects.exists()


@pytest.fixture
def first_run_path(db: None) -> str:
    Store.objects.create(id=1, time_zone="Europe/Berlin", key_fingerprint="f")
    return f"/first-run/{issue_token()}"


def test_the_first_administrator_is_warned(first_run_path: str, anonymous: ApiClient) -> None:
    fields = {"username": "ada", "password": COMMON, "password2": COMMON}
    assert post(anonymous, first_run_path, **fields).status_code == 302
    assert "list of common" in page(anonymous.get("/"))


def test_a_strict_instance_keeps_the_first_run_open(first_run_path: str, anonymous: ApiClient, settings: Any) -> None:
    settings.PASSWORD_STRICT = 1
    response = post(anonymous, first_run_path, username="ada", password=COMMON, password2=COMMON)
    assert (response.status_code, User.objects.count()) == (400, 0)
    assert "list of common" in page(response)


# Commands


def command(monkeypatch: pytest.MonkeyPatch, name: str, account: str, typed: str) -> tuple[str, str]:
    out, error = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    call_command(name, account, "--password-stdin", stdout=out, stderr=error)
    return out.getvalue(), error.getvalue()


@pytest.mark.django_db
def test_create_admin_warns_on_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    out, error = command(monkeypatch, "create_admin", "ada", COMMON)
    assert out == "ada is an administrator now.\n"
    assert error.startswith("Warning: This password is on a list of common ones")
    assert COMMON not in error


@pytest.mark.django_db
def test_set_password_warns_on_standard_error(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "user name" in command(monkeypatch, "set_password", "alice", OF_ALICE)[1]
    assert User.objects.get(pk=alice.pk).check_password(OF_ALICE)


@pytest.mark.django_db
def test_a_good_password_leaves_standard_error_empty(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    assert command(monkeypatch, "set_password", "alice", "another Horse 8")[1] == ""


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "account"), [("create_admin", "ada"), ("set_password", "alice")])
def test_commands_of_a_strict_instance_refuse(
    name: str, account: str, alice: User, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.PASSWORD_STRICT = 1
    with pytest.raises(CommandError, match="easy to guess"):
        command(monkeypatch, name, account, COMMON)
    assert User.objects.get().check_password(PASSWORD)
