"""POST /api/runs/<id>/stop: ends a run after its page, or before it begins (docs/api.md#stop-a-run)."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from accounts.models import User
from archive_site.lib import clock
from audit.models import Entry
from collection import tasks
from collection.models import Run
from collection.runs import lease, run_stop, runs
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.archive_site.commands import wait_until
from tests.collection.collect_endpoint import workers_live
from tests.collection.collector_run import contents, set_up, truth
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import eventually
from tests.collection.scripted_upstream import ScriptedUpstream, hang
from tests.concurrency import together
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from usage.data_version import raise_version
from usage.models import DataVersion

ApiOf = Callable[[User], ApiClient]


def stop(api: ApiClient, run_id: object) -> Any:
    return api.post(f"/api/runs/{run_id}/stop")


def version(user: User) -> int:
    return sum(DataVersion.objects.filter(archive_id=user.pk).values_list("number", flat=True))


@pytest.fixture
def api(alice: User) -> ApiClient:
    return ApiClient.signed_in(alice)


def running(user: User) -> Run:
    """A run under way, and the lease held for it."""
    token = lease.take()
    assert token
    run = runs.begin(user.pk, Run.Trigger.MANUAL, clock.now(), clock.now())
    lease.assign(token, run.pk)
    return run


# Which runs


def test_it_needs_the_token_then_an_account(anonymous: ApiClient, alice: User) -> None:
    run = running(alice)
    assert stop(anonymous, run.pk).status_code == 401
    assert anonymous.client.post(f"/api/runs/{run.pk}/stop").status_code == 400
    assert not Run.objects.get().stop_requested


def test_it_is_a_post(api: ApiClient, alice: User) -> None:
    assert api.get(f"/api/runs/{running(alice).pk}/stop").status_code == 405


@pytest.mark.parametrize("run_id", ["0", "-1", "999999999999999999999999", "x", "1.5", "٣"])
def test_an_unknown_id_is_404(api: ApiClient, run_id: str) -> None:
    answer = stop(api, run_id)
    assert (answer.status_code, set(answer.json())) == (404, {"ok", "message"})


def test_anothers_run_is_404_and_goes_on(alice: User, root: User, api_of: ApiOf) -> None:
    run = running(alice)
    answer = stop(api_of(root), run.pk)
    assert (answer.status_code, set(answer.json())) == (404, {"ok", "message"})
    run.refresh_from_db()
    assert (run.status, run.stop_requested, lease.is_held()) == (Run.Status.RUNNING, False, True)


@pytest.mark.parametrize("status", ["ok", "failed", "interrupted"])
def test_one_that_has_ended_is_409_and_stays_as_it_is(api: ApiClient, alice: User, status: str) -> None:
    run = running(alice)
    Run.objects.update(status=status, stored_message="the end")
    answer = stop(api, run.pk)
    assert (answer.status_code, answer.json()["message"]) == (409, "This run has already ended.")
    run.refresh_from_db()
    assert (run.status, run.message, run.stop_requested) == (status, "the end", False)


# Outcomes


def test_a_running_one_is_asked_to_end(api: ApiClient, alice: User) -> None:
    run = running(alice)
    before = version(alice)
    body = stop(api, run.pk).json()
    assert (body["ok"], body["message"], body["run"]["status"]) == (True, "The run is stopping.", "running")
    run.refresh_from_db()
    assert (run.stop_requested, version(alice) > before) == (True, True)


def test_asking_twice_is_no_error(api: ApiClient, alice: User) -> None:
    run = running(alice)
    stop(api, run.pk)
    assert stop(api, run.pk).status_code == 200


def test_a_queued_one_ends_at_once(api: ApiClient, alice: User, time: SetClock) -> None:
    run = runs.begin(alice.pk, Run.Trigger.SCHEDULE, queued=True)
    before = version(alice)
    body = stop(api, run.pk).json()
    assert (body["message"], body["run"]["status"], body["run"]["exit_code"]) == (
        "The run is stopped.",
        "interrupted",
        6,
    )
    run.refresh_from_db()
    assert (run.message, run.finished_at, run.duration_ms) == ("Stopped before it began.", time.now, 0)
    assert run.message in run.detail
    assert version(alice) > before


def test_a_background_run_that_waits_gives_its_lease_back(api: ApiClient, alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)
    workers_live()
    run_id = api.post("/api/collect", {"background": True}).json()["run_id"]
    assert stop(api, run_id).json()["run"]["status"] == "interrupted"
    assert not lease.is_held()
    tasks.collect_run(run_id)
    assert (upstream.request_count, Run.objects.get().status) == (0, Run.Status.INTERRUPTED)


def test_a_queued_one_leaves_anothers_lease_alone(api: ApiClient, alice: User, bob: User) -> None:
    running(bob)
    stop(api, runs.begin(alice.pk, Run.Trigger.SCHEDULE, queued=True).pk)
    assert lease.is_held()


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_what_was_stored_stays_and_the_next_run_completes_the_rest(alice: User, gated: GatedSimulator) -> None:
    set_up(alice, gated)
    # Weeks without a call are read first, twice each; at that request some calls are stored, but not all.
    gated.hold_at(12)
    api = ApiClient.signed_in(alice)

    def stop_it() -> int:
        assert gated.reached.wait(60)
        answer = stop(ApiClient.signed_in(alice), Run.objects.get().pk)
        return int(answer.status_code)

    collected, stopped = together(lambda: api.post("/api/collect"), stop_it)
    run = Run.objects.get()
    assert (stopped, collected.status_code, collected.json()["error"]) == (200, 409, "interrupted")
    assert (run.status, run.exit_code) == (Run.Status.INTERRUPTED, 6)
    assert run.message.startswith("Stopped on request")
    assert run.fetched == run.added == len(contents(alice))
    assert 0 < run.added < len(truth(gated))
    assert not lease.is_held()
    assert Entry.objects.get().action == "collect_failed"
    gated.release()
    assert api.post("/api/collect").status_code == 200
    assert contents(alice) == truth(gated)


@pytest.mark.django_db(transaction=True)
def test_an_upstream_that_hangs_keeps_no_run_from_ending(alice: User, simulator: Simulator) -> None:
    with ScriptedUpstream(hang) as server:
        set_up(alice, simulator, api_base=server.url, timeout=120)
        api = ApiClient.signed_in(alice)

        def stop_it() -> None:
            assert eventually(lambda: server.requests)
            stop(ApiClient.signed_in(alice), Run.objects.get().pk)

        collected, _ = together(lambda: api.post("/api/collect"), stop_it)
        assert collected.json()["error"] == "interrupted"
        assert server.left.wait(60)
    assert contents(alice) == {}


@pytest.mark.postgres_only
@pytest.mark.django_db(transaction=True)
def test_a_run_is_asked_to_stop_while_its_page_is_stored(alice: User) -> None:
    """Neither waits for the other for ever: PostgreSQL would end one of them."""
    run, is_stored = running(alice), threading.Event()

    def store_page() -> None:
        with transaction.atomic():
            raise_version(alice.pk)
            is_stored.set()
            wait_until(lambda: Run.objects.get(pk=run.pk).stop_requested)
            Run.objects.filter(pk=run.pk).update(fetched=1)

    def ask() -> None:
        assert is_stored.wait(60)
        run_stop.stop(alice.pk, run.pk)

    assert together(store_page, ask) == [None, None]
    assert Run.objects.filter(pk=run.pk, stop_requested=True, fetched=1).exists()
