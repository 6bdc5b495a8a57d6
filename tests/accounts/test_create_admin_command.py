"""`manage.py create_admin NAME [--password-stdin]`."""

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from audit.models import Entry
from tests.archive_site.commands import ROOT, is_one_line, manage
from tests.factories import PASSWORD
from tests.process_stores import environment


def create(monkeypatch: pytest.MonkeyPatch, name: str, typed: str) -> str:
    output = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    call_command("create_admin", name, "--password-stdin", stdout=output)
    return output.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\nmore\n"])
def test_it_makes_an_active_administrator(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert create(monkeypatch, "ada", PASSWORD + end) == "ada is an administrator now.\n"
    admin = User.objects.get()
    assert (admin.username, admin.is_admin, admin.is_active, admin.check_password(PASSWORD)) == (
        "ada",
        True,
        True,
        True,
    )


@pytest.mark.django_db
def test_it_is_audited_without_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    create(monkeypatch, "ada", PASSWORD)
    entry = Entry.objects.get()
    assert (entry.actor, entry.action, entry.user_id, entry.detail) == (
        "command line", "user_create", None, "administrator ada"
    )  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("a", PASSWORD, "2 to 32 characters"),
        (".ada", PASSWORD, "begins with a letter or digit"),
        ("ada", "", "password is required"),
        ("ada", "short", "8 to 128"),
        ("ada", "onlylowercase", "two of"),
        ("ALICE", PASSWORD, "taken"),
    ],
)
def test_an_invalid_name_or_password_is_refused_and_makes_no_account(
    name: str, typed: str, said: str, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CommandError, match=said):
        create(monkeypatch, name, typed)
    assert (User.objects.count(), Entry.objects.count()) == (1, 0)


@pytest.mark.thorough
def test_on_a_new_folder_it_makes_the_store_too(tmp_path: Path) -> None:
    done = manage("create_admin", "ada", "--password-stdin", home=tmp_path / "home", text=PASSWORD + "\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "ada is an administrator now.\n", "")
    again = manage("create_admin", "ada", "--password-stdin", home=tmp_path / "home", text=PASSWORD + "\n")
    assert is_one_line(again, "taken")


@pytest.mark.thorough
def test_without_a_terminal_it_says_how_to_give_the_password(made_home: Path) -> None:
    assert is_one_line(manage("create_admin", "ada", home=made_home), "--password-stdin")


@pytest.mark.thorough
@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_a_password_that_is_no_text_is_one_line(errors: str, made_home: Path) -> None:
    command = [sys.executable, str(ROOT / "manage.py"), "create_admin", "ada", "--password-stdin"]
    started = environment(made_home, PYTHONIOENCODING=f"utf-8:{errors}")
    done = subprocess.run(command, env=started, input=b"abc\xff\xfe1234\n", capture_output=True, timeout=30)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)


@pytest.mark.thorough
def test_at_a_terminal_it_asks_twice_and_shows_nothing(made_home: Path) -> None:
    said, code = typed_at_a_terminal(made_home, f"{PASSWORD}\n{PASSWORD}\n")
    assert (code, PASSWORD in said) == (0, False)
    assert "Password: " in said
    assert "Password again: " in said


@pytest.mark.thorough
@pytest.mark.parametrize("typed", [f"{PASSWORD}\nanother Horse 7\n", "\x04", "\x03"])
def test_at_a_terminal_a_failure_is_a_line_and_no_traceback(typed: str, made_home: Path) -> None:
    said, code = typed_at_a_terminal(made_home, typed)
    assert (code, "Traceback" in said, said.count("CommandError")) == (1, False, 1)


def typed_at_a_terminal(home: Path, text: str) -> tuple[str, int]:
    """The output and exit code of the command on a terminal; each line is typed at its prompt."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(  # noqa: S606
            sys.executable, [sys.executable, str(ROOT / "manage.py"), "create_admin", "ada"], environment(home)
        )  # fmt: skip
    said, lines = "", text.splitlines(keepends=True)
    asked = 0
    while True:
        try:
            said += os.read(terminal, 1024).decode()
        except OSError:
            break
        # The prompts only, not any colon: what is typed before a prompt is discarded.
        if len(re.findall(r"^(?:Password|Password again): ", said, re.MULTILINE)) > asked and lines:
            asked += 1
            os.write(terminal, lines.pop(0).encode())
    os.close(terminal)
    return said, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
