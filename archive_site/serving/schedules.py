"""The schedules of the queue: docs/decisions/scheduling.md#the-tick-does-not-collect."""

from datetime import timedelta

from django.db import transaction
from django_q.models import OrmQ, Schedule

from archive_site.lib import clock
from archive_site.lib.storage.transaction_locks import take_lock
from collection import nodes, queue_rows
from collection.models import Heartbeat
from collection.runs import run_start

TICK_TASK = "archive_site.tasks.tick"
# Tasks and their intervals in minutes.
SCHEDULES = {TICK_TASK: 1, "archive_site.tasks.housekeeping": 10}
# A schedule is not further ahead than its interval; clocks of nodes differ a little.
_AHEAD = timedelta(minutes=2)


@transaction.atomic
def make() -> None:
    """Create or reset the schedules; delete the heartbeat and the waiting ticks of an earlier start.

    What else waits in the queue is due, also if a clock ran ahead when it was queued.
    """
    # Nodes that start at once would create each schedule twice.
    take_lock("schedules")
    nodes.leave()
    if not nodes.others_work():
        Heartbeat.objects.filter(name=run_start.HEARTBEAT).delete()
    for task, minutes in SCHEDULES.items():
        values = {"func": task, "schedule_type": Schedule.MINUTES, "minutes": minutes, "repeats": -1}
        Schedule.objects.update_or_create(name=_name(task), defaults={**values, "next_run": clock.now()})
    for waiting in OrmQ.objects.all():
        if waiting.func() in SCHEDULES:
            waiting.delete()
    queue_rows.let_all_be_due()


def are_ahead() -> bool:
    """Whether they wait for a time that a clock had which ran ahead: nothing would run until then."""
    now = clock.now()
    next_runs = dict(Schedule.objects.values_list("name", "next_run"))
    return any(
        next_runs[_name(task)] > now + timedelta(minutes=minutes) + _AHEAD
        for task, minutes in SCHEDULES.items()
        if _name(task) in next_runs
    )


def _name(task: str) -> str:
    return task.rpartition(".")[2]
