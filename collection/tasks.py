"""What the queue's workers call: ids in, rows read again, nothing done where they are gone."""

from django_q.tasks import async_task

from archive_site.lib.freeze import leaves_off
from collection import lease, queue, runs, scheduler, worker
from collection.collector import collect
from collection.models import Run

WORK_OFF = "collection.tasks.work_off"


def tick() -> None:
    """Once a minute: say that the workers live, queue what is due, free a lease that its holder left."""
    scheduler.tick()
    lease.expire()
    if worker.waiting() and not lease.is_held() and not queue.is_waiting(WORK_OFF):
        async_task(WORK_OFF)


@leaves_off
def work_off() -> None:
    """Work off the scheduled run that has waited longest, and leave the next one to a task of its own.

    So no task lasts longer than one run, and workers that are to stop begin no other.
    """
    if worker.work_off_next() and worker.waiting():
        async_task(WORK_OFF)


@leaves_off
def collect_run(run_id: int) -> None:
    """Work off a queued run, once, under the lease that was taken for it."""
    run = Run.objects.filter(pk=run_id).first()
    if run is None:
        return
    user = worker.owner(run)
    if user is None:
        worker.drop(run)
        return
    token = lease.adopt(run_id)
    if token is None:
        return
    if not runs.claim(run_id):
        lease.release(token)
        return
    run.refresh_from_db()
    collect(run, token, actor=user.username)
