"""Several collections at once, where the instance allows it (docs/decisions/collection.md#the-lease)."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Lock
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from redis.exceptions import RedisError

from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import engine
from collection import queued_runs, tasks
from collection.models import Lease, Run
from collection.runs import lease, run_execution, run_start, runs
from collection.sources import spacing
from collection.sources.codebuddy import credential
from collection.sources.codebuddy.reader import Upstream
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import contents, set_up, truth
from tests.collection.scheduling import OK, QUEUED, queued, queued_tasks, run_list, work_off
from tests.concurrency import together
from tests.factories import make_user
from tests.standing_clock import SetClock


@pytest.fixture(autouse=True)
def two_at_once(settings: Any) -> None:
    settings.COLLECTIONS_AT_ONCE = 2


class Turns:
    """The time by which requests take turns: it stands still but for those who wait for theirs."""

    def __init__(self) -> None:
        self.begun = self.now = 1_800_000_000.0
        self._lock = Lock()

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.now += seconds

    def require_distance(self, requests: int) -> None:
        """Each request but the first has waited for a turn after that of another."""
        assert self.now - self.begun >= (requests - 1) / spacing.PER_SECOND - 0.01


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Turns:
    caches["counters"].clear()
    made = Turns()
    monkeypatch.setattr(spacing, "time", made)
    monkeypatch.setattr(credential, "Upstream", partial(Upstream, sleep=made.sleep))
    return made


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, schedule_enabled=0)
    return alice


@pytest.fixture
def bob(bob: User, alice: User, upstream: Simulator) -> User:
    set_up(bob, upstream, account=1)
    return bob


# Leases


@pytest.mark.django_db
def test_two_accounts_have_a_lease_each_and_a_third_waits() -> None:
    first, second = lease.take(archive_id=1), lease.take(archive_id=2)
    assert first
    assert second
    assert lease.take(archive_id=3) is None
    lease.release(first)
    assert lease.take(archive_id=3)


@pytest.mark.django_db
def test_an_account_has_never_two() -> None:
    assert lease.take(archive_id=1)
    assert lease.take(archive_id=1) is None
    assert (lease.has_room(1), lease.has_room(2)) == (False, True)


@pytest.mark.django_db
def test_work_on_the_whole_instance_waits_for_every_collection_and_keeps_them_out() -> None:
    token = lease.take(archive_id=1)
    assert token
    assert lease.take() is None
    lease.release(token)
    assert lease.take()
    assert lease.take(archive_id=1) is None
    assert lease.room() == 0


@pytest.mark.django_db
def test_of_many_leases_each_is_released_alone() -> None:
    first, second = lease.take(archive_id=1), lease.take(archive_id=2)
    assert first
    assert second
    lease.release(first)
    assert lease.busy_accounts() == {2}
    lease.require(second)


@pytest.mark.django_db(transaction=True)
def test_of_many_threads_at_once_two_get_one() -> None:
    barrier = Barrier(8)

    def take(number: int) -> str | None:
        try:
            barrier.wait()
            return lease.take(archive_id=number)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        tokens = [token for token in pool.map(take, range(1, 9)) if token]
    assert len(tokens) == len(set(tokens)) == 2


@pytest.mark.django_db
def test_of_two_runs_the_one_of_the_dead_holder_is_interrupted(alice: User, bob: User, time: SetClock) -> None:
    for user, holder in ((alice, "elsewhere 1 1.00"), (bob, None)):
        token = lease.take(holder=holder, archive_id=user.pk)
        assert token
        lease.assign(token, runs.begin(user.pk, Run.Trigger.CLI).pk)
    assert token
    # Of nodes, the clock of a holder may be a minute behind.
    for seconds in (59, 60) if engine.MAY_HAVE_SEVERAL_NODES else (59,):
        time.pass_by(seconds=seconds)
        assert lease.renew(token)
    time.pass_by(seconds=2)
    lease.expire()
    assert [run.status for run in Run.objects.order_by("pk")] == ["interrupted", "running"]
    assert lease.busy_accounts() == {bob.pk}


@pytest.mark.engine
@pytest.mark.django_db
def test_with_fewer_allowed_than_before_held_leases_count(settings: Any) -> None:
    lease.take(archive_id=1)
    second = lease.take(archive_id=2)
    assert second
    settings.COLLECTIONS_AT_ONCE = 1
    assert lease.take(archive_id=3) is None
    lease.renew(second)
    assert lease.room() == 0
    assert Lease.objects.exclude(token="").count() == 2


# Runs


@pytest.mark.django_db
def test_a_request_is_busy_only_for_an_account_with_a_run_or_without_room(alice: User, bob: User) -> None:
    run_start.on_demand(alice.pk, {})
    with pytest.raises(ApiError, match="already running"):
        run_start.on_demand(alice.pk, {})
    run_start.on_demand(bob.pk, {})
    with pytest.raises(ApiError, match="already running"):
        run_start.require_free_lease(make_user("carol").pk)


def test_runs_of_other_accounts_do_not_wait(alice: User, bob: User, upstream: Simulator, turns: Turns) -> None:
    queued(alice, bob)
    assert lease.take(archive_id=alice.pk)
    assert work_off() == 1
    assert (run_list(alice), run_list(bob), contents(bob)) == ([QUEUED], [OK], truth(upstream, account=1))
    turns.require_distance(upstream.request_count)


def test_the_tick_queues_a_task_for_each_run_that_can_begin(alice: User, bob: User, time: SetClock) -> None:
    queued(alice, bob)
    runs.begin(make_user("carol").pk, Run.Trigger.SCHEDULE, queued=True)
    assert lease.startable() == 2
    tasks.run_due_collections()
    assert queued_tasks().count(run_execution.WORK_OFF) == 2
    # Those are still waiting for a worker.
    tasks.run_due_collections()
    assert queued_tasks().count(run_execution.WORK_OFF) == 2


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_workers_at_once_begin_each_run_once(alice: User, bob: User, upstream: Simulator, turns: Turns) -> None:
    queued(alice, bob)
    together(work_off, work_off, work_off)
    work_off()
    assert (run_list(alice), run_list(bob)) == ([OK], [OK])
    assert (contents(alice), contents(bob)) == (truth(upstream), truth(upstream, account=1))
    assert lease.room() == 2
    turns.require_distance(upstream.request_count)


@pytest.mark.thorough
def test_a_worker_begins_the_next_run_where_another_was_faster(
    alice: User, bob: User, upstream: Simulator, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    queued(alice, bob)
    begin = queued_runs._begin

    def late(run: Run) -> str | None:
        if run.archive_id == alice.pk:
            # The other worker.
            assert begin(run)
        return begin(run)

    monkeypatch.setattr(queued_runs, "_begin", late)
    assert queued_runs.work_off_next()
    assert (run_list(bob), contents(bob)) == ([OK], truth(upstream, account=1))
    turns.require_distance(upstream.request_count)


# Requests


def test_requests_to_a_host_get_a_quarter_of_a_second_each(monkeypatch: pytest.MonkeyPatch) -> None:
    caches["counters"].clear()
    now = 1_800_000_000.1
    monkeypatch.setattr("time.time", lambda: now)
    address = "https://upstream.example/path"
    assert spacing.until_turn(address) == 0.0
    assert spacing.until_turn("https://upstream.example/other") == pytest.approx(0.15)
    assert spacing.until_turn("https://elsewhere.example") == 0.0
    now += 0.15
    assert spacing.until_turn(address) == 0.0


def test_requests_wait_while_redis_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RedisError("refused")

    monkeypatch.setattr(type(caches["counters"]), "add", fail)
    assert spacing.until_turn("https://upstream.example") == 1.0


def test_one_collection_alone_does_not_wait(settings: Any) -> None:
    settings.COLLECTIONS_AT_ONCE = 1
    assert [spacing.until_turn("https://upstream.example") for _ in range(5)] == [0.0] * 5
