"""POST /api/collect: its success, and its checks in their order."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from accounts.credentials import credential
from accounts.models import User
from audit.models import Entry
from collection.models import Run
from collection.runs import lease
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collect_endpoint import collect, interval, refused, workers_live
from tests.collection.collector_run import collected, contents, set_up, truth
from tests.collection.gated_simulator import GatedSimulator
from tests.factories import ApiClient
from tests.standing_clock import SetClock

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


@pytest.mark.thorough
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


@pytest.mark.thorough
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


@pytest.mark.thorough
@pytest.mark.parametrize(("first", "last"), [("2026-08-08", None), ("2026-08-01", "2026-08-31"), (None, "2026-09-30")])
def test_days_up_to_the_longest_range_are_taken(api: ApiClient, first: str | None, last: str | None) -> None:
    assert collect(api, **{"from": first, "to": last}).status_code == 200


def test_the_longest_range_is_a_setting(api: ApiClient, alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, collect_max_range_days=3)
    assert refused(api, **{"from": "2026-09-04"}) == (400, "bad_request")
    assert collect(api, **{"from": "2026-09-05"}).status_code == 200


@pytest.mark.thorough
def test_a_run_without_days_may_span_more_than_that(
    api: ApiClient, alice: User, upstream: Simulator, time: SetClock
) -> None:
    collect(api)
    time.pass_by(days=5)
    set_up(alice, upstream, collect_max_range_days=3)
    assert collect(api).status_code == 200
