"""Collecting the archives of an account in turn: docs/api.md#collect."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.credentials import credential
from accounts.models import Archive, User
from archive_site.lib import clock
from collection import queued_runs, tasks
from collection.models import Lease, Run
from collection.runs import lease, run_execution, runs
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import contents, set_up, truth
from tests.collection.scheduling import queued_tasks
from tests.factories import ApiClient, further_archive
from tests.standing_clock import SetClock

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
ALL = "/api/collect?archive=all"
Queue = list[tuple[Any, ...]]


@pytest.fixture
def second(alice: User, upstream: Simulator) -> User:
    """A further archive of Alice's; the second account of the upstream is its own."""
    set_up(alice, upstream)
    further = User(pk=further_archive(alice))
    credential.store(further.pk, upstream.cookie(1))
    return further


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Queue:
    """The arguments of what is passed to the workers."""
    given: Queue = []
    monkeypatch.setattr("collection.runs.run_start.workers_are_alive", lambda: True)
    monkeypatch.setattr("collection.in_turn.async_task", lambda name, *arguments: given.append(arguments))
    return given


def outcomes(answer: Any) -> list[tuple[int, bool, str | None]]:
    return [(one["archive"], one["ok"], one["error"]) for one in answer.json()["runs"]]


def test_without_it_the_first_archive_alone_is_collected(
    alice: User, second: User, upstream: Simulator, api_of: ApiOf
) -> None:
    assert api_of(alice).post("/api/collect").json()["result"]["status"] == "ok"
    assert (contents(alice), contents(second)) == (truth(upstream), {})


def test_one_that_is_named_is_collected_alone(alice: User, second: User, upstream: Simulator, api_of: ApiOf) -> None:
    assert api_of(alice).post(f"/api/collect?archive={second.pk}").json()["result"]["status"] == "ok"
    assert (contents(alice), contents(second)) == ({}, truth(upstream, account=1))


@pytest.mark.engine
def test_all_are_collected_each_from_its_own_source(
    alice: User, second: User, upstream: Simulator, api_of: ApiOf
) -> None:
    answer = api_of(alice).post(ALL)
    assert (answer.status_code, answer.json()["ok"]) == (200, True)
    assert outcomes(answer) == [(alice.pk, True, None), (second.pk, True, None)]
    assert (contents(alice), contents(second)) == (truth(upstream), truth(upstream, account=1))
    assert not lease.is_held()


def test_what_one_meets_keeps_no_other_from_its_turn(
    alice: User, second: User, upstream: Simulator, api_of: ApiOf
) -> None:
    credential.store(alice.pk, "session=refused")
    answer = api_of(alice).post(ALL)
    assert (answer.status_code, answer.json()["ok"]) == (200, False)
    assert outcomes(answer) == [(alice.pk, False, "cookie_expired"), (second.pk, True, None)]
    assert contents(second) == truth(upstream, account=1)


def test_archives_without_a_credential_are_passed_over(
    alice: User, second: User, upstream: Simulator, api_of: ApiOf
) -> None:
    credential.clear(alice.pk)
    assert outcomes(api_of(alice).post(ALL)) == [(second.pk, True, None)]
    credential.clear(second.pk)
    assert outcomes(api_of(alice).post(ALL)) == [(alice.pk, False, "no_cookie")]


@pytest.mark.engine
def test_the_minimum_interval_is_that_of_the_account(
    alice: User, second: User, upstream: Simulator, api_of: ApiOf, time: SetClock
) -> None:
    set_up(alice, upstream, collect_min_interval_seconds="60")
    api = api_of(alice)
    assert api.post(f"/api/collect?archive={second.pk}").status_code == 200
    for path in ("/api/collect", ALL, "/api/collect/older"):
        assert api.post(path).json()["error"] in ("too_frequent", "unavailable")
    time.pass_by(seconds=61)
    assert outcomes(api.post(ALL)) == [(alice.pk, True, None), (second.pk, True, None)]


def test_an_account_holds_one_lease_whichever_archive_it_is_for(
    alice: User, bob: User, second: User, settings: Any, api_of: ApiOf
) -> None:
    settings.COLLECTIONS_AT_ONCE = 3
    assert lease.take(archive_id=second.pk)
    assert Lease.objects.exclude(token="").get().account_id == alice.pk
    assert (lease.has_room(alice.pk), lease.has_room(bob.pk)) == (False, True)
    assert api_of(alice).post(ALL).json()["error"] == "busy"


