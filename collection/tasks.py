"""The tasks of the queue's workers. Arguments are ids; a task whose row is gone does nothing."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from archive_site.lib.locks.write_freeze import leaves_off
from collection import in_turn, queued_runs
from collection.models import Run
from collection.reading import bill_readings
from collection.reading.collector import collect
from collection.reading.older import fetch_older
from collection.runs import lease, run_execution, runs
from collection.schedule import scheduler
from collection.transfer import dead_imports
from collection.verification.verification import verify

COMPARE_FILES = "collection.tasks.compare_files"
EMPTY: Mapping[str, object] = MappingProxyType({})
# How a run of each kind is executed that a request queues.
_EXECUTE: dict[str, Callable[..., object]] = {
    Run.Kind.COLLECTION: collect,
    Run.Kind.OLDER: fetch_older,
    Run.Kind.VERIFICATION: verify,
}


def run_due_collections() -> None:
    """Once a minute: queue due runs, free abandoned leases, and let workers begin what waits."""
    scheduler.queue_due_runs()
    lease.expire()
    run_execution.call_workers()


@leaves_off
def finish_imports() -> None:
    """Finish the imports whose processes died on this node. No task of the queue: another node could take it."""
    dead_imports.finish_all()


@leaves_off
def compare_files() -> None:
    """Compare what came in files with bills that came in files, where no import did."""
    bill_readings.compare_files()


@leaves_off
def work_off() -> None:
    """Execute the scheduled run that has waited longest, and queue other tasks for the next ones.

    This way no task lasts longer than one run, and stopping workers begin no other run.
    """
    if queued_runs.work_off_next():
        run_execution.call_workers()


@leaves_off
def collect_run(run_id: int, further: Sequence[int] = (), body: Mapping[str, object] = EMPTY) -> None:
    """Execute a queued run once, under the lease that was taken for it; then queue that of the next archive, if any."""
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
    _EXECUTE[run.kind](run, token, actor=user.username)
    run.refresh_from_db()
    # A worker that is to stop begins no other run.
    if further and not run.stop_requested:
        in_turn.go_on(further, body)
