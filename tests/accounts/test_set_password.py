"""`manage.py set_password NAME [--password-stdin]`."""

import io
import sys

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from audit.models import Entry
from tests.accounts.page_forms import ApiOf
from tests.factories import PASSWORD

pytestmark = pytest.mark.django_db
NEW = "another Horse 8"


def set_password(monkeypatch: pytest.MonkeyPatch, name: str = "alice", typed: str = NEW) -> str:
    output = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    call_command("set_password", name, "--password-stdin", stdout=output)
    return output.getvalue()


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_account_has_the_new_password(end: str, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    said = set_password(monkeypatch, typed=NEW + end)
    assert said == "alice has a new password; all its sessions and tokens are ended.\n"
    assert User.objects.get().check_password(NEW)


def test_its_sessions_end(alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = api_of(alice)
    set_password(monkeypatch)
    assert visitor.get("/api/runs").status_code == 401


def test_it_is_in_the_audit_log_without_the_password(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    set_password(monkeypatch)
    entry = Entry.objects.get()
    assert (entry.actor, entry.action, entry.user_id) == ("command line", "user_update", None)
    assert NEW not in entry.detail


def test_the_name_is_found_in_other_spellings(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "alice has" in set_password(monkeypatch, "ＡＬＩＣＥ")


def test_the_last_administrator_can_get_one(root: User, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "root has" in set_password(monkeypatch, "root")


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("nobody", NEW, "no account nobody"), ("alice", "short", "8 to 128"), ("alice", "lowercase", "two of"),
        ("alice", "a1" * 65, "8 to 128"),
    ],
)  # fmt: skip
def test_what_will_not_do_is_said_and_changes_nothing(
    name: str, typed: str, said: str, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CommandError, match=said):
        set_password(monkeypatch, name, typed)
    assert User.objects.get().check_password(PASSWORD)
    assert not Entry.objects.exists()


def test_an_empty_password_is_said_to_be_missing(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="password is required"):
        set_password(monkeypatch, typed="\n")


def test_without_a_terminal_it_says_how(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(NEW))
    with pytest.raises(CommandError, match="--password-stdin"):
        call_command("set_password", "alice")
