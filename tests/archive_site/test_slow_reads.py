"""Reads that take too long are ended, and an account has few slow ones at once (docs/api.md#slow-reads)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.urls import resolve

from accounts.models import User
from archive_site.lib import seldom_log
from archive_site.lib.http import slow_reads
from archive_site.lib.storage.sql import fetch
from tests.archive_site.api_answers import refusal
from tests.archive_site.slow_statements import LONG
from tests.concurrency import together
from tests.factories import ApiClient

pytestmark = [pytest.mark.django_db(transaction=True)]
ApiOf = Callable[[User], ApiClient]


@pytest.fixture(autouse=True)
def slow_routes(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ROOT_URLCONF = "tests.archive_site.slow_statements"
    settings.READ_SECONDS, settings.SLOW_READ_SECONDS = 0.3, 0.1
    monkeypatch.setattr(seldom_log, "_last", {})


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """No read stays counted."""
    yield
    assert not slow_reads._reads._running
    assert not slow_reads._reads._slow


@contextmanager
def running(user: User, *, slow: int, others: int) -> Iterator[None]:
    """Reads of an account are under way in other threads."""
    for number in range(slow + others):
        assert slow_reads._reads.begin(user.pk)
        assert number >= slow or slow_reads._reads.become_slow(user.pk)
    yield
    for number in range(slow + others):
        slow_reads._reads.end(user.pk, is_slow=number < slow)


@pytest.mark.engine
def test_a_read_that_takes_too_long_is_503_and_says_how_to_narrow_it(member: ApiClient) -> None:
    response = member.get("/api/slow")
    assert refusal(response) == (503, "too_slow")
    assert "longer than 0.3 seconds" in response.json()["message"]
    assert "fewer days" in response.json()["message"]


def test_a_page_that_takes_too_long_is_a_page_that_says_so(member: ApiClient) -> None:
    response = member.get("/slow")
    assert response.status_code == 503
    assert "Ask for fewer days" in response.content.decode()


def test_the_deadline_is_that_of_the_request_not_of_each_statement(member: ApiClient) -> None:
    assert refusal(member.get("/api/many")) == (503, "too_slow")


@pytest.mark.engine
def test_the_connection_works_afterwards_without_a_limit(member: ApiClient, settings: Any) -> None:
    member.get("/api/slow")
    settings.READ_SECONDS = 0.001
    kept = connection.connection
    assert fetch(LONG) == [(200_000,)]
    assert connection.connection is kept
    settings.READ_SECONDS = 10
    assert member.get("/api/summary").status_code == 200


@pytest.mark.postgres_only
def test_no_limit_is_left_on_the_connection(member: ApiClient) -> None:
    member.get("/api/slow")
    member.get("/api/summary")
    assert fetch("SHOW statement_timeout") == [("0",)]


@pytest.mark.engine
@pytest.mark.parametrize(("method", "path"), [("post", "/api/slow"), ("get", "/api/writing-read")])
def test_a_write_is_never_ended(method: str, path: str, member: ApiClient, settings: Any) -> None:
    settings.READ_SECONDS = settings.SLOW_READ_SECONDS = 0.02
    assert getattr(member, method)(path).status_code == 200
    assert User.objects.get(username="alice").display_name == "200000"


def test_a_file_is_never_ended(member: ApiClient, settings: Any) -> None:
    settings.READ_SECONDS = settings.SLOW_READ_SECONDS = 0.02
    assert member.get("/api/file").content == b"200000"


@pytest.mark.parametrize(
    ("path", "is_file"),
    [
        ("/records/export", True),
        ("/exports/name.csv", True),
        ("/runs/1/report", True),
        ("/api/account/export", True),
        ("/api/backups/name.zip", True),
        ("/api/records", False),
        ("/api/backups", False),
        ("/records", False),
        ("/runs/1", False),
    ],
)
def test_files_are_exempt(path: str, is_file: bool) -> None:
    assert slow_reads._gives_file(resolve(path).func) == is_file


@pytest.mark.engine
def test_a_third_slow_read_of_an_account_at_once_is_429(alice: User, api_of: ApiOf) -> None:
    answers = together(*[partial(api_of(alice).get, "/api/slow") for _ in range(5)])
    assert sorted(refusal(answer) for answer in answers) == [(429, "too_frequent")] * 3 + [(503, "too_slow")] * 2
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.headers["Retry-After"] == "2"


def test_slow_reads_of_others_do_not_count(alice: User, bob: User, api_of: ApiOf) -> None:
    answers = together(*[partial(api_of(user).get, "/api/slow") for user in (alice, alice, bob, bob)])
    assert {refusal(answer) for answer in answers} == {(503, "too_slow")}


def test_a_short_read_is_answered_beside_two_slow_ones(alice: User, api_of: ApiOf) -> None:
    with running(alice, slow=2, others=1):
        assert api_of(alice).get("/api/summary").status_code == 200


def test_beside_two_slow_ones_an_account_has_two_more_at_once(alice: User, bob: User, api_of: ApiOf) -> None:
    with running(alice, slow=2, others=2):
        refused = api_of(alice).get("/api/summary")
        assert refusal(refused) == (429, "too_frequent")
        assert api_of(alice).get("/records").status_code == 429
        assert api_of(bob).get("/api/summary").status_code == 200
    assert api_of(alice).get("/api/summary").status_code == 200


def test_the_log_says_which_route_and_nothing_of_the_request(
    member: ApiClient, caplog: pytest.LogCaptureFixture
) -> None:
    member.get("/api/slow", q="secret words")
    [line] = [line.getMessage() for line in caplog.records if "ended" in line.getMessage()]
    assert line.endswith("was ended: api/slow")


def test_a_failure_that_has_another_cause_stays_one(member: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.archive_site.slow_statements.ENDLESS", "SELECT nothing")
    assert member.get("/api/slow").status_code == 500
