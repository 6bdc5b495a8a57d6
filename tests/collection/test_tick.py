"""The tick: several at once, one that dies, and the task that it queues."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone
from django_q.models import OrmQ

from accounts.models import User
from collection import tasks
from collection.models import Heartbeat, Run
from collection.runs import lease, run_execution, runs
from collection.schedule import scheduler
from tests.collection.running_instance import Instance
from tests.collection.scheduling import MORNING, SCHEDULE, At, berlin, marks, queued_tasks, run_list, with_cookie
from tests.concurrency import together
from tests.factories import make_user
from tests.standing_clock import SetClock

TICK = """
import django
django.setup()
from collection.schedule import scheduler
print(scheduler.queue_due_runs())
"""


@pytest.fixture
def alice(alice: User, time: SetClock) -> User:
    """With a cookie since the early morning, and the default times: 08:00, 12:30, 18:00 and 23:50."""
    time.now = berlin("2026-09-08 06:00:00")
    return with_cookie(alice)


# Several at once


@pytest.mark.django_db(transaction=True)
def test_ticks_at_the_same_moment_queue_a_slot_once(alice: User, time: SetClock) -> None:
    time.now = berlin(MORNING)
    assert sorted(together(*[scheduler.queue_due_runs] * 6)) == [0, 0, 0, 0, 0, 1]
    assert run_list() == [SCHEDULE]
    assert Heartbeat.objects.count() == 1


@pytest.mark.thorough
def test_ticks_of_several_processes_queue_a_slot_once(instance: Instance) -> None:
    instance.use_cookie("http://127.0.0.1:9", "session=0123456789abcdef", schedule_times=every_minute())
    with ThreadPoolExecutor(3) as pool:
        counts = list(pool.map(instance.python, [TICK] * 3))
    assert sorted(map(int, counts)) == [0, 0, 1]
    assert instance.sql("SELECT trigger, status FROM collection_run") == [("schedule", "queued")]


def every_minute() -> str:
    """A schedule with a slot that has just fallen due, at any time of day."""
    now = timezone.localtime()
    return ",".join(sorted({f"{now - timedelta(minutes=back):%H:%M}" for back in range(5)}))


@pytest.mark.django_db(transaction=True)
def test_a_tick_that_dies_leaves_neither_mark_nor_run(
    alice: User, bob: User, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_cookie(bob)
    begin = runs.begin

    def dying(user_id: int, *arguments: object, **options: object) -> Run:
        if user_id == bob.pk:
            raise SystemExit
        return begin(user_id, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(runs, "begin", dying)
    with pytest.raises(SystemExit):
        at(MORNING)
    assert (run_list(), marks(alice), marks(bob)) == ([], {}, {})
    monkeypatch.undo()
    scheduler.queue_due_runs()


@pytest.mark.django_db(transaction=True)
def test_a_tick_that_dies_among_many_accounts_keeps_those_that_it_has_served(
    alice: User, bob: User, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_cookie(bob)
    begin, carol = runs.begin, with_cookie(make_user("carol"))

    def dying(user_id: int, *arguments: object, **options: object) -> Run:
        if user_id == bob.pk:
            raise SystemExit
        return begin(user_id, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(scheduler, "_AT_ONCE", 1)
    with monkeypatch.context() as while_it_dies:
        while_it_dies.setattr(runs, "begin", dying)
        with pytest.raises(SystemExit):
            at(MORNING)
    assert (run_list(alice), run_list(bob), marks(bob)) == ([SCHEDULE], [], {})
    assert at("2026-09-08 08:01:30") == 2
    assert [run_list(user) for user in (alice, bob, carol)] == [[SCHEDULE]] * 3


# The queue's task


@pytest.fixture
def ticking(alice: User, time: SetClock) -> SetClock:
    """The queue goes by the clock of the test, at which a slot is due."""
    time.now = berlin(MORNING)
    return time


def test_the_tick_leaves_the_work_to_another_task(ticking: SetClock) -> None:
    tasks.run_due_collections()
    assert (run_list(), queued_tasks()) == ([SCHEDULE], [run_execution.WORK_OFF])


def test_while_that_task_waits_there_is_no_second(ticking: SetClock) -> None:
    tasks.run_due_collections()
    ticking.pass_by(minutes=1)
    tasks.run_due_collections()
    assert queued_tasks() == [run_execution.WORK_OFF]


def test_a_task_whose_worker_died_is_replaced(ticking: SetClock) -> None:
    tasks.run_due_collections()
    OrmQ.objects.update(lock=ticking.now + timedelta(seconds=settings.DELIVERED_FOR))
    ticking.pass_by(minutes=1)
    tasks.run_due_collections()
    assert queued_tasks() == [run_execution.WORK_OFF] * 2


def test_while_something_collects_the_task_is_not_queued(ticking: SetClock) -> None:
    token = lease.take()
    tasks.run_due_collections()
    assert (run_list(), queued_tasks()) == ([SCHEDULE], [])
    assert token
    lease.release(token)
    tasks.run_due_collections()
    assert queued_tasks() == [run_execution.WORK_OFF]


def test_with_nothing_to_do_nothing_is_queued(ticking: SetClock) -> None:
    ticking.now = berlin("2026-09-08 07:00")
    tasks.run_due_collections()
    assert queued_tasks() == []


def test_a_run_that_waits_in_vain_is_worked_off_however_late(ticking: SetClock) -> None:
    tasks.run_due_collections()
    OrmQ.objects.all().delete()
    ticking.pass_by(days=3)
    tasks.run_due_collections()
    assert (run_list()[0], queued_tasks()) == (SCHEDULE, [run_execution.WORK_OFF])
