"""Only what may be a secret is masked, and never a name of the audit log: docs/decisions/audit.md#redaction."""

from itertools import count

import pytest
from django.http import HttpRequest, HttpResponse

from archive_site.lib.stored_message import Message
from audit import known_secrets
from audit.known_secrets import MASK, forget_after_request, guard, guard_in_request, masked
from audit.log import record
from audit.models import Entry

SESSION = "k3Jq9ZtW0bLx7"
COOKIE = f"session={SESSION}; theme=dark"
_ids = count(10**9)


@pytest.fixture
def account() -> int:
    return next(_ids)


@pytest.fixture(autouse=True)
def nothing_else_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_secrets, "_of_accounts", {})
    monkeypatch.setattr(known_secrets, "_longest_first", ())


@pytest.mark.parametrize(
    "word",
    [
        "wrong password",
        "password=wrong password",
        "2026-11-22 07:07:25",
        "2026-11-22T07:07:25Z",
        "administrator",
        "maintenance:fill-prompt",
        "session_rejected; Account-Changed",
        "page 3, 200 rows of 412, 180 new",
        "archive-admin-2026",
        "short1A2b",
        "a1a1a1a1a1a1a1a1",
    ],
)
def test_a_word_that_is_stored_as_a_cookie_stays_readable(word: str, account: int) -> None:
    guard(word, account=account)
    line = f"seen: {word}, {word.partition('=')[2]}"
    assert masked(line) == line


@pytest.mark.parametrize(
    "secret",
    [
        "KQZvbnMWxyTRplSDFghjkqZV",
        "839201928374650192837465",
        "qwmzkfhtbvxjrlpnscgdyaeu",
        SESSION,
        "0f3a9c7b21d4e8f6",
        "550e8400-e29b-41d4-a716-446655440000",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
    ],
)
def test_a_value_that_may_be_a_secret_is_masked_alone(secret: str, account: int) -> None:
    guard(f"theme=dark; session={secret}", account=account)
    assert masked(f"<{secret}> dark") == f"<{MASK}> dark"


def test_a_whole_cookie_is_masked_at_once(account: int) -> None:
    guard(COOKIE, account=account)
    assert masked(f"sent {COOKIE}.") == f"sent {MASK}."


def test_a_cookie_of_short_values_is_masked_as_a_whole(account: int) -> None:
    guard("a=q7Zt3; b=W0bx9", account=account)
    assert masked("sent a=q7Zt3; b=W0bx9") == f"sent {MASK}"


def test_a_secret_that_begins_with_another_one_is_masked_whole(account: int) -> None:
    guard(SESSION, account=account)
    guard(f"{SESSION}-and-the-rest", account=next(_ids))
    assert masked(f"it was {SESSION}-and-the-rest") == f"it was {MASK}"


def test_an_account_cannot_drive_the_cookie_of_another_one_out(account: int) -> None:
    guard(COOKIE, account=account)
    other = next(_ids)
    for number in range(1050):
        guard(f"{number:04}aB3dE5gH7jK9", account=other)
    assert masked(SESSION) == MASK
    assert len(known_secrets._longest_first) <= 2 + 2 * known_secrets._MOST_CREDENTIALS


def test_a_cookie_of_many_values_is_bounded(account: int) -> None:
    guard("; ".join(f"n{number}=x{number:04}aB3dE5gH7jK9" for number in range(300)), account=account)
    assert len(known_secrets._longest_first) <= 1 + known_secrets._MOST_VALUES


def test_the_cookie_before_the_last_one_is_still_masked(account: int) -> None:
    guard(COOKIE, account=account)
    guard("session=another0Value1of2it3", account=account)
    assert masked(SESSION) == MASK


def test_a_tested_cookie_is_masked_until_its_request_ends() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        guard_in_request(COOKIE)
        return HttpResponse(masked(f"sent {SESSION}"))

    assert forget_after_request(view)(HttpRequest()).content.decode() == f"sent {MASK}"
    assert masked(SESSION) == SESSION


def test_a_tested_cookie_is_forgotten_when_its_request_fails() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        guard_in_request(COOKIE)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        forget_after_request(view)(HttpRequest())
    assert masked(SESSION) == SESSION


@pytest.mark.django_db
def test_a_stored_cookie_is_masked_in_the_message_of_a_failure(account: int) -> None:
    guard(COOKIE, account=account)
    end = Message("request_refused_in_words", upstream_code="5", answer=f"not like that: {SESSION}")
    record("collect_failed", actor="ada", user_id=1, detail=Message("run_ended", run=1, trigger="manual", end=end))
    assert SESSION not in Entry.objects.get().stored_detail + Entry.objects.get().search_text


@pytest.mark.django_db
@pytest.mark.parametrize(
    "detail",
    [
        Message("user_changed", name=SESSION, changes=[Message("disabled")]),
        Message("backups_removed", names=[SESSION]),
        Message("settings_changed", keys=[SESSION]),
        SESSION,
    ],
)
def test_a_name_in_the_audit_log_is_never_masked(detail: Message | str, account: int) -> None:
    guard(SESSION, account=account)
    record("user_update", actor=SESSION, user_id=1, detail=detail)
    entry = Entry.objects.get()
    assert (entry.actor, SESSION in entry.detail) == (SESSION, True)


@pytest.mark.django_db
def test_the_words_of_a_template_are_never_masked(account: int) -> None:
    guard("wrong password", account=account)
    record("login_failed", actor="ada", user_id=1, detail=Message("password_wrong"))
    assert Entry.objects.get().detail == "wrong password"
