"""POST /api/collect with `background`: a run for the workers."""

from collections.abc import Callable

import pytest
from django_q.models import OrmQ

from accounts.models import User
from collection.models import Lease, Run
from collection.runs import lease
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collect_endpoint import collect, interval, refused, workers_live
from tests.collection.collector_run import collected
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from usage.models import Record


@pytest.mark.parametrize("flag", [True, "1", 1, "true", "on"])
def test_without_workers_it_is_503_and_makes_no_run(api: ApiClient, flag: object) -> None:
    assert refused(api, background=flag) == (503, "unavailable")
    assert (Run.objects.exists(), lease.is_held()) == (False, False)


def test_workers_that_fell_silent_are_none(api: ApiClient, time: SetClock) -> None:
    workers_live()
    time.pass_by(minutes=3)
    assert refused(api, background=True) == (503, "unavailable")


@pytest.mark.thorough
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
