"""Workers of queued runs: one run at a time, and what the death of a worker leaves.

The rules: docs/decisions/scheduling.md#the-tick-does-not-collect.
"""

import pytest

from accounts.models import User
from audit.models import Entry
from collection import queued_runs
from collection.runs import lease, run_stop, runs
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import contents, set_up, truth
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.scheduling import INTERRUPTED, OK, QUEUED, queued, run_list, work_off
from tests.concurrency import together
from tests.standing_clock import SetClock


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, schedule_enabled=0)
    return alice


@pytest.fixture
def bob(bob: User, alice: User, upstream: Simulator) -> User:
    set_up(bob, upstream, account=1)
    return bob


@pytest.fixture
def gated(gated: GatedSimulator, time: SetClock) -> GatedSimulator:
    """At the real time, to which the test's clock is set."""
    time.now = gated.now()
    return gated


# One at a time


@pytest.mark.thorough
def test_while_another_collection_runs_all_wait(alice: User, upstream: Simulator) -> None:
    queued(alice)
    token = lease.take()
    assert token
    assert queued_runs.work_off_next() is False
    assert (run_list(), upstream.request_count) == ([QUEUED], 0)
    lease.release(token)
    assert work_off() == 1


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_two_workers_begin_no_run_twice_and_never_two_at_once(alice: User, bob: User, upstream: Simulator) -> None:
    queued(alice, bob)
    assert sum(together(work_off, work_off, work_off)) <= 2
    work_off()
    assert (run_list(alice), run_list(bob)) == ([OK], [OK])
    assert Entry.objects.count() == 2


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_who_comes_while_one_is_under_way_leaves_again(alice: User, bob: User, gated: GatedSimulator) -> None:
    set_up(alice, gated)
    set_up(bob, gated, account=1)
    queued(alice, bob)
    gated.hold_at(1)

    def late() -> bool:
        gated.reached.wait(60)
        try:
            return queued_runs.work_off_next()
        finally:
            gated.release()

    assert together(queued_runs.work_off_next, late) == [True, False]
    assert (run_list(alice), run_list(bob)) == ([OK], [QUEUED])


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_run_that_is_stopped_in_the_middle_ends_and_leaves_the_next_to_the_next_tick(
    alice: User, bob: User, gated: GatedSimulator
) -> None:
    set_up(alice, gated)
    set_up(bob, gated, account=1)
    (run, _) = queued(alice, bob)
    # Weeks without a call are read first, twice each; at that request some calls are stored, but not all.
    gated.hold_at(10)

    def stop() -> None:
        gated.reached.wait(60)
        run_stop.stop(alice.pk, run.pk)
        gated.release()

    assert together(work_off, stop)[0] == 0
    run.refresh_from_db()
    assert (run_list(alice), run_list(bob), run.exit_code) == ([INTERRUPTED], [QUEUED], 6)
    assert 0 < len(contents(alice)) < len(truth(gated))
    queued(alice)
    work_off()
    assert (contents(alice), contents(bob)) == (truth(gated), truth(gated, 1))


# Deaths


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_death_before_it_begins_leaves_it_to_the_next_worker(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    queued(alice)

    def die(*arguments: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(runs, "set_window", die)
        with pytest.raises(SystemExit):
            queued_runs.work_off_next()
    assert (run_list(), lease.is_held()) == ([QUEUED], False)
    work_off()
    assert run_list() == [OK]
