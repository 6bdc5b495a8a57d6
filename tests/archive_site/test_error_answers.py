"""Unexpected failures, with the detail in the log alone, and the form of an error: docs/api.md#errors."""

import logging
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from redis.exceptions import ConnectionError as RedisConnectionError

from archive_site.lib.http import rate_limits
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.json_views import error_response
from tests.archive_site.api_answers import refusal
from tests.archive_site.more_routes import MARKER, broken
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db


@pytest.fixture
def app_log() -> Callable[[], str]:
    """What the application's log says from now on."""
    written = Path(settings.DATA_FOLDER.log)
    before = written.stat().st_size if written.exists() else 0

    def read() -> str:
        for handler in logging.getLogger().handlers:
            handler.flush()
        return written.read_bytes()[before:].decode()

    return read


@pytest.mark.usefixtures("more_routes")
def test_an_unexpected_failure_is_500_with_an_event_and_no_detail(member: ApiClient) -> None:
    response = member.get("/api/broken")
    assert refusal(response) == (500, "internal")
    assert re.fullmatch(r"[0-9a-f]{8}", response.json()["event"])
    assert response.json()["event"] in response.json()["message"]
    assert not re.search(rf"{MARKER}|RuntimeError|Traceback|\.py", response.content.decode())


@pytest.mark.usefixtures("more_routes")
def test_the_log_has_the_detail_under_that_event(member: ApiClient, app_log: Callable[[], str]) -> None:
    event = member.get("/api/broken").json()["event"]
    logged = app_log()
    assert f"event {event}: GET /api/broken failed" in logged
    assert f"RuntimeError: {MARKER}" in logged
    assert logged.count("Traceback") == 1


@pytest.mark.usefixtures("more_routes")
def test_every_failure_has_an_event_of_its_own(member: ApiClient) -> None:
    assert len({member.get("/api/broken").json()["event"] for _ in range(5)}) == 5


@pytest.mark.usefixtures("more_routes")
def test_a_failing_page_shows_the_event_and_no_detail(anonymous: ApiClient, app_log: Callable[[], str]) -> None:
    response = anonymous.get("/broken")
    page = response.content.decode()
    event = re.search(r"event ([0-9a-f]{8})", page)
    assert (response.status_code, MARKER in page, "Traceback" in page) == (500, False, False)
    assert event is not None
    assert event[1] in app_log()


@pytest.mark.usefixtures("more_routes")
def test_a_line_break_in_an_address_makes_no_line_of_the_log(
    anonymous: ApiClient, app_log: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.signin.pages.is_open", broken)
    assert anonymous.get("/first-run/a%0a2026-01-01 00:00:00 INFO forged").status_code == 500
    assert not re.search(r"(?m)^2026-01-01 00:00:00 INFO forged", app_log())


def test_an_error_without_a_code_has_none() -> None:
    assert error_response(ApiError(404, None, "Gone.")).content == b'{"ok": false, "message": "Gone."}'


def test_an_error_says_when_to_come_back() -> None:
    assert error_response(ApiError(429, "too_frequent", "Wait.", retry_after=7)).headers["Retry-After"] == "7"
    assert error_response(ApiError(429, "too_frequent", "Wait.", retry_after=0)).headers["Retry-After"] == "1"


def test_an_errors_further_fields_stand_beside_it() -> None:
    response = error_response(ApiError(400, "invalid", "No.", errors=["a"], changed=[]))
    assert response.content == b'{"ok": false, "error": "invalid", "message": "No.", "errors": ["a"], "changed": []}'


def test_counters_that_are_away_are_503(member: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*args: object, **options: object) -> None:
        raise RedisConnectionError("away")

    monkeypatch.setattr(rate_limits, "get_usage", away)
    assert refusal(member.get("/api/summary")) == (503, "unavailable")
