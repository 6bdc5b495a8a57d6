"""Queued runs: executed one after the other, independent of each other.

The rules: docs/decisions/scheduling.md#the-tick-does-not-collect.
"""

from datetime import timedelta

import pytest

from accounts.models import User
from audit.models import Entry
from collection import queued_runs, tasks
from collection.models import Run
from collection.runs import lease, run_execution, run_stop, runs
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.watermark import mark
from tests.collection.collector_run import contents, set_up, truth
from tests.collection.scheduling import (
    FAILED,
    INTERRUPTED,
    OK,
    QUEUED,
    configure,
    queued,
    queued_tasks,
    run_list,
    work_off,
    work_off_queue,
)
from tests.factories import make_user
from tests.standing_clock import SetClock
from usage import ingest


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, schedule_enabled=0)
    return alice


@pytest.fixture
def bob(bob: User, alice: User, upstream: Simulator) -> User:
    set_up(bob, upstream, account=1)
    return bob


# One run


def test_a_run_collects_all_there_is(alice: User, upstream: Simulator) -> None:
    queued(alice)
    assert work_off() == 1
    assert (run_list(), contents(alice), lease.is_held()) == ([OK], truth(upstream), False)


def test_with_nothing_waiting_there_is_nothing_to_do(alice: User) -> None:
    assert queued_runs.work_off_next() is False


def test_the_window_ends_when_the_run_starts(alice: User, time: SetClock) -> None:
    (run,) = queued(alice)
    time.pass_by(hours=5)
    work_off()
    run.refresh_from_db()
    assert (run.win_to, run.started_at, run.created_at) == (time.now, time.now, time.now - timedelta(hours=5))


@pytest.mark.thorough
def test_the_window_begins_a_little_behind_what_is_complete(alice: User, time: SetClock) -> None:
    queued(alice)
    work_off()
    complete = mark(alice.pk)
    time.pass_by(hours=8)
    (run,) = queued(alice)
    work_off()
    run.refresh_from_db()
    assert complete
    assert run.win_from == complete - timedelta(minutes=180)


def test_it_is_audited_as_the_schedulers(alice: User) -> None:
    queued(alice)
    work_off()
    entry = Entry.objects.get()
    assert (entry.action, entry.actor, entry.user_id) == ("collect", "scheduler", alice.pk)


@pytest.mark.parametrize("trigger", [Run.Trigger.MANUAL, Run.Trigger.CLI])
def test_what_a_person_asked_for_is_not_its_work(alice: User, trigger: Run.Trigger) -> None:
    runs.begin(alice.pk, trigger, queued=True)
    assert work_off() == 0


def test_what_is_caught_up_is(alice: User) -> None:
    runs.begin(alice.pk, Run.Trigger.STARTUP, queued=True)
    assert work_off() == 1
    assert run_list() == [("startup", "ok")]


# Several accounts


def test_who_waited_longest_is_first(alice: User, bob: User, upstream: Simulator) -> None:
    queued(bob, alice)
    queued_runs.work_off_next()
    assert (run_list(bob), run_list(alice)) == ([OK], [QUEUED])
    work_off()
    assert (contents(alice), contents(bob)) == (truth(upstream), truth(upstream, 1))


@pytest.mark.thorough
@pytest.mark.parametrize(("fault", "exit_code"), [("api_code", 5), ("expired_401_html", 4)])
def test_one_accounts_failure_does_not_stop_the_others(
    alice: User, bob: User, upstream: Simulator, fault: str, exit_code: int
) -> None:
    upstream.faults.fail(fault, account=0)
    queued(alice, bob)
    assert work_off() == 2
    assert (run_list(alice), run_list(bob)) == ([FAILED], [OK])
    assert Run.objects.get(archive_id=alice.pk).exit_code == exit_code


