"""A store that another program keeps locked: 503 with the time to come back, everywhere (docs/api.md#errors)."""

import sqlite3
import threading
from contextlib import ExitStack, closing, suppress
from functools import partial
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError, OperationalError, connection, transaction

from accounts.models import ApiToken, Setting, User
from archive_site.lib import seldom_log
from archive_site.lib.http.store_refusals import RETRY_AFTER
from archive_site.lib.storage import counter_file, lock_wait, waiting_writers
from archive_site.lib.storage.busy_errors import is_busy
from archive_site.lib.storage.sql import fetch
from archive_site.lib.storage.waiting_writers import WaitingWriters
from audit.models import Entry
from collection.models import Run
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.accounts.page_forms import sign_in
from tests.archive_site.account_data import rows_of
from tests.archive_site.api_answers import refusal
from tests.archive_site.commands import manage, signed_in, up, wait_until
from tests.archive_site.locked_store import closed_to_readers, locked, locked_table
from tests.collection.collector_run import set_up
from tests.collection.import_endpoint import send
from tests.concurrency import together
from tests.factories import PASSWORD, ApiClient
from tests.process_stores import sql
from tests.test_roles import ROUTES, ids, path_of, visitor
from tests.usage.record_factories import archive, call
from usage.models import Budget

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_lines")]
# The fixture of the module that lists the routes.
__all__ = ["ids"]


@pytest.fixture
def api(alice: User) -> ApiClient:
    return ApiClient.signed_in(alice)


def is_refused(response: Any) -> bool:
    return (*refusal(response), response.headers["Retry-After"]) == (503, "unavailable", str(RETRY_AFTER))


def contents(user: User) -> list[Any]:
    own = [rows_of(model, user.pk).values() for model in (Setting, Budget, ApiToken, Run, Entry)]
    return [list(rows) for rows in (User.objects.values(), *own)]


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/settings", {"user_agent": "Browser/1"}),
        ("/api/profile", {"display_name": "A"}),
        ("/api/password", {"old": PASSWORD, "new": "another Horse 8", "new2": "another Horse 8"}),
        ("/api/budgets", {"period": "day", "credits": 1}),
        ("/api/tokens", {"name": "bar", "scopes": ["read"]}),
        ("/api/collect", {}),
        ("/api/maintenance/recount", {}),
    ],
)
def test_a_write_is_503_and_changes_nothing(path: str, body: object, api: ApiClient, alice: User) -> None:
    before = contents(alice)
    with locked():
        assert is_refused(api.post(path, body))
    assert contents(alice) == before


def test_an_import_is_503_and_works_afterwards(api: ApiClient) -> None:
    with locked():
        assert is_refused(send(api))
    assert send(api).json()["result"]["new"] == 1


def test_a_collection_that_finds_the_store_locked_is_503_and_works_afterwards(
    api: ApiClient, alice: User, simulator: Simulator
) -> None:
    set_up(alice, simulator)
    with locked():
        assert is_refused(api.post("/api/collect"))
    assert api.post("/api/collect").status_code == 200


@pytest.mark.usefixtures("no_captcha", "alice")
def test_a_sign_in_is_a_page_that_says_so_and_works_afterwards(anonymous: ApiClient) -> None:
    with locked():
        response = sign_in(anonymous)
    assert (response.status_code, response.headers["Retry-After"]) == (503, str(RETRY_AFTER))
    assert "The instance is busy. Try again in a moment." in response.content.decode()
    assert sign_in(anonymous).status_code == 302


