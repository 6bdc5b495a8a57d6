"""Ending sessions that are not used: docs/decisions/accounts.md#idle-sessions."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.core.cache import caches

from accounts.models import User
from accounts.signin import sessions
from archive_site.lib import clock
from tests.accounts.page_forms import answer_of, sign_in
from tests.concurrency import together
from tests.factories import PASSWORD, ApiClient
from tests.standing_clock import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
NEW_PASSWORD = "another Horse 8"
SCRIPTS = Path(__file__).parents[3] / "static" / "js"
Later = Callable[..., None]


@pytest.fixture(autouse=True)
def minutes(settings: Any) -> None:
    settings.IDLE_MINUTES = 10


@pytest.fixture
def later(time: SetClock) -> Later:
    def pass_time(**span: float) -> None:
        now = clock.now()
        time.now = now + timedelta(**span)

    return pass_time


@pytest.fixture
def visitor(alice: User) -> ApiClient:
    visitor = ApiClient()
    assert sign_in(visitor).status_code == 302
    visitor.token = visitor.client.cookies[configured.CSRF_COOKIE_NAME].value
    return visitor


def is_in(visitor: ApiClient) -> bool:
    return bool(visitor.get("/api/settings").status_code == 200)


def test_a_session_that_is_not_used_ends(visitor: ApiClient, later: Later) -> None:
    later(minutes=10)
    response = visitor.get("/api/settings")
    assert (response.status_code, answer_of(response)["error"]) == (401, "unauthorized")
    assert visitor.client.cookies[configured.SESSION_COOKIE_NAME].value == ""


def test_it_stays_ended(visitor: ApiClient, later: Later) -> None:
    key = visitor.client.cookies[configured.SESSION_COOKIE_NAME].value
    later(minutes=10)
    visitor.get("/api/settings")
    later(minutes=-10)
    visitor.client.cookies[configured.SESSION_COOKIE_NAME] = key
    assert not is_in(visitor)


def test_a_page_leads_to_the_sign_in(visitor: ApiClient, later: Later) -> None:
    later(minutes=11)
    assert visitor.get("/records").headers["Location"] == "/login?next=/records"


def test_a_write_of_an_ended_session_does_nothing(visitor: ApiClient, later: Later) -> None:
    later(minutes=11)
    assert visitor.post("/api/profile", {"display_name": "A"}).status_code == 401
    assert User.objects.get().display_name == "alice"


@pytest.mark.parametrize("path", ["/api/summary", "/records", "/api/runs/1/stop"])
def test_use_keeps_it(path: str, visitor: ApiClient, later: Later) -> None:
    for _ in range(4):
        later(minutes=9)
        visitor.post(path) if path.endswith("stop") else visitor.get(path)
    assert is_in(visitor)


@pytest.mark.parametrize("path", ["/api/status", "/api/runs/1", "/api/summary", "/logs/tail", "/records"])
def test_what_a_page_reads_without_anybody_there_is_no_use(path: str, visitor: ApiClient, later: Later) -> None:
    unattended = {"Archive-Unattended": "1"}
    later(minutes=6)
    assert visitor.client.get(path, headers=unattended).status_code in (200, 403, 404)
    later(minutes=6)
    assert visitor.client.get(path, headers=unattended).status_code in (302, 401)


def test_pages_say_of_each_read_whether_somebody_is_there() -> None:
    scripts = {path.name: path.read_text() for path in SCRIPTS.rglob("*.js")}
    silent = {name for name, text in scripts.items() if "fetch(" in text and "attendance()" not in text}
    # A list of passwords, a post, the page that waits for the server, and what passes on the requests of pages.
    assert silent == {"password_warning.js", "passkey_answer.js", "offline_reload.js", "service_worker.js"}


def test_a_write_is_use_whatever_it_says(visitor: ApiClient, later: Later) -> None:
    for _ in range(4):
        later(minutes=9)
        csrf = {"X-CSRF-Token": visitor.token, "Archive-Unattended": "1"}
        visitor.client.post("/api/profile", {"display_name": "A"}, "application/json", headers=csrf)
    assert is_in(visitor)


def test_by_default_no_session_ends_so(visitor: ApiClient, later: Later, settings: Any) -> None:
    settings.IDLE_MINUTES = 0
    later(days=6)
    assert is_in(visitor)


def test_a_change_of_the_password_keeps_its_session(visitor: ApiClient, later: Later) -> None:
    later(minutes=8)
    visitor.get("/records")
    later(minutes=8)
    body = {"old": PASSWORD, "new": NEW_PASSWORD, "new2": NEW_PASSWORD}
    assert visitor.post("/api/password", body).status_code == 200
    assert is_in(visitor)


def test_another_session_of_the_account_is_not_kept(visitor: ApiClient, alice: User, later: Later) -> None:
    other = ApiClient()
    sign_in(other)
    later(minutes=6)
    visitor.get("/records")
    later(minutes=6)
    assert (is_in(visitor), is_in(other)) == (True, False)


def test_an_ended_session_is_not_listed(visitor: ApiClient, alice: User, later: Later) -> None:
    sign_in(ApiClient())
    later(minutes=6)
    visitor.get("/records")
    later(minutes=6)
    alice.refresh_from_db()
    assert len(sessions.in_force(alice, None)) == 1


def test_where_the_counters_are_lost_the_sign_in_counts(visitor: ApiClient, later: Later) -> None:
    later(minutes=6)
    visitor.get("/records")
    caches["counters"].clear()
    assert is_in(visitor)
    caches["counters"].clear()
    later(minutes=6)
    assert not is_in(visitor)


def test_the_counters_hold_no_key_of_a_session(visitor: ApiClient) -> None:
    visitor.get("/records")
    key = visitor.client.cookies[configured.SESSION_COOKIE_NAME].value
    assert key.encode() not in b"".join(
        path.read_bytes() for path in configured.DATA_FOLDER.home.glob(f"{configured.DATA_FOLDER.counters.name}*")
    )


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_after_the_end_are_both_refused(visitor: ApiClient, later: Later) -> None:
    later(minutes=11)
    cookies = {name: morsel.value for name, morsel in visitor.client.cookies.items()}

    def read() -> int:
        browser = ApiClient()
        browser.client.cookies.load(cookies)
        return int(browser.get("/api/settings").status_code)

    assert together(read, read) == [401, 401]