def test_an_unexpected_failure_of_one_account_does_not_stop_the_others(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_in = ingest.take_in

    def failing(user_id: int, *page: object, **options: object) -> ingest.PageResult:
        if user_id == alice.pk:
            raise ZeroDivisionError
        return take_in(user_id, *page, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(ingest, "take_in", failing)
    queued(alice, bob)
    work_off()
    assert (run_list(alice), run_list(bob)) == ([FAILED], [OK])
    assert Run.objects.get(archive_id=alice.pk).exit_code == 1


def test_an_account_without_cookie_by_then_fails_alone(alice: User, bob: User) -> None:
    carol = make_user("carol")
    queued(carol, bob)
    work_off()
    assert (Run.objects.get(archive_id=carol.pk).exit_code, run_list(bob)) == (2, [OK])


@pytest.mark.thorough
def test_an_account_that_was_disabled_meanwhile_is_passed_over(alice: User, bob: User, upstream: Simulator) -> None:
    (run, _) = queued(alice, bob)
    User.objects.filter(pk=alice.pk).update(status=User.DISABLED)
    work_off()
    run.refresh_from_db()
    assert (run_list(alice), run_list(bob), contents(alice)) == ([INTERRUPTED], [OK], {})
    assert (run.exit_code, run.message) == (6, "Interrupted: the account was disabled or deleted.")
    assert run.finished_at


def test_a_deleted_account_whose_data_is_kept_is_passed_over(alice: User, bob: User) -> None:
    queued(alice, bob)
    User.objects.filter(pk=alice.pk).delete()
    assert work_off() == 2
    assert (run_list(alice), run_list(bob)) == ([INTERRUPTED], [OK])


def test_a_background_run_of_a_disabled_account_frees_the_lease(alice: User, upstream: Simulator) -> None:
    run = runs.begin(alice.pk, Run.Trigger.MANUAL, queued=True)
    token = lease.take(holder="")
    assert token
    lease.assign(token, run.pk)
    User.objects.update(status=User.DISABLED)
    tasks.collect_run(run.pk)
    assert (run_list(), lease.is_held(), upstream.request_count) == ([("manual", "interrupted")], False, 0)


@pytest.mark.thorough
def test_one_that_was_stopped_while_it_waited_is_not_begun(alice: User, bob: User, upstream: Simulator) -> None:
    (run, _) = queued(alice, bob)
    run_stop.stop(alice.pk, run.pk)
    assert work_off() == 1
    assert (run_list(alice), contents(alice), run_list(bob)) == ([INTERRUPTED], {}, [OK])


# The queue's tasks


@pytest.fixture
def queue_time(time: SetClock) -> None:
    """The queue goes by the clock of the test."""


@pytest.mark.thorough
@pytest.mark.usefixtures("queue_time")
def test_each_run_is_a_task_of_its_own(alice: User, bob: User) -> None:
    queued(alice, bob)
    tasks.run_due_collections()
    assert queued_tasks() == [run_execution.WORK_OFF]
    assert work_off_queue() == 2
    assert (run_list(alice), run_list(bob)) == ([OK], [OK])


@pytest.mark.thorough
@pytest.mark.usefixtures("queue_time")
def test_a_task_that_finds_another_collection_ends_and_the_tick_comes_back(alice: User) -> None:
    queued(alice)
    tasks.run_due_collections()
    token = lease.take()
    assert token
    assert (work_off_queue(), run_list()) == (1, [QUEUED])
    lease.release(token)
    tasks.run_due_collections()
    work_off_queue()
    assert run_list() == [OK]


@pytest.mark.usefixtures("queue_time")
def test_a_slot_becomes_a_run_that_collects(alice: User, upstream: Simulator, time: SetClock) -> None:
    configure(schedule_enabled=1, schedule_times="18:00")
    time.pass_by(seconds=60)
    tasks.run_due_collections()
    work_off_queue()
    assert (run_list(), contents(alice)) == ([OK], truth(upstream))
    time.pass_by(minutes=1)
    tasks.run_due_collections()
    assert work_off_queue() == 0
