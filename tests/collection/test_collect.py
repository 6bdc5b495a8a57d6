"""POST /api/collect: its checks in their order, and every way in which a run may end, over real HTTP."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.conf import settings
from django.db import connection
from django_q.models import OrmQ

from accounts import credential
from accounts.models import Setting, User
from archive_site.lib import clock
from audit.models import Entry
from collection import lease
from collection.models import Heartbeat, Lease, Run
from collection.simulator.simulator import Simulator
from collection.upstream import client
from collection.upstream import wire as upstream_wire
from tests.collection.collector_run import SetClock, call_at, collected, contents, set_up, truth
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.simulator_client import NOW
from tests.factories import ApiClient
from usage import ingest
from usage.models import Record


@pytest.fixture
def api(alice: User, upstream: Simulator) -> ApiClient:
    """Alice, signed in and with a cookie."""
    set_up(alice, upstream)
    return ApiClient.signed_in(alice)


def collect(api: ApiClient, **body: object) -> Any:
    return api.post("/api/collect", body)


def refused(api: ApiClient, **body: object) -> tuple[int, str]:
    answer = collect(api, **body)
    assert list(answer.json())[:3] == ["ok", "error", "message"]
    assert answer.json()["ok"] is False
    return answer.status_code, answer.json()["error"]


# Success


def test_it_collects_and_answers_with_the_run(api: ApiClient, alice: User, upstream: Simulator) -> None:
    answer = collect(api)
    run = Run.objects.get()
    assert (answer.status_code, answer.json()["ok"]) == (200, True)
    assert answer.json()["result"]["message"] == run.message
    assert (answer.json()["result"]["id"], answer.json()["result"]["trigger"]) == (run.pk, "manual")
    assert contents(alice) == truth(upstream)


def test_it_collects_the_days_that_are_named(api: ApiClient) -> None:
    result = collect(api, **{"from": "2026-09-02", "to": "2026-09-03"}).json()["result"]
    assert (result["win_from"], result["win_to"]) == ("2026-09-02 00:00:00", "2026-09-03 23:59:59")


@pytest.mark.parametrize("text", ["2026/9/2", "2026-09-02 23:59:59", "2026-09-02T10:00"])
def test_a_time_part_and_slashes_are_tolerated(api: ApiClient, text: str) -> None:
    result = collect(api, **{"from": text, "to": text}).json()["result"]
    assert (result["win_from"], result["win_to"]) == ("2026-09-02 00:00:00", "2026-09-02 23:59:59")


@pytest.mark.parametrize("last", ["2026-09-07", "2026-09-08", "2026-09-30"], ids=["today", "tomorrow", "later"])
def test_a_day_that_is_not_over_ends_now(api: ApiClient, last: str) -> None:
    """`to` is the end of its day, but calls of the future cannot be read, so the window ends now."""
    result = collect(api, **{"from": "2026-09-07", "to": last}).json()["result"]
    assert result["win_to"] == "2026-09-07 17:59:30"


def test_a_body_that_is_no_object_is_an_empty_one(api: ApiClient) -> None:
    assert api.client.post(
        "/api/collect", "[1]", content_type="application/json", headers={"X-CSRF-Token": api.token}
    ).json()["ok"]


def test_only_the_callers_own_cookie_is_used(alice: User, bob: User, api: ApiClient, upstream: Simulator) -> None:
    set_up(bob, upstream, account=1)
    collect(ApiClient.signed_in(bob), user_id=alice.pk)
    assert (contents(alice), contents(bob)) == ({}, truth(upstream, 1))


def test_success_is_audited(api: ApiClient, alice: User) -> None:
    collect(api)
    entry = Entry.objects.get()
    assert (entry.action, entry.actor, entry.user_id, entry.ip) == ("collect", "alice", alice.pk, "127.0.0.1")
    assert Run.objects.get().message in entry.detail


# The checks, in their order


def test_it_needs_the_token_then_an_account(anonymous: ApiClient, db: None) -> None:
    assert refused(anonymous) == (401, "unauthorized")
    assert anonymous.client.post("/api/collect").status_code == 400


def test_it_is_a_post(api: ApiClient) -> None:
    assert api.get("/api/collect").status_code == 405


def test_busy_comes_before_the_interval(api: ApiClient, alice: User) -> None:
    collected(alice)
    interval(600)
    lease.take()
    assert refused(api, **{"from": "never"}) == (409, "busy")


def test_the_interval_comes_before_the_dates(api: ApiClient, alice: User) -> None:
    collected(alice)
    interval(600)
    assert refused(api, **{"from": "never"}) == (429, "too_frequent")


def test_the_dates_come_before_the_cookie(api: ApiClient, alice: User) -> None:
    credential.clear(alice.pk)
    assert refused(api, **{"from": "never"}) == (400, "bad_request")
    assert refused(api) == (409, "no_cookie")


# Busy


def test_while_another_account_collects_it_is_busy(api: ApiClient) -> None:
    lease.take()
    assert refused(api) == (409, "busy")
    assert not Run.objects.exists()


def test_a_lease_taken_between_the_checks_and_the_run_is_busy_too(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease.take()
    monkeypatch.setattr(lease, "is_held", lambda: False)
    assert refused(api) == (409, "busy")
    assert not Run.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_runs_and_one_is_busy(alice: User, bob: User, gated: GatedSimulator) -> None:
    set_up(bob, gated, account=1)
    set_up(alice, gated)
    gated.hold_at(1)

    def ask(api: ApiClient) -> Any:
        try:
            return collect(api)
        finally:
            gated.release()
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(ask, [ApiClient.signed_in(alice), ApiClient.signed_in(bob)]))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert (Run.objects.count(), lease.is_held()) == (1, False)


# Interval


def interval(seconds: int) -> None:
    Setting.objects.filter(key="collect_min_interval_seconds").update(value=str(seconds))


@pytest.mark.parametrize(
    ("passed", "status", "wait"), [(0, 429, "30"), (0.5, 429, "30"), (29, 429, "1"), (30, 200, None)]
)
def test_an_account_waits_between_two_runs(
    api: ApiClient, time: SetClock, passed: float, status: int, wait: str | None
) -> None:
    collect(api)
    interval(30)
    time.pass_by(seconds=passed)
    answer = collect(api)
    assert (answer.status_code, answer.headers.get("Retry-After")) == (status, wait)
    assert wait is None or f"Wait {wait} seconds" in answer.json()["message"]


def test_a_failed_run_was_an_attempt(api: ApiClient, upstream: Simulator) -> None:
    upstream.faults.fail("api_code", times=1)
    collect(api)
    interval(30)
    assert refused(api) == (429, "too_frequent")


def test_a_queued_run_that_no_worker_took_was_an_attempt(api: ApiClient, time: SetClock) -> None:
    workers_live()
    collect(api, background=True)
    time.pass_by(seconds=150)
    lease.expire()
    interval(300)
    assert collect(api).headers["Retry-After"] == "150"


def test_what_made_no_run_was_no_attempt(api: ApiClient) -> None:
    interval(30)
    assert refused(api, **{"from": "never"}) == (400, "bad_request")
    assert collect(api).status_code == 200


def test_the_interval_is_each_accounts_own(api: ApiClient, bob: User, upstream: Simulator) -> None:
    collect(api)
    set_up(bob, upstream, account=1)
    interval(30)
    assert collect(ApiClient.signed_in(bob)).status_code == 200


def test_a_clock_that_was_set_back_makes_nobody_wait_longer(api: ApiClient, time: SetClock) -> None:
    collect(api)
    interval(30)
    time.pass_by(hours=-5)
    assert collect(api).status_code == 200


# Dates


@pytest.mark.parametrize("name", ["from", "to"])
@pytest.mark.parametrize("value", ["yesterday", "2026-02-30", "20260907", 7, ["2026-09-01"], True])
def test_what_is_no_date_is_named(api: ApiClient, name: str, value: object) -> None:
    answer = collect(api, **{name: value})
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    assert f"'{name}'" in answer.json()["message"]


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("2026-09-05", "2026-09-04"),
        ("2026-09-08", None),
        ("2026-09-08", "2026-09-09"),
        (None, "2026-01-01"),
        ("2026-08-07", None),
        ("2026-08-01", "2026-09-01"),
        ("2026-09-01", "2026-10-02"),
        ("0001-01-01", "0001-01-02"),
        (None, "0001-01-01"),
        ("0001-01-01", None),
        ("2026-09-01", "9999-12-31"),
    ],
    ids=[
        "wrong way round", "future", "future days", "to before the start", "32 days to now", "32 days",
        "32 days into the future", "before zones", "to before zones", "from before zones", "for ever",
    ],
)  # fmt: skip
def test_days_that_make_no_sense_are_refused(api: ApiClient, first: str | None, last: str | None) -> None:
    assert refused(api, **{"from": first, "to": last}) == (400, "bad_request")
    assert not Run.objects.exists()


@pytest.mark.parametrize(("first", "last"), [("2026-08-08", None), ("2026-08-01", "2026-08-31"), (None, "2026-09-30")])
def test_days_up_to_the_longest_range_are_taken(api: ApiClient, first: str | None, last: str | None) -> None:
    assert collect(api, **{"from": first, "to": last}).status_code == 200


def test_the_longest_range_is_a_setting(api: ApiClient, alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, collect_max_range_days=3)
    assert refused(api, **{"from": "2026-09-04"}) == (400, "bad_request")
    assert collect(api, **{"from": "2026-09-05"}).status_code == 200


def test_a_run_without_days_may_span_more_than_that(
    api: ApiClient, alice: User, upstream: Simulator, time: SetClock
) -> None:
    collect(api)
    time.pass_by(days=5)
    set_up(alice, upstream, collect_max_range_days=3)
    assert collect(api).status_code == 200


# Outcomes


def ends(api: ApiClient, status: int, error: str, exit_code: int) -> str:
    """The message of a run with this outcome, equal in the answer, the run and the audit log."""
    answer = collect(api)
    run = Run.objects.latest("pk")
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert (run.status, run.exit_code, run.message) == (Run.Status.FAILED, exit_code, answer.json()["message"])
    assert run.finished_at
    assert not lease.is_held()
    entry = Entry.objects.latest("pk")
    assert (entry.action, run.message in entry.detail) == ("collect_failed", True)
    return run.message


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


def test_a_cookie_past_its_end_is_cookie_expired(api: ApiClient, time: SetClock) -> None:
    time.pass_by(days=30)
    ends(api, 401, "cookie_expired", 4)


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
        ("huge_body", "a single row is too large"),
        ("total_too_large", "twice"),
    ],
)
def test_every_other_failure_is_api_and_says_what_to_do(
    api: ApiClient, upstream: Simulator, monkeypatch: pytest.MonkeyPatch, fault: str, words: str
) -> None:
    monkeypatch.setattr(upstream_wire, "MAX_BODY", 2 * 1024 * 1024)
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
    monkeypatch.setattr(client, "WAITS", (0.0, 0.0, 0.0, 0.0))
    upstream.faults.fail(fault)
    assert f"in 5 tries ({words})" in ends(api, 502, "api", 5)
    assert (upstream.request_count, Run.objects.get().detail.count(words)) == (5, 5)


@pytest.mark.parametrize("fault", ["overload_429", "unavailable", "bad_gateway", "reset"])
def test_overload_that_passes_fails_nothing(
    api: ApiClient, alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(client, "WAITS", (0.0, 0.0, 0.0, 0.0))
    upstream.faults.fail(fault, times=4, after_pages=9)
    assert collect(api).status_code == 200
    assert contents(alice) == truth(upstream)


def test_an_upstream_that_is_down_is_api(api: ApiClient, upstream: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "WAITS", (0.0, 0.0, 0.0, 0.0))
    upstream.stop()
    assert "failed or broke off" in ends(api, 502, "api", 5)


@pytest.mark.parametrize("fault", ["broken_json", "api_code", "not_found"])
def test_rows_that_are_stored_stay_stored(api: ApiClient, alice: User, upstream: Simulator, fault: str) -> None:
    upstream.faults.fail(fault, after_pages=10)
    ends(api, 502, "api", 5)
    assert len(contents(alice)) == Run.objects.get().added > 0


def test_rows_without_any_request_id_are_a_broken_answer(api: ApiClient, upstream: Simulator) -> None:
    upstream.add(0, call_at(NOW.replace(month=8, day=9), "alone in its window"))
    upstream.faults.fail("rows_without_id")
    assert "none of its rows has a requestId" in ends(api, 502, "api", 5)


def test_a_failure_of_our_own_is_internal_and_tells_an_event_id_only(
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
        assert gated.reached.wait(10)
        Run.objects.update(stop_requested=True)
        told = answer.result(10)
    assert (told.status_code, told.json()["error"]) == (409, "interrupted")
    assert (Run.objects.get().status, Run.objects.get().exit_code) == (Run.Status.INTERRUPTED, 6)


# In the background


def workers_live() -> None:
    Heartbeat.objects.update_or_create(name="scheduler", defaults={"at": clock.now()})


@pytest.mark.parametrize("flag", [True, "1", 1, "true", "on"])
def test_without_workers_it_is_503_and_makes_no_run(api: ApiClient, flag: object) -> None:
    assert refused(api, background=flag) == (503, "unavailable")
    assert (Run.objects.exists(), lease.is_held()) == (False, False)


def test_workers_that_fell_silent_are_none(api: ApiClient, time: SetClock) -> None:
    workers_live()
    time.pass_by(minutes=3)
    assert refused(api, background=True) == (503, "unavailable")


@pytest.mark.parametrize("flag", [False, "0", None, "no", "", {}])
def test_any_other_word_collects_at_once(api: ApiClient, flag: object) -> None:
    assert collect(api, background=flag).status_code == 200


def test_a_queued_run_is_202_with_its_id_and_holds_the_lease(api: ApiClient, upstream: Simulator) -> None:
    workers_live()
    answer = collect(api, background=True)
    run = Run.objects.get()
    assert (answer.status_code, answer.json()) == (202, {"ok": True, "run_id": run.pk})
    assert (run.status, run.started_at, upstream.request_count) == (Run.Status.QUEUED, None, 0)
    assert (lease.is_held(), Lease.objects.get().run_id) == (True, run.pk)


def test_what_waits_in_the_queue_is_the_runs_id_only(api: ApiClient) -> None:
    workers_live()
    collect(api, background=True)
    task = OrmQ.objects.get().task
    assert (task["func"], task["args"], task["kwargs"]) == ("collection.tasks.collect_run", (Run.objects.get().pk,), {})


def too_soon(alice: User) -> None:
    collected(alice)
    interval(30)


@pytest.mark.parametrize(
    ("arrange", "status", "error"),
    [
        (lambda alice: lease.take(), 409, "busy"),
        (too_soon, 429, "too_frequent"),
        (lambda alice: None, 400, "bad_request"),
    ],
    ids=["busy", "interval", "dates"],
)
def test_the_checks_are_the_same(
    api: ApiClient, alice: User, arrange: Callable[[User], object], status: int, error: str
) -> None:
    workers_live()
    arrange(alice)
    assert refused(api, background=True, **{"from": "never"}) == (status, error)
    assert not OrmQ.objects.exists()


def test_while_it_waits_others_are_busy(api: ApiClient) -> None:
    workers_live()
    collect(api, background=True)
    assert refused(api) == (409, "busy")
    assert not Record.objects.exists()