@pytest.mark.file_counters
def test_counters_that_are_locked_are_503(api: ApiClient, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter_file, "_PATIENCE", 10)
    # A connection that waits as long.
    monkeypatch.setattr(caches["counters"], "_local", threading.local())
    with closing(sqlite3.connect(settings.DATA_FOLDER.counters, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert is_refused(api.get("/api/summary"))
        other.execute("ROLLBACK")


@pytest.mark.postgres_only
@pytest.mark.parametrize("path", ["/api/account/export", "/records/export", "/records/export?format=jsonl"])
def test_a_file_that_cannot_be_begun_is_503(path: str, api: ApiClient, alice: User) -> None:
    archive(alice, call("r1"))
    with locked_table("usage_record"):
        response = api.get(path)
    assert (response.status_code, response.headers["Retry-After"]) == (503, str(RETRY_AFTER))
    assert api.get(path).status_code == 200


def test_half_of_the_requests_wait_for_long_on_postgresql() -> None:
    waits = []
    with ExitStack() as others:
        for _ in range(lock_wait.PLACES + 2):
            others.enter_context(lock_wait.of_a_request())
            waits.append(lock_wait.of_this_request())
    assert waits == [lock_wait.OF_TASKS] * lock_wait.PLACES + [1.0] * 2
    assert lock_wait.of_this_request() == lock_wait.OF_TASKS


@pytest.mark.postgres_only
def test_the_connection_waits_as_long_as_its_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_wait, "_process", lock_wait.Process(lock_wait.OF_REQUESTS, is_limited=True))
    # A connection that waits as one of the web server.
    connection.close()
    monkeypatch.setattr(lock_wait, "_requests", lock_wait.PLACES)
    with lock_wait.of_a_request():
        assert fetch("SHOW lock_timeout") == [("1s",)]
        monkeypatch.setattr(lock_wait, "_requests", 0)
        with suppress(ZeroDivisionError), transaction.atomic():
            assert fetch("SHOW lock_timeout") == [("1s",)]
            raise ZeroDivisionError
    with lock_wait.of_a_request():
        assert fetch("SHOW lock_timeout") == [("8s",)]
    assert lock_wait.OF_REQUESTS < settings.READ_SECONDS
    connection.close()


@pytest.mark.sqlite_only
def test_a_request_waits_for_a_writer_longer_than_one_try(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_wait, "_process", lock_wait.Process(lock_wait.OF_REQUESTS, is_limited=True))
    # A connection that waits as one of the web server.
    connection.close()
    name, tries, seen_locked = connection.settings_dict["NAME"], count(1), WaitingWriters._seen_locked
    with closing(sqlite3.connect(name, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        def released_in_the_end(self: WaitingWriters) -> float:
            if next(tries) == 8:
                other.execute("ROLLBACK")
            return seen_locked(self)

        monkeypatch.setattr(WaitingWriters, "_seen_locked", released_in_the_end)
        # However long the machine takes for a try.
        monkeypatch.setattr(waiting_writers, "monotonic", partial(next, count(monotonic(), 0.1)))
        assert api.post("/api/settings", {"user_agent": "Browser/1"}).status_code == 200
    assert next(tries) > 8
    connection.close()


@pytest.mark.sqlite_only
def test_reads_and_pages_do_not_wait_for_a_writer(api: ApiClient) -> None:
    with locked():
        assert [api.get(path).status_code for path in ("/api/summary", "/records", "/readyz")] == [200, 200, 200]


@pytest.mark.sqlite_only
def test_a_store_that_cannot_be_read_is_503_for_reads_pages_and_probes(api: ApiClient) -> None:
    with closed_to_readers():
        assert is_refused(api.get("/api/summary"))
        page, ready = api.get("/records"), api.get("/readyz")
    assert (page.status_code, page.headers["Retry-After"]) == (503, str(RETRY_AFTER))
    assert (ready.status_code, ready.json()["missing"]) == (503, ["database"])


@pytest.mark.thorough
def test_no_route_is_500_and_each_503_says_when_to_come_back(ids: dict[str, Any]) -> None:
    visitors = {route: visitor("admin") for route in ROUTES}
    # Without a worker they are 503 before the store is written.
    asked = [route for route in ROUTES if route not in ("api/collect/older", "api/verify")]
    wrong = []
    with locked():
        for route in asked:
            path = path_of(route, ids)
            for answer in (visitors[route].get(path), visitors[route].post(path)):
                if answer.status_code == 500 or (answer.status_code == 503) != ("Retry-After" in answer.headers):
                    wrong.append((path, answer.status_code))
    assert wrong == []


@pytest.mark.sqlite_only
@pytest.mark.usefixtures("no_captcha", "alice")
def test_the_log_says_it_once_a_minute(anonymous: ApiClient, caplog: pytest.LogCaptureFixture) -> None:
    with locked():
        for seconds in (0, 59, 1):
            seldom_log._last = {kind: at - seconds for kind, at in seldom_log._last.items()}
            sign_in(anonymous)
    lines = [line.getMessage() for line in caplog.records if "locked" in line.getMessage()]
    assert (
        lines
        == ["the store is locked, or takes no connection or no writes, and requests fail: 'database is locked'"] * 2
    )
    assert not any(line.exc_info for line in caplog.records)


@pytest.mark.thorough
@pytest.mark.sqlite_only
def test_a_running_instance_survives_a_store_that_is_locked_for_long(made_home: Path) -> None:
    assert manage("config", "set", "captcha_policy", "off", home=made_home).returncode == 0
    with up(made_home) as running:
        session = signed_in(running)
        before = [running.child(name).pid for name in ("web server", "workers")]
        with closing(sqlite3.connect(made_home / "archive.sqlite3", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            begun = monotonic()
            answer = session.post(f"{running.url}/api/settings", json={"user_agent": "Browser/1"})
            took = monotonic() - begun
            assert session.get(f"{running.url}/api/summary").status_code == 200
            # Longer than the workers wait, and the queue's next look.
            sleep(lock_wait.OF_TASKS + 15)
            other.execute("ROLLBACK")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, str(RETRY_AFTER))
        assert lock_wait.OF_REQUESTS - 1 < took < lock_wait.OF_TASKS
        assert session.post(f"{running.url}/api/settings", json={"user_agent": "Browser/1"}).status_code == 200
        assert [running.child(name).pid for name in ("web server", "workers")] == before
        # The workers tick again.
        since = sql(made_home, "SELECT MAX(at) FROM collection_heartbeat")
        wait_until(lambda: sql(made_home, "SELECT MAX(at) FROM collection_heartbeat") != since, 120)


@pytest.mark.thorough
@pytest.mark.sqlite_only
def test_many_writes_at_once_leave_threads_for_reads_and_none_waits_for_long(made_home: Path) -> None:
    assert manage("config", "set", "captcha_policy", "off", home=made_home).returncode == 0
    with up(made_home) as running:
        session = signed_in(running)

        def timed(path: str, **body: Any) -> tuple[int, float]:
            begun = monotonic()
            answer = session.request("POST" if body else "GET", f"{running.url}{path}", **body)
            return answer.status_code, monotonic() - begun

        # Until the first sign of life of the workers, which writes, the instance is not ready.
        wait_until(lambda: session.get(f"{running.url}/readyz").json()["ready"])

        def read() -> tuple[int, float]:
            # After the writes that would take every thread.
            sleep(2)
            return max(timed(path) for path in ("/healthz", "/readyz", "/api/summary", "/records") * 3)

        with closing(sqlite3.connect(made_home / "archive.sqlite3", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            write = partial(timed, "/api/settings", json={"user_agent": "Browser/1"})
            *writes, reads = together(*[write] * 24, read)
            other.execute("ROLLBACK")
        assert {status for status, _ in writes} == {503}
        # One that waited behind another would take twice as long.
        assert max(seconds for _, seconds in writes) < 2 * lock_wait.OF_REQUESTS
        assert reads[0] == 200
        assert reads[1] < 5


def of_sqlite(code: int) -> DatabaseError:
    cause = sqlite3.OperationalError("text")
    cause.sqlite_errorcode = code
    return wrapped(cause)


def wrapped(cause: Exception) -> DatabaseError:
    error = OperationalError("text")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        of_sqlite(sqlite3.SQLITE_BUSY),
        of_sqlite(sqlite3.SQLITE_BUSY_SNAPSHOT),
        of_sqlite(sqlite3.SQLITE_LOCKED),
        of_sqlite(sqlite3.SQLITE_PROTOCOL),
        wrapped(psycopg.errors.LockNotAvailable()),
        wrapped(psycopg.errors.DeadlockDetected()),
        wrapped(psycopg.errors.QueryCanceled()),
        wrapped(psycopg.errors.TooManyConnections()),
        wrapped(psycopg.errors.CannotConnectNow()),
        wrapped(psycopg.errors.AdminShutdown()),
        wrapped(psycopg.errors.IdleInTransactionSessionTimeout()),
        # No connection could be made.
        wrapped(psycopg.OperationalError("connection failed")),
        wrapped(psycopg.errors.ConnectionTimeout("connection timeout expired")),
    ],
)
def test_what_passes_by_itself_is_recognised(error: Exception) -> None:
    assert is_busy(error)


@pytest.mark.parametrize(
    "error",
    [
        of_sqlite(sqlite3.SQLITE_CORRUPT),
        of_sqlite(sqlite3.SQLITE_READONLY),
        wrapped(psycopg.errors.UndefinedTable()),
        wrapped(psycopg.errors.DiskFull()),
        wrapped(psycopg.ProgrammingError("no such thing")),
        OperationalError("database is locked"),
        RuntimeError("database is locked"),
    ],
)
def test_a_lasting_error_does_not_count_as_busy(error: Exception) -> None:
    assert not is_busy(error)
