"""POST /api/collect: every way in which a run may end, over real HTTP."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.conf import settings
from django.db import connection
from django.utils import translation

from accounts.credentials import cookie_lifetimes, credential
from accounts.models import Setting, User
from audit.models import Entry
from collection.models import Run
from collection.runs import lease
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.over_http import asking, wire
from tests.collection.collect_endpoint import collect
from tests.collection.collector_run import call_at, contents, set_up, truth
from tests.collection.credential_endpoint import point_at
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.simulator_client import NOW
from tests.factories import ApiClient
from tests.silent_port import silent_port
from tests.standing_clock import SetClock
from usage import ingest


def ends(api: ApiClient, status: int, error: str, exit_code: int) -> str:
    """The message of a run with this outcome, equal in the answer, the run and the audit log."""
    answer = collect(api)
    run = Run.objects.latest("pk")
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    # Who names no language gets plain numbers.
    with translation.override(None):
        message = run.message
        entry = Entry.objects.latest("pk")
        assert (entry.action, message in entry.detail) == ("collect_failed", True)
    assert (run.status, run.exit_code, message) == (Run.Status.FAILED, exit_code, answer.json()["message"])
    assert run.finished_at
    assert not lease.is_held()
    return message


def test_without_a_cookie_it_is_no_cookie(api: ApiClient, alice: User, upstream: Simulator) -> None:
    credential.clear(alice.pk)
    assert "paste one" in ends(api, 409, "no_cookie", 2)
    assert upstream.request_count == 0


def test_under_another_key_it_is_cookie_broken(api: ApiClient, alice: User, upstream: Simulator) -> None:
    foreign = Fernet(Fernet.generate_key()).encrypt(b"session=abc").decode()
    Setting.objects.filter(user_id=alice.pk, key="cookie").update(value=foreign)
    assert "paste it again" in ends(api, 409, "cookie_broken", 3)
    assert upstream.request_count == 0


@pytest.mark.parametrize("fault", ["expired_401_html", "expired_redirect", "expired_html_200", "expired_12153"])
def test_a_refused_cookie_is_cookie_expired(api: ApiClient, upstream: Simulator, fault: str) -> None:
    upstream.faults.fail(fault)
    assert "paste the cookie again" in ends(api, 401, "cookie_expired", 4)
    assert upstream.request_count == 1


def test_a_refused_cookie_leaves_how_long_it_lasted(api: ApiClient, alice: User, time: SetClock) -> None:
    assert collect(api).status_code == 200
    time.pass_by(days=30)
    ends(ApiClient.signed_in(alice), 401, "cookie_expired", 4)
    assert cookie_lifetimes.lasted(alice.pk) == (30, 30)
    # Only its first refusal is its end.
    time.pass_by(days=3)
    ends(ApiClient.signed_in(alice), 401, "cookie_expired", 4)
    assert cookie_lifetimes.lasted(alice.pk) == (30, 30)


@pytest.mark.usefixtures("api")
def test_a_cookie_that_never_worked_leaves_nothing(alice: User, time: SetClock) -> None:
    time.pass_by(days=30)
    ends(ApiClient.signed_in(alice), 401, "cookie_expired", 4)
    assert cookie_lifetimes.lasted(alice.pk) is None


@pytest.mark.usefixtures("api")
def test_a_cookie_past_its_end_is_cookie_expired(alice: User, time: SetClock) -> None:
    time.pass_by(days=30)
    ends(ApiClient.signed_in(alice), 401, "cookie_expired", 4)


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("agent_refused", "user_agent must be exactly that of the browser"),
        ("cookie_too_large", "leave out the others"),
        ("bad_params", "parameters of the request invalid"),
        ("api_code", "(code 50012): usage service is being maintained"),
        ("not_found", "check api_path and the host"),
        ("redirect_loop", "check api_base and api_path"),
        ("broken_json", "broken"),
        ("wrong_types", "its data is not an object"),
        ("wrong_types_rows", "its rows are not a list"),
        ("wrong_types_total", "its total is not a count"),
        ("wrong_types_body", "not a JSON object"),
        ("empty_data", "The keys that came: code, msg, data."),
        ("other_form", "The keys that came: code, data, data.list, data.totalCount."),
        ("huge_body", "a single row is too large"),
        ("total_too_large", "twice"),
    ],
)
def test_every_other_failure_is_api_and_says_what_to_do(
    api: ApiClient, upstream: Simulator, monkeypatch: pytest.MonkeyPatch, fault: str, words: str
) -> None:
    monkeypatch.setattr(wire, "MAX_BODY", 2 * 1024 * 1024)
    upstream.faults.huge_bytes = 3 * 1024 * 1024
    upstream.add(0, call_at(NOW.replace(month=8, day=9), "first window"))
    upstream.faults.fail(fault)
    assert words in ends(api, 502, "api", 5)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("overload_429", "HTTP 429"),
        ("server_error", "HTTP 500"),
        ("bad_gateway", "HTTP 502"),
        ("unavailable", "HTTP 503"),
        ("gateway_timeout", "HTTP 504"),
        ("reset", "the connection to 127.0.0.1 failed or broke off"),
    ],
)
def test_overload_is_api_after_five_tries(
    api: ApiClient, upstream: Simulator, monkeypatch: pytest.MonkeyPatch, fault: str, words: str
) -> None:
    monkeypatch.setattr(asking, "WAITS", (0.0, 0.0, 0.0, 0.0))
    upstream.faults.fail(fault)
    assert f"in 5 tries ({words})" in ends(api, 502, "api", 5)
    assert (upstream.request_count, Run.objects.get().detail.count(words)) == (5, 5)


@pytest.mark.thorough
@pytest.mark.parametrize("fault", ["overload_429", "unavailable", "bad_gateway", "reset"])
def test_overload_that_passes_fails_nothing(
    api: ApiClient, alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(asking, "WAITS", (0.0, 0.0, 0.0, 0.0))
    upstream.faults.fail(fault, times=4, after_pages=9)
    assert collect(api).status_code == 200
    assert contents(alice) == truth(upstream)


def test_an_upstream_that_is_down_is_api(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "WAITS", (0.0, 0.0, 0.0, 0.0))
    with silent_port() as port:
        point_at(f"http://127.0.0.1:{port}")
        assert "failed or broke off" in ends(api, 502, "api", 5)


@pytest.mark.thorough
@pytest.mark.parametrize("fault", ["broken_json", "api_code", "not_found"])
def test_rows_that_are_stored_stay_stored(api: ApiClient, alice: User, upstream: Simulator, fault: str) -> None:
    upstream.faults.fail(fault, after_pages=10)
    ends(api, 502, "api", 5)
    assert len(contents(alice)) == Run.objects.get().added > 0


def test_rows_without_any_request_id_are_a_broken_answer(api: ApiClient, upstream: Simulator) -> None:
    upstream.add(0, call_at(NOW.replace(month=8, day=9), "alone in its window"))
    upstream.faults.fail("rows_without_id")
    assert "none of its rows has a requestId" in ends(api, 502, "api", 5)


def test_a_failure_of_our_own_is_internal_and_shows_an_event_id_only(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*page: object, **options: object) -> None:
        raise RuntimeError("a detail that is nobody's business")

    monkeypatch.setattr(ingest, "take_in", fail)
    message = ends(api, 500, "internal", 1)
    event = re.fullmatch(r"Something went wrong .* under event ([0-9a-f]{8})\.", message)
    assert event
    assert "nobody's business" not in Run.objects.get().detail + message
    assert f"event {event[1]}: run {Run.objects.get().pk} failed" in Path(settings.DATA_FOLDER.log).read_text()


def test_the_event_of_an_internal_failure_is_a_field_of_the_answer(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The body of `internal` has only a generic message and an event id of 8 hexadecimal digits."""

    def fail(*page: object, **options: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(ingest, "take_in", fail)
    answer = collect(api).json()
    assert list(answer) == ["ok", "error", "message", "event"]
    assert re.fullmatch(r"[0-9a-f]{8}", answer["event"])
    assert f"under event {answer['event']}." in answer["message"]


def test_another_failure_has_no_event(api: ApiClient, upstream: Simulator) -> None:
    """Only an unexpected failure has an event id."""
    upstream.faults.fail("api_code")
    assert list(collect(api).json()) == ["ok", "error", "message"]


@pytest.mark.django_db(transaction=True)
def test_a_run_that_is_stopped_is_409_interrupted(alice: User, gated: GatedSimulator) -> None:
    set_up(alice, gated)
    api = ApiClient.signed_in(alice)
    gated.hold_at(2)

    def ask() -> Any:
        try:
            return collect(api)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask)
        assert gated.reached.wait(60)
        Run.objects.update(stop_requested=True)
        refusal = answer.result(30)
    assert (refusal.status_code, refusal.json()["error"]) == (409, "interrupted")
    assert (Run.objects.get().status, Run.objects.get().exit_code) == (Run.Status.INTERRUPTED, 6)
