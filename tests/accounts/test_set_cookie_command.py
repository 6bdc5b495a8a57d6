"""`manage.py set_cookie NAME`: the cookie of an account from standard input (docs/api.md#pasted-cookies)."""

import io
import sys
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from accounts import config
from accounts.credentials import credential
from accounts.credentials.credential_forms import LONGEST
from accounts.models import Setting, User
from audit.models import Entry
from tests.accounts.settings_requests import AGENT, COOKIE

pytestmark = pytest.mark.django_db
CURL = f"curl 'https://www.codebuddy.cn/' \\\n  -H 'User-Agent: {AGENT}' \\\n  -b '{COOKIE}'\n"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> "Given":
    return Given(monkeypatch)


class Given:
    """The command with a text on its standard input, and what it wrote."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        self.out, self.error = io.StringIO(), io.StringIO()

    def __call__(self, text: str, name: str = "alice") -> str:
        self.patch.setattr(sys, "stdin", io.StringIO(text))
        call_command("set_cookie", name, stdout=self.out, stderr=self.error)
        return self.out.getvalue()


def test_a_copied_request_gives_cookie_and_user_agent(given: Given, alice: User) -> None:
    assert given(CURL) == "alice: changed cookie, user_agent.\n"
    assert (credential.reveal(alice.pk), config.user_agent(alice.pk)) == (COOKIE, AGENT)


def test_a_cookie_alone_is_taken(given: Given, alice: User) -> None:
    assert given(f"{COOKIE}\n") == "alice: changed cookie.\n"
    assert credential.reveal(alice.pk) == COOKIE


def test_it_is_audited_as_on_the_settings_page(given: Given, alice: User) -> None:
    given(COOKIE)
    entry = Entry.objects.get()
    assert (entry.actor, entry.action, entry.user_id, entry.detail) == (
        "command line", "settings", alice.pk, "changed cookie"
    )  # fmt: skip


@pytest.mark.parametrize("name", ["bob", "b", "\udcff"])
def test_another_name_is_one_line_and_changes_nothing(given: Given, alice: User, name: str) -> None:
    with pytest.raises(CommandError, match="There is no account"):
        given(COOKIE, name)
    assert not Setting.objects.exists()


def test_the_cookie_of_another_account_stays(given: Given, alice: User, bob: User) -> None:
    given(COOKIE)
    assert not credential.state(bob.pk).set


def test_a_doubtful_cookie_is_stored_with_a_warning(given: Given, alice: User) -> None:
    given("curl 'https://elsewhere.example.org/' -b 'token=abc'")
    assert credential.state(alice.pk).set
    warnings = given.error.getvalue().splitlines()
    assert [line.startswith("Warning: The ") for line in warnings] == [True, True]
    assert "elsewhere.example.org" in warnings[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Standard input holds no text; nothing was changed."),
        (" \n\n", "Standard input holds no text; nothing was changed."),
        ("curl 'https://www.codebuddy.cn/'", "cookie "),
        ("x" * (LONGEST + 10), "1,000,000"),
    ],
)
def test_a_text_without_a_cookie_is_one_line_and_changes_nothing(
    given: Given, alice: User, text: str, words: str
) -> None:
    credential.store(alice.pk, COOKIE)
    with pytest.raises(CommandError, match=words) as refused:
        given(text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500
    assert credential.reveal(alice.pk) == COOKIE


def test_a_refused_text_is_audited_and_nowhere_repeated(given: Given, alice: User) -> None:
    with pytest.raises(CommandError) as refused:
        given("curl 'https://www.codebuddy.cn/marker-7f3a' -H 'X-Key: marker-7f3a'")
    entry = Entry.objects.get()
    assert (entry.action, entry.user_id) == ("settings_rejected", alice.pk)
    assert "marker" not in f"{refused.value}{entry.detail}{given.out.getvalue()}{given.error.getvalue()}"


def test_what_is_given_is_never_printed(given: Given, alice: User) -> None:
    given(CURL)
    said = given.out.getvalue() + given.error.getvalue()
    assert COOKIE not in said
    assert AGENT not in said


@pytest.mark.parametrize("word", ["-", "__clear__"])
def test_the_words_of_the_settings_page_clear_it(given: Given, alice: User, word: str) -> None:
    credential.store(alice.pk, COOKIE)
    given(f"{word}\n")
    assert not credential.state(alice.pk).set


def test_a_terminal_is_refused_since_it_would_show_the_cookie(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    with pytest.raises(CommandError, match="set_cookie NAME < FILE"):
        call_command("set_cookie", "alice")


def test_bytes_that_are_no_text_are_one_line(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe=\xff"), "utf-8"))
    with pytest.raises(CommandError, match="not text"):
        call_command("set_cookie", "alice")
