"""Control characters in passwords and names: refused with words where they are new (docs/api.md#user)."""

import io
import sys
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from accounts.signin.first_run import issue_token
from accounts.signin.forms import WRONG
from accounts.store_identity import open_store
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, instance, page, post, register, sign_in
from tests.accounts.users_api import NEW, PATH, change, refusal
from tests.factories import PASSWORD, ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
SIGNS = ["\x00", "\x07", "\t", "\x1b", "\x7f", "\x85"]
NO_PASSWORD = "A password cannot contain control characters."


def twice(password: str) -> dict[str, str]:
    return {"password": password, "password2": password}


@pytest.mark.parametrize("sign", SIGNS)
def test_no_new_account_has_one_in_its_password(sign: str, root: User, api_of: ApiOf) -> None:
    response = api_of(root).post(PATH, {**NEW, **twice(f"correct{sign}Horse 7")})
    assert refusal(response) == NO_PASSWORD


@pytest.mark.parametrize("sign", SIGNS)
def test_no_password_is_changed_to_one_with_it(sign: str, alice: User, root: User, api_of: ApiOf) -> None:
    new = f"correct{sign}Horse 7"
    own = api_of(alice).post("/api/password", {"old": PASSWORD, "new": new, "new2": new})
    assert refusal(own) == refusal(change(api_of(root), alice, **twice(new))) == NO_PASSWORD
    assert User.objects.get(pk=alice.pk).check_password(PASSWORD)


@pytest.mark.parametrize("command", ["create_admin", "set_password"])
def test_no_command_sets_one(command: str, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("correct\x00Horse 7\n"))
    with pytest.raises(CommandError, match="control characters"):
        call_command(command, "alice" if command == "set_password" else "ada", "--password-stdin")
    assert User.objects.get().check_password(PASSWORD)


@pytest.mark.parametrize("field", ["username", "display_name", "email", "password"])
@pytest.mark.parametrize("sign", ["\x00", "\x07", "\x85"])
def test_registration_refuses_it_beside_its_field(field: str, sign: str, anonymous: ApiClient) -> None:
    instance(allow_register="1")
    text = f"a{sign}b@Horse 7" if field != "username" else f"a{sign}b"
    fields = {"username": "carol", field: text, **({"password2": text} if field == "password" else {})}
    response = register(anonymous, **fields)
    assert response.status_code == 400
    assert f'id="id_{field}_error"' in page(response)
    assert not User.objects.exists()


@pytest.mark.parametrize("field", ["username", "email", "password"])
@pytest.mark.parametrize("sign", ["\x00", "\x07", "\x85"])
def test_the_first_run_page_refuses_it_beside_its_field(field: str, sign: str, anonymous: ApiClient) -> None:
    open_store()
    text = f"a{sign}b@Horse 7" if field != "username" else f"a{sign}b"
    fields = {"username": "ada", **twice(PASSWORD), field: text, **(twice(text) if field == "password" else {})}
    response = post(anonymous, f"/first-run/{issue_token()}", **fields)
    assert response.status_code == 400
    assert f'id="id_{field}_error"' in page(response)


@pytest.mark.parametrize("sign", ["\x00", "\x07", "\x85", "\u2028", "\u202e"])
@pytest.mark.parametrize("field", ["username", "display_name"])
def test_no_name_has_one(field: str, sign: str, root: User, api_of: ApiOf) -> None:
    assert refusal(api_of(root).post(PATH, {**NEW, field: f"ca{sign}rol"}))


@pytest.mark.parametrize("sign", SIGNS)
def test_a_sign_in_with_one_is_a_failed_sign_in(sign: str, alice: User, anonymous: ApiClient) -> None:
    response = sign_in(anonymous, password=f"{PASSWORD}{sign}")
    assert (response.status_code, WRONG in page(response)) == (400, True)
    assert Entry.objects.get().action == "login_failed"


@pytest.mark.parametrize("sign", SIGNS)
def test_a_name_with_one_signs_nobody_in(sign: str, alice: User, anonymous: ApiClient) -> None:
    assert sign_in(anonymous, username=f"al{sign}ice").status_code == 400


@pytest.mark.parametrize("sign", SIGNS)
def test_a_password_that_was_set_before_stays_valid(sign: str, alice: User, anonymous: ApiClient) -> None:
    alice.set_password(f"correct{sign}Horse 7")
    alice.save()
    assert sign_in(anonymous, password=f"correct{sign}Horse 7").status_code == 302


@pytest.mark.parametrize("command", [["set_password"], ["collect"], ["maintenance", "recount"], ["adopt_archive", "7"]])
def test_a_name_that_is_no_text_is_unknown_to_commands(
    command: list[str], alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte that is no UTF-8 reaches a command as a lone surrogate."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(PASSWORD))
    options: list[Any] = ["--password-stdin"] if command == ["set_password"] else []
    with pytest.raises(CommandError, match="no account"):
        call_command(*command, "\udcff", *options)
