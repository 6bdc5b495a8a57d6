"""The rows of the queue: what waits, and what the housekeeping deletes (docs/decisions/scheduling.md#delivery)."""

from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.utils import timezone
from django_q.models import Failure, OrmQ, Schedule, Success, Task
from django_q.monitor import save_task
from django_q.scheduler import scheduler
from django_q.tasks import async_task

from archive_site import tasks as site_tasks
from archive_site.lib import waiting_tasks
from archive_site.serving.schedules import TICK_TASK
from collection import queue_rows
from tests.standing_clock import SetClock

pytestmark = pytest.mark.django_db
NAME = "collection.tasks.work_off"


@pytest.fixture(autouse=True)
def queue_time(time: SetClock) -> None:
    """The queue goes by the clock of the test."""


def deliver(at: datetime) -> None:
    """Do to every row what the queue does when a worker takes it."""
    OrmQ.objects.update(lock=at + timedelta(seconds=settings.DELIVERED_FOR))


def ended(task: type[Task], at: datetime, *, success: bool) -> None:
    task.objects.create(id=f"{at:%j%H%M%S}{success}", name="x", func=NAME, started=at, stopped=at, success=success)


# What waits


def test_nothing_waits_in_an_empty_queue() -> None:
    assert not waiting_tasks.waiting(NAME)


def test_a_task_waits_until_a_worker_takes_it(time: SetClock) -> None:
    async_task(NAME)
    assert waiting_tasks.waiting(NAME)
    deliver(time.now)
    assert not waiting_tasks.waiting(NAME)


def test_another_function_is_another_task() -> None:
    async_task("collection.tasks.tick")
    assert not waiting_tasks.waiting(NAME)


def test_a_row_that_cannot_be_read_is_no_task_of_ours() -> None:
    OrmQ.objects.create(key="archive", payload="nonsense", lock=timezone.now())
    assert not waiting_tasks.waiting(NAME)


# What is due


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_a_due_schedule_becomes_one_task_and_is_due_again_after_its_minutes(time: SetClock) -> None:
    """The queue's own function, which closes the connection, with the schedule of a tick as `up` makes it."""
    values = {"schedule_type": Schedule.MINUTES, "minutes": 1, "repeats": -1}
    Schedule.objects.create(name="tick", func=TICK_TASK, next_run=time.now - timedelta(seconds=1), **values)
    for _ in range(2):
        scheduler()
    assert [task.func() for task in OrmQ.objects.order_by("pk")] == [TICK_TASK]
    schedule = Schedule.objects.get()
    assert (schedule.next_run - time.now, schedule.repeats) == (timedelta(seconds=59), -1)
    time.pass_by(minutes=1)
    scheduler()
    assert OrmQ.objects.count() == 2


# What is recorded


@pytest.mark.parametrize(("kind", "success"), [(Success, True), (Failure, False)])
def test_a_result_that_was_recorded_lately_is_seen(time: SetClock, kind: type[Task], success: bool) -> None:
    ended(kind, time.now - timedelta(minutes=3), success=success)
    assert queue_rows.keeps_results(NAME, time.now - timedelta(minutes=3))


def test_an_older_one_or_that_of_another_task_is_none(time: SetClock) -> None:
    ended(Success, time.now - timedelta(minutes=3, seconds=1), success=True)
    assert not queue_rows.keeps_results(NAME, time.now - timedelta(minutes=3))
    assert not queue_rows.keeps_results("collection.tasks.tick", time.now - timedelta(days=1))


@pytest.mark.engine
def test_results_of_many_collections_push_out_none_of_a_tick(time: SetClock) -> None:
    kept = int(str(settings.Q_CLUSTER["save_limit"]))
    for number, name in enumerate([TICK_TASK, *[NAME] * (kept + 1)]):
        values: dict[str, object] = {
            "id": str(number),
            "name": "x",
            "func": name,
            "args": (),
            "kwargs": {},
            "result": None,
        }
        # Without `sync`, the connection of the test would be closed.
        save_task({**values, "started": time.now, "stopped": time.now, "success": True, "sync": True}, None)
    assert queue_rows.keeps_results(TICK_TASK, time.now - timedelta(minutes=3))
    assert Success.objects.filter(func=NAME).count() == kept


# What is cleaned away


@pytest.mark.parametrize(("hours", "left"), [(6.9, 1), (7.1, 0)])
def test_a_delivery_whose_worker_died_goes_after_the_longest_task_and_an_hour(
    time: SetClock, hours: float, left: int
) -> None:
    async_task(NAME)
    deliver(time.now)
    time.pass_by(hours=hours)
    assert (queue_rows.delete_dead_rows(), OrmQ.objects.count()) == (1 - left, left)


def test_what_waits_stays_however_long(time: SetClock) -> None:
    async_task(NAME)
    time.pass_by(days=400)
    assert queue_rows.delete_dead_rows() == 0
    assert waiting_tasks.waiting(NAME)


def test_failures_go_after_thirty_days_and_successes_are_the_queues_own(time: SetClock) -> None:
    ended(Failure, time.now - timedelta(days=30, seconds=1), success=False)
    ended(Failure, time.now - timedelta(days=30), success=False)
    ended(Success, time.now - timedelta(days=90), success=True)
    assert queue_rows.delete_dead_rows() == 1
    assert (Failure.objects.count(), Success.objects.count()) == (1, 1)


@pytest.mark.engine
def test_the_housekeeping_does_it(time: SetClock) -> None:
    async_task(NAME)
    deliver(time.now)
    time.pass_by(hours=8)
    site_tasks.housekeeping()
    assert not OrmQ.objects.exists()