@pytest.mark.engine
def test_in_the_background_one_run_follows_the_other(
    alice: User, second: User, upstream: Simulator, api_of: ApiOf, queue: Queue
) -> None:
    answer = api_of(alice).post(ALL, {"background": True})
    assert (answer.status_code, answer.json()["run_id"]) == (202, Run.objects.get().pk)
    while queue:
        tasks.collect_run(*queue.pop())
    assert (contents(alice), contents(second)) == (truth(upstream), truth(upstream, account=1))
    assert list(Run.objects.order_by("pk").values_list("archive_id", "trigger", "status")) == [
        (alice.pk, "manual", "ok"),
        (second.pk, "manual", "ok"),
    ]


@pytest.mark.parametrize("begin_with", ["the second", "text", 987654, None, [], True])
def test_the_one_that_is_asked_for_is_collected_first(
    alice: User, second: User, api_of: ApiOf, queue: Queue, begin_with: object
) -> None:
    given = second.pk if begin_with == "the second" else begin_with
    answer = api_of(alice).post(ALL, {"background": True, "begin_with": given})
    own, others = (second, [alice.pk]) if given == second.pk else (alice, [second.pk])
    assert (answer.json()["run_id"], Run.objects.get().archive_id) == (Run.objects.get().pk, own.pk)
    assert queue == [(Run.objects.get().pk, others, {})]


@pytest.mark.engine
def test_further_archives_wait_behind_others_that_wait(
    alice: User, second: User, bob: User, api_of: ApiOf, queue: Queue
) -> None:
    third = further_archive(alice)
    credential.store(third, "session=c")
    api_of(alice).post(ALL, {"background": True})
    waits = runs.begin(bob.pk, Run.Trigger.SCHEDULE, queued=True)
    while queue:
        tasks.collect_run(*queue.pop())
    queued = Run.objects.filter(status=Run.Status.QUEUED).order_by("pk")
    assert list(queued.values_list("archive_id", flat=True)) == [bob.pk, second.pk, third]
    assert queued[0].pk == waits.pk
    assert queued_tasks() == [run_execution.WORK_OFF]


@pytest.mark.engine
def test_an_archive_that_is_deleted_meanwhile_holds_up_nobody(
    alice: User, second: User, bob: User, api_of: ApiOf, queue: Queue
) -> None:
    third, fourth = (further_archive(alice) for _ in range(2))
    for one in (third, fourth):
        credential.store(one, "session=c")
    api_of(alice).post(ALL, {"background": True})
    runs.begin(bob.pk, Run.Trigger.SCHEDULE, queued=True)
    Archive.objects.filter(pk=third).update(deleted_at=clock.now())
    Archive.objects.filter(pk=fourth).delete()
    tasks.collect_run(*queue.pop())
    waiting = Run.objects.filter(status=Run.Status.QUEUED).order_by("pk").values_list("archive_id", flat=True)
    assert list(waiting.all()) == [bob.pk, second.pk]
    # One that went after its run was queued.
    Run.objects.filter(archive_id=bob.pk).update(archive_id=fourth)
    assert queued_runs.work_off_next()
    assert list(waiting.all()) == [second.pk]


def test_with_days_each_takes_its_turn_whoever_waits(
    alice: User, second: User, bob: User, api_of: ApiOf, queue: Queue
) -> None:
    day = clock.today().isoformat()
    api_of(alice).post(ALL, {"background": True, "from": day})
    runs.begin(bob.pk, Run.Trigger.SCHEDULE, queued=True)
    tasks.collect_run(*queue.pop())
    assert Run.objects.latest("pk").archive_id == second.pk
    assert queue == [(Run.objects.latest("pk").pk,)]


def test_a_run_that_was_asked_to_stop_is_followed_by_none(
    alice: User, second: User, upstream: Simulator, api_of: ApiOf, queue: Queue
) -> None:
    api_of(alice).post(ALL, {"background": True})
    Run.objects.update(stop_requested=True)
    tasks.collect_run(*queue.pop())
    assert (queue, Run.objects.count()) == ([], 1)
