"""A clock that ran ahead is set right: runs, leases and days do not wait for the time that it had.

The rules: docs/decisions/records.md#clocks-that-ran-ahead.
"""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.conf import settings
from django_q.models import OrmQ
from django_q.tasks import async_task

from accounts.models import User
from archive_site.lib.stored_message import Message
from archive_site.serving import schedules
from collection import nodes, tasks
from collection.models import Heartbeat, Lease, Run
from collection.runs import lease, run_start, runs
from collection.runs.run_outcomes import OK
from collection.schedule import scheduler
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import set_up
from tests.collection.scheduling import end_runs, with_cookie
from tests.standing_clock import SetClock
from usage.coverage import ledger_writes
from usage.coverage.ledger_writes import DayReading
from usage.models import CoverageDay

pytestmark = pytest.mark.django_db
AHEAD = timedelta(days=1)
DAY = date(2026, 9, 1)
SetRight = Callable[[], None]


def test_tasks_that_waited_are_due_but_not_those_that_are_delivered(set_right: SetRight, time: SetClock) -> None:
    async_task("collection.tasks.work_off")
    async_task("collection.tasks.work_off")
    OrmQ.objects.filter(pk=OrmQ.objects.latest("pk").pk).update(
        lock=time.now + timedelta(seconds=settings.DELIVERED_FOR)
    )
    set_right()
    schedules.make()
    assert OrmQ.objects.filter(lock__lte=time.now).count() == 1


@pytest.mark.engine
def test_a_run_that_was_queued_is_begun(set_right: SetRight, alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)
    run = run_start.queue_older(alice.pk)
    set_right()
    schedules.make()
    lease.expire()
    tasks.collect_run(run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.OK


def test_one_whose_task_is_gone_is_given_up_after_two_minutes(
    set_right: SetRight, alice: User, upstream: Simulator, time: SetClock
) -> None:
    set_up(alice, upstream)
    run = run_start.queue_older(alice.pk)
    set_right()
    lease.expire()
    assert not lease.has_room(alice.pk)
    time.pass_by(minutes=2)
    lease.expire()
    run.refresh_from_db()
    assert (run.status, run.cause, lease.has_room(alice.pk)) == (Run.Status.INTERRUPTED, "no_worker", True)


def test_a_living_holder_keeps_its_lease(set_right: SetRight, alice: User, time: SetClock) -> None:
    token = lease.take(archive_id=alice.pk)
    set_right()
    lease.expire()
    time.pass_by(seconds=15)
    assert token
    assert lease.renew(token)
    time.pass_by(seconds=45)
    lease.require(token)


def test_one_of_a_machine_that_is_gone_ends(set_right: SetRight, alice: User, time: SetClock) -> None:
    lease.take(holder="another.example 1 1.00 another", archive_id=alice.pk)
    set_right()
    lease.expire()
    time.pass_by(minutes=3)
    assert lease.has_room(alice.pk)


def test_that_of_a_restore_stays(time: SetClock) -> None:
    lease.take(AHEAD)
    lease.expire()
    assert Lease.objects.get(account_id=None).expires_at == time.now + AHEAD


@pytest.mark.parametrize("ended", ["finished", "interrupted"])
def test_a_run_that_began_in_the_future_ends(ended: str, set_right: SetRight, alice: User) -> None:
    run = runs.begin(alice.pk, Run.Trigger.CLI)
    set_right()
    if ended == "finished":
        runs.finish(run, OK, Message("no_worker"), runs.Journal(run.pk), actor="alice")
    else:
        lease.expire()
    run.refresh_from_db()
    assert (run.status != Run.Status.RUNNING, run.duration_ms) == (True, 0)


def test_a_node_of_the_future_is_forgotten(set_right: SetRight, time: SetClock) -> None:
    time.pass_by(days=1)
    nodes.beat()
    set_right()
    nodes.forget_gone()
    assert not Heartbeat.objects.exists()


def test_a_new_cookie_is_not_taken_for_one_that_was_refused(set_right: SetRight, alice: User) -> None:
    with_cookie(alice)
    runs.begin(alice.pk, Run.Trigger.SCHEDULE, queued=True)
    end_runs(4)
    assert scheduler.credential_is_refused(alice.pk)
    set_right()
    with_cookie(alice, "session=another")
    assert not scheduler.credential_is_refused(alice.pk)


def read(alice: User, time: SetClock, *, changed: bool) -> None:
    reading = DayReading(DAY, upstream=1, empty=0, is_bare=False, changed=changed)
    ledger_writes.note_readings(alice.pk, [reading], time.now, settles=True)


@pytest.mark.parametrize("changed", [True, False])
def test_a_day_that_was_read_then_is_read_again(
    changed: bool, set_right: SetRight, alice: User, time: SetClock
) -> None:
    read(alice, time, changed=changed)
    assert ledger_writes.due(alice.pk, time.now, 9) == []
    set_right()
    assert ledger_writes.due(alice.pk, time.now, 9) == [DAY]
    read(alice, time, changed=changed)
    assert ledger_writes.due(alice.pk, time.now, 9) == []


@pytest.mark.engine
def test_one_that_cannot_be_read_then_waits_as_others_do(set_right: SetRight, alice: User, time: SetClock) -> None:
    read(alice, time, changed=False)
    set_right()
    ledger_writes.postpone(alice.pk, DAY, time.now)
    assert ledger_writes.due(alice.pk, time.now, 9) == []
    assert CoverageDay.objects.get().settled_at is None
    time.pass_by(hours=24)
    assert ledger_writes.due(alice.pk, time.now, 9) == [DAY]
