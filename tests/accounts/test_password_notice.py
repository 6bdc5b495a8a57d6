"""The notice about wrong tries to change the password: docs/api.md#password."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from accounts.passwords.password_notice import wrong_tries
from accounts.session_stores.session_store import SessionStore
from archive_site.lib import clock
from audit.log import record
from audit.models import Entry
from tests.accounts.page_forms import ApiOf
from tests.factories import PASSWORD, ApiClient

pytestmark = pytest.mark.django_db
NEW = "another Horse 8"


def guess(visitor: ApiClient, times: int = 1) -> None:
    for _ in range(times):
        visitor.post("/api/password", {"old": "guess", "new": NEW, "new2": NEW})


def notice(visitor: ApiClient, path: str = "/", **headers: str) -> str:
    """The notice on a page on one line, empty if there is none."""
    page = visitor.client.get(path, headers=headers).content.decode()
    shown = page.partition('id="password-notice"')[2].partition(">")[2].partition("<")[0]
    return " ".join(shown.split())


def dismiss(visitor: ApiClient) -> int:
    return int(visitor.post("/api/password/notice").status_code)


def age(days: float) -> None:
    Entry.objects.update(at=clock.now() - timedelta(days=days))


def test_every_session_of_the_account_sees_it(alice: User, api_of: ApiOf) -> None:
    here, there = api_of(alice), api_of(alice)
    guess(there, 3)
    since = clock.local_text(Entry.objects.earliest("pk").at) or ""
    words = f"3 wrong tries to change the password of this account since {since[:16]}."
    advice = "If it was not you, change the password: this signs out all other sessions."
    assert {notice(here), notice(there, "/runs")} == {f"{words} {advice}"}


def test_a_wrong_password_of_the_dialog_counts_too(alice: User, api_of: ApiOf) -> None:
    here, there = api_of(alice), api_of(alice)
    assert there.post("/api/reauthenticate", {"password": "wrong"}).status_code == 400
    assert notice(here)


def test_one_try_is_in_the_singular(alice: User, api_of: ApiOf) -> None:
    guess(api_of(alice))
    assert notice(api_of(alice)).startswith("1 wrong try to change the password of this account since ")


def test_it_is_in_the_language_of_the_reader(alice: User, api_of: ApiOf) -> None:
    guess(api_of(alice), 2)
    assert "2 次" in notice(api_of(alice), **{"Accept-Language": "zh-hans"})


def test_without_a_wrong_try_there_is_none(alice: User, bob: User, api_of: ApiOf) -> None:
    guess(api_of(bob))
    assert notice(api_of(alice)) == ""


def test_it_ends_when_the_password_is_changed(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    guess(visitor, 2)
    assert visitor.post("/api/password", {"old": PASSWORD, "new": NEW, "new2": NEW}).status_code == 200
    assert notice(visitor) == ""
    guess(visitor)
    assert notice(visitor).startswith("1 wrong try ")


def test_it_ends_after_seven_days(alice: User, api_of: ApiOf) -> None:
    guess(api_of(alice))
    age(6.9)
    assert notice(api_of(alice))
    age(7.1)
    assert notice(api_of(alice)) == ""


def test_it_can_be_dismissed_until_another_try_fails(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    guess(visitor, 2)
    assert dismiss(visitor) == 200
    assert notice(visitor) == ""
    guess(visitor)
    assert notice(visitor).startswith("1 wrong try ")


def test_a_session_dismisses_it_for_itself_only(alice: User, api_of: ApiOf) -> None:
    here, there = api_of(alice), api_of(alice)
    guess(there)
    dismiss(there)
    assert (bool(notice(here)), bool(notice(there))) == (True, False)


def test_dismissing_without_a_notice_changes_nothing(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    assert dismiss(visitor) == 200
    guess(visitor)
    assert notice(visitor)


def give(visitor: ApiClient, password: str = PASSWORD) -> int:
    return int(visitor.post("/api/reauthenticate", {"password": password}).status_code)


def test_it_ends_when_the_session_that_mistyped_gives_the_right_password(alice: User, api_of: ApiOf) -> None:
    here, there = api_of(alice), api_of(alice)
    guess(here)
    assert give(here, "mistyped") == 400
    assert notice(there)
    assert give(here) == 200
    assert (notice(here), notice(there)) == ("", "")
    entry = Entry.objects.latest("pk")
    assert (entry.action, str(entry.detail)) == ("reauthenticate", "after wrong tries: 2")
    guess(there)
    assert notice(here).startswith("1 wrong try ")


def test_without_a_wrong_try_a_right_password_is_not_audited(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    assert give(visitor) == 200
    assert not Entry.objects.filter(action="reauthenticate").exists()


def test_it_does_not_end_by_another_session(alice: User, api_of: ApiOf) -> None:
    here, there = api_of(alice), api_of(alice)
    guess(there)
    assert give(here) == 200
    assert notice(here).startswith("1 wrong try ")


def test_tries_of_another_session_keep_it(alice: User, api_of: ApiOf) -> None:
    here, there = api_of(alice), api_of(alice)
    guess(here)
    guess(there)
    assert give(here) == 200
    assert notice(here).startswith("2 wrong tries ")


def test_more_tries_than_one_mistypes_keep_it(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    guess(visitor, 4)
    assert give(visitor) == 200
    assert notice(visitor).startswith("4 wrong tries ")


def test_tries_of_a_while_ago_keep_it(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    guess(visitor)
    age(1)
    assert give(visitor) == 200
    assert notice(visitor).startswith("1 wrong try ")


@pytest.mark.sqlite_only
def test_one_question_that_an_index_answers_finds_the_tries(alice: User) -> None:
    record("password_failed", actor="alice", user_id=alice.pk)
    with CaptureQueriesContext(connection) as asked:
        found = wrong_tries(alice.pk, SessionStore())
    assert (found and found.count, len(asked)) == (1, 1)
    with connection.cursor() as cursor:
        plan = [row[3] for row in cursor.execute(f"EXPLAIN QUERY PLAN {asked[0]['sql']}").fetchall()]
    assert [line for line in plan if "SCAN" in line] == []
    # Two actions, and for each of them the two that end the notice.
    assert sum("audit_by_user_action" in line for line in plan) == 6, "\n".join(plan)


def test_anonymous_visitors_cannot_dismiss(anonymous: ApiClient) -> None:
    assert dismiss(anonymous) == 401
