"""Counters whose disk is full: what is answered all the same (docs/decisions/store.md#a-full-disk)."""

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.core.cache import caches
from django.db import DatabaseError, OperationalError
from django.db.models import QuerySet

from accounts.models import ApiToken, User
from accounts.tokens import personal_tokens
from audit.models import Entry
from tests.accounts.page_forms import sign_in
from tests.backups.tiny_archives import configure, folder, kept, on_shelf
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.tokens import make_token

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("time", "fresh_lines")]
AT = datetime(2026, 9, 1, 10, 0, 7, tzinfo=UTC)  # 12:00:07 in Berlin
BACKUP = "backup-20260901-120007-manual.zip"


@pytest.fixture
def api(alice: User) -> ApiClient:
    return ApiClient.signed_in(alice)


@pytest.fixture(autouse=True)
def no_backups() -> Iterator[None]:
    yield
    for path in folder().iterdir():
        path.unlink()


@pytest.fixture
def full_counters(db: None) -> Iterator[Callable[[], None]]:
    """The file of the counters has no room for another one, until what this gives is called."""
    counters = caches["counters"]._connection()  # type: ignore[attr-defined]
    (most,) = counters.execute("PRAGMA max_page_count").fetchone()
    counters.execute("PRAGMA max_page_count=1")
    with suppress(sqlite3.OperationalError):
        for number in itertools.count():
            counters.execute("INSERT INTO counter VALUES (?, 1, NULL)", [f"{number:030}"])

    def make_room() -> None:
        counters.execute("DELETE FROM counter WHERE expires IS NULL")
        counters.execute(f"PRAGMA max_page_count={most}")

    yield make_room
    make_room()
    caches["counters"].clear()


@pytest.mark.file_counters
@pytest.mark.usefixtures("full_counters")
@pytest.mark.parametrize("path", ["/api/records", "/api/summary", "/api/status", "/api/backups", "/records"])
def test_a_read_that_cannot_be_counted_is_answered(path: str, root: User) -> None:
    assert ApiClient.signed_in(root).get(path).status_code == 200


@pytest.mark.file_counters
@pytest.mark.usefixtures("full_counters")
def test_the_log_says_once_a_minute_where_limits_are_counted(api: ApiClient, caplog: pytest.LogCaptureFixture) -> None:
    assert [api.get("/api/summary").status_code for _ in range(3)] == [200] * 3
    lines = [line.getMessage() for line in caplog.records if "full" in line.getMessage()]
    assert lines == ["the disk is full: limits are counted in memory"]


@pytest.mark.thorough
@pytest.mark.file_counters
@pytest.mark.usefixtures("full_counters")
def test_the_limit_of_reads_holds(api: ApiClient) -> None:
    assert [api.get("/api/status").status_code for _ in range(241)] == [*[200] * 240, 429]


@pytest.mark.file_counters
@pytest.mark.usefixtures("full_counters", "alice", "no_captcha")
def test_one_signs_in(anonymous: ApiClient) -> None:
    assert sign_in(anonymous).status_code == 302


@pytest.mark.file_counters
@pytest.mark.usefixtures("full_counters", "alice", "no_captcha")
def test_the_limit_of_wrong_passwords_holds(anonymous: ApiClient) -> None:
    assert [sign_in(anonymous, password="wrong").status_code for _ in range(11)] == [*[400] * 10, 429]
    assert sign_in(anonymous).status_code == 429


@pytest.mark.file_counters
@pytest.mark.usefixtures("alice", "no_captcha")
def test_a_sign_in_forgets_the_wrong_passwords_before_it(anonymous: ApiClient, request: pytest.FixtureRequest) -> None:
    def wrong() -> list[int]:
        return [sign_in(ApiClient(), password="wrong").status_code for _ in range(9)]

    before = wrong()
    request.getfixturevalue("full_counters")
    assert sign_in(anonymous).status_code == 302
    assert [before, wrong()] == [[400] * 9] * 2


@pytest.mark.file_counters
@pytest.mark.usefixtures("alice", "no_captcha")
def test_wrong_passwords_from_before_count_and_are_not_forgotten_after_it(
    anonymous: ApiClient, request: pytest.FixtureRequest
) -> None:
    before = [sign_in(anonymous, password="wrong").status_code for _ in range(5)]
    counters = request.getfixturevalue("full_counters")
    meanwhile = [sign_in(anonymous, password="wrong").status_code for _ in range(5)]
    counters()
    assert [before, meanwhile, sign_in(anonymous).status_code] == [[400] * 5, [400] * 5, 429]


@pytest.mark.file_counters
@pytest.mark.usefixtures("full_counters")
def test_the_limit_of_wrong_old_passwords_holds(api: ApiClient) -> None:
    body = {"old": "wrong", "new": "another Horse 8", "new2": "another Horse 8"}
    assert [api.post("/api/password", body).status_code for _ in range(11)] == [*[400] * 10, 429]


@pytest.mark.thorough
@pytest.mark.file_counters
@pytest.mark.usefixtures("full_counters")
def test_the_limit_of_captchas_holds(anonymous: ApiClient) -> None:
    assert [anonymous.get("/captcha.png").status_code for _ in range(41)] == [*[200] * 40, 429]


@pytest.mark.file_counters
@pytest.mark.usefixtures("full_counters")
@pytest.mark.parametrize("path", [f"/{BACKUP}/delete", "/prune"])
def test_a_backup_is_deleted_and_audited_although_nothing_is_counted(path: str, root: User) -> None:
    given_backups()
    assert ApiClient.signed_in(root).post(f"/api/backups{path}").status_code == 200
    assert BACKUP not in on_shelf()
    assert BACKUP in Entry.objects.get(action__startswith="backup_").search_text


def test_the_log_has_a_deletion_for_whose_entry_there_is_no_room(root: User, caplog: pytest.LogCaptureFixture) -> None:
    given_backups()
    with patch("backups.api.log.record", side_effect=no_room()):
        assert ApiClient.signed_in(root).post(f"/api/backups/{BACKUP}/delete").status_code == 200
    assert BACKUP not in on_shelf()
    (line,) = (line.getMessage() for line in caplog.records if "audit lacks" in line.getMessage())
    who = f"account {root.pk} (root) at 127.0.0.1"
    assert line == f"the disk is full, and the audit lacks backup_delete by {who}: {BACKUP}"


def no_room() -> DatabaseError:
    cause, error = sqlite3.OperationalError("database or disk is full"), OperationalError("full")
    cause.sqlite_errorcode = sqlite3.SQLITE_FULL
    error.__cause__ = cause
    return error


def given_backups() -> None:
    """One backup more than are kept; the oldest is `BACKUP`."""
    configure(backup_keep=1)
    for days in range(2):
        kept(AT + timedelta(days=days))


@pytest.mark.file_counters
@pytest.mark.usefixtures("no_captcha", "alice", "full_counters")
def test_a_session_stays_in_use(anonymous: ApiClient, settings: Any, time: SetClock) -> None:
    settings.IDLE_MINUTES = 30
    assert sign_in(anonymous).status_code == 302
    for _ in range(3):
        time.pass_by(minutes=20)
        assert anonymous.get("/api/summary").status_code == 200
    time.pass_by(minutes=31)
    assert anonymous.get("/api/summary").status_code == 401


def test_a_token_whose_use_cannot_be_noted_is_answered(alice: User) -> None:
    token, _ = make_token(alice)
    with patch.object(QuerySet, "update", side_effect=no_room()):
        personal_tokens.note_use(token)
    assert ApiToken.objects.get().last_used_at is None
