"""What the queue's workers call: ids in, rows read again, nothing done where they are gone."""

from django_q.tasks import async_task

from archive_site.lib.locks.write_freeze import leaves_off
from collection import lease, queue_rows, queued_runs, runs
from collection.collector import collect
from collection.models import Run
from collection.schedule import scheduler

WORK_OFF = "collection.tasks.work_off"


def run_due_collections() -> None:
    """Once a minute: say that the workers live, queue what is due, free a lease that its holder left."""
    scheduler.queue_due_runs()
    lease.expire()
    if queued_runs.waiting() and not lease.is_held() and not queue_rows.is_waiting(WORK_OFF):
        async_task(WORK_OFF)


@leaves_off
def work_off() -> None:
    """Work off the scheduled run that has waited longest, and leave the next one to a task of its own.

    So no task lasts longer than one run, and workers that are to stop begin no other.
    """
    if queued_runs.work_off_next() and queued_runs.waiting():
        async_task(WORK_OFF)


@leaves_off
def collect_run(run_id: int) -> None:
    """Work off a queued run, once, under the lease that was taken for it."""
    run = Run.objects.filter(pk=run_id).first()
    if run is None:
        return
    user = queued_runs.owner(run)
    if user is None:
        queued_runs.drop(run)
        return
    token = lease.adopt(run_id)
    if token is None:
        return
    if not runs.claim(run_id):
        lease.release(token)
        return
    run.refresh_from_db()
    collect(run, token, actor=user.username)
