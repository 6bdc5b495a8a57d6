"""`manage.py list_users`."""

import io

import pytest
from django.core.management import call_command

from accounts.models import User
from archive_site.lib import clock
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def listed() -> list[list[str]]:
    output = io.StringIO()
    call_command("list_users", stdout=output)
    return [line.split("\t") for line in output.getvalue().splitlines()]


def test_accounts_are_listed_by_id(alice: User, bob: User) -> None:
    assert [row[:2] for row in listed()] == [[str(alice.pk), "alice"], [str(bob.pk), "bob"]]


def test_role_state_and_last_sign_in_are_listed() -> None:
    now = clock.now()
    make_user("ada", is_admin=True, last_login_at=now)
    make_user("ben", status=User.DISABLED)
    assert [row[2:] for row in listed()] == [["admin", "active", clock.local_text(now)], ["user", "disabled", "never"]]


def test_no_account_is_no_line() -> None:
    assert listed() == []


def test_no_hash_is_printed(alice: User) -> None:
    assert "argon2" not in str(listed())
