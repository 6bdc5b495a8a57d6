"""Reads that take too long are ended, and an account has few slow ones at once (docs/api.md#slow-reads)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.urls import resolve

from accounts.models import User
from archive_site.lib import seldom_log
from archive_site.lib.http import slow_reads
from archive_site.lib.http.waiting_requests import REQUESTS_WAIT
from archive_site.lib.storage import time_limit
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
    monkeypatch.setattr(seldom_log, "_last", {})


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """No read stays counted."""
    yield
    assert not slow_reads._reads._slow


@pytest.fixture
def short(settings: Any) -> None:
    """A read has half a second."""
    settings.SLOW_READ_SECONDS, settings.THIRD_SLOW_READ_SECONDS, settings.READ_SECONDS = 0.1, 0.2, 0.5


@contextmanager
def two_slow_ones(user: User) -> Iterator[None]:
    """Two slow reads of an account are under way in other threads."""
    assert slow_reads._reads.become_slow(user.pk)
    assert slow_reads._reads.become_slow(user.pk)
    try:
        yield
    finally:
        slow_reads._reads.end_slow(user.pk)
        slow_reads._reads.end_slow(user.pk)


@pytest.mark.usefixtures("short")
def test_a_read_that_takes_too_long_is_503_and_says_how_to_narrow_it(member: ApiClient) -> None:
    response = member.get("/api/slow")
    assert refusal(response) == (503, "too_slow")
    assert "longer than 0.5 seconds" in response.json()["message"]
    assert "fewer days" in response.json()["message"]


@pytest.mark.usefixtures("short")
def test_a_page_that_takes_too_long_is_a_page_that_says_so(member: ApiClient) -> None:
    response = member.get("/slow")
    assert response.status_code == 503
    assert "Ask for fewer days" in response.content.decode()


@pytest.mark.usefixtures("short")
def test_the_deadline_is_that_of_the_request_not_of_each_statement(member: ApiClient) -> None:
    assert refusal(member.get("/api/many")) == (503, "too_slow")


@pytest.mark.usefixtures("short")
@pytest.mark.engine
def test_the_connection_works_afterwards_without_a_limit(member: ApiClient, settings: Any) -> None:
    member.get("/api/slow")
    settings.READ_SECONDS = 0.001
    kept = connection.connection
    assert fetch(LONG) == [(200_000,)]
    assert connection.connection is kept
    settings.SLOW_READ_SECONDS = settings.READ_SECONDS = 100.0
    assert member.get("/api/summary").status_code == 200


@pytest.mark.usefixtures("short")
@pytest.mark.postgres_only
def test_no_limit_is_left_on_the_connection(member: ApiClient) -> None:
    member.get("/api/slow")
    assert fetch("SHOW statement_timeout") == [("0",)]


@pytest.mark.postgres_only
def test_no_limit_is_left_by_a_transaction_that_is_rolled_back(member: ApiClient) -> None:
    with suppress(ZeroDivisionError), time_limit.limited(slow_reads.ReadTime(1, bool)):
        fetch("SELECT 1")
        with transaction.atomic():
            User.objects.update(display_name="b")
            raise ZeroDivisionError
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


@pytest.mark.thorough
def test_a_third_slow_read_of_an_account_at_once_is_429(alice: User, api_of: ApiOf, settings: Any) -> None:
    settings.SLOW_READ_SECONDS, settings.THIRD_SLOW_READ_SECONDS, settings.READ_SECONDS = 0.1, 0.2, 4.0
    answers = together(*[partial(api_of(alice).get, "/api/slow") for _ in range(5)])
    assert sorted(refusal(answer) for answer in answers) == [(429, "too_frequent")] * 3 + [(503, "too_slow")] * 2
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.headers["Retry-After"] == "2"


@pytest.mark.usefixtures("short")
def test_slow_reads_of_others_do_not_count(alice: User, bob: User, api_of: ApiOf) -> None:
    answers = together(*[partial(api_of(user).get, "/api/slow") for user in (alice, alice, bob, bob)])
    assert {refusal(answer) for answer in answers} == {(503, "too_slow")}


def test_a_short_read_is_answered_beside_two_slow_ones(alice: User, api_of: ApiOf) -> None:
    with two_slow_ones(alice):
        assert api_of(alice).get("/api/summary").status_code == 200


def asked(api: ApiClient, path: str, *, others_wait: bool) -> Any:
    """An answer while requests wait for a thread of the web server, or while none does."""
    return api.client.get(path, **{REQUESTS_WAIT: lambda: others_wait})  # type: ignore[arg-type]


@pytest.mark.parametrize(("others_wait", "third"), [(True, 100.0), (False, 0.3)])
def test_a_third_slow_read_ends_at_once_while_others_wait_and_later_otherwise(
    others_wait: bool, third: float, alice: User, api_of: ApiOf, settings: Any
) -> None:
    settings.SLOW_READ_SECONDS, settings.THIRD_SLOW_READ_SECONDS, settings.READ_SECONDS = 0.1, third, 200.0
    with two_slow_ones(alice):
        assert refusal(asked(api_of(alice), "/api/slow", others_wait=others_wait)) == (429, "too_frequent")


@pytest.mark.usefixtures("short")
def test_the_log_says_which_route_and_nothing_of_the_request(
    member: ApiClient, caplog: pytest.LogCaptureFixture
) -> None:
    member.get("/api/slow", q="secret words")
    [line] = [line.getMessage() for line in caplog.records if "ended" in line.getMessage()]
    assert line.endswith("was ended: api/slow")


@pytest.mark.engine
def test_a_failure_that_has_another_cause_stays_one(member: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.archive_site.slow_statements.ENDLESS", "SELECT nothing")
    assert member.get("/api/slow").status_code == 500
