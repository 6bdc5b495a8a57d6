"""Requests to reach back: options beside `collect --older`, and POST /api/collect/older with what refuses it."""

import pytest

from accounts.models import User
from collection import tasks
from collection.models import Run
from collection.runs import lease
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.archive_site.commands import manage_here
from tests.collection.collect_endpoint import interval, workers_live
from tests.collection.collector_run import collected, contents, set_up, truth
from tests.factories import ApiClient
from tests.standing_clock import SetClock


@pytest.fixture
def upstream(upstream_of_60_days: Simulator) -> Simulator:
    return upstream_of_60_days


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, page_size=100)
    collected(alice)
    return alice


@pytest.fixture
def api(alice: User) -> ApiClient:
    workers_live()
    return ApiClient.signed_in(alice)


# The command


@pytest.mark.parametrize("option", ["--from", "--to"])
def test_the_command_takes_no_days_with_it(alice: User, option: str) -> None:
    done = manage_here("collect", "alice", "--older", option, "2026-01-01")
    assert (done.returncode, done.stderr.strip()) == (2, "CommandError: --older takes no days.")


# The endpoint


def asked(api: ApiClient) -> tuple[int, str]:
    answer = api.post("/api/collect/older", {})
    return answer.status_code, answer.json().get("error", "")


def test_a_request_is_202_and_a_worker_executes_it(api: ApiClient, alice: User, upstream: Simulator) -> None:
    answer = api.post("/api/collect/older", {})
    run_id = answer.json()["run_id"]
    assert (answer.status_code, answer.json()) == (202, {"ok": True, "run_id": run_id})
    assert (lease.is_held(), Run.objects.get(pk=run_id).kind) == (True, "older")
    tasks.collect_run(run_id)
    assert (Run.objects.get(pk=run_id).status, lease.is_held()) == ("ok", False)
    assert contents(alice) == truth(upstream)


def test_without_workers_it_is_503(api: ApiClient, time: SetClock) -> None:
    time.pass_by(minutes=3)
    assert asked(api) == (503, "unavailable")


def test_while_another_runs_it_is_busy(api: ApiClient) -> None:
    assert asked(api)[0] == 202
    assert asked(api) == (409, "busy")


def test_it_counts_as_a_collection_in_the_interval(api: ApiClient, alice: User, time: SetClock) -> None:
    interval(30)
    assert asked(api) == (429, "too_frequent")
    time.pass_by(seconds=31)
    assert asked(api)[0] == 202
    lease.release_run(Run.objects.latest("pk").pk)
    assert api.post("/api/collect", {}).json()["error"] == "too_frequent"
    assert api.get("/api/status").json()["last_run"]["kind"] == "older"


def test_a_queued_one_is_stopped_at_once(api: ApiClient) -> None:
    run_id = api.post("/api/collect/older", {}).json()["run_id"]
    assert api.post(f"/api/runs/{run_id}/stop").status_code == 200
    assert (Run.objects.get(pk=run_id).status, lease.is_held()) == ("interrupted", False)
