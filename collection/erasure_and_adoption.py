"""The runs and the mark of an account: ended and erased with it, or moved to another account."""

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection import lease
from collection.models import Lease, Progress, Run
from collection.run_outcomes import INTERRUPTED


def end_collection(user_id: int) -> None:
    """End the account's runs: a running one loses the lease, so that it stores nothing more."""
    runs = Run.objects.filter(user_id=user_id)
    Lease.objects.filter(run_id__in=runs.values("pk")).update(**lease.FREE)
    runs.filter(status=Run.Status.RUNNING).update(stop_requested=True)
    runs.filter(status=Run.Status.QUEUED).update(
        status=INTERRUPTED.status,
        exit_code=INTERRUPTED.exit_code,
        finished_at=clock.now(),
        stored_message=Message("owner_deleted").stored(),
    )


def has_runs(user_id: int) -> bool:
    return Run.objects.filter(user_id=user_id).exists()


def erase_runs(user_id: int) -> None:
    """Delete the account's runs and its mark, in the caller's transaction."""
    Run.objects.filter(user_id=user_id).delete()
    Progress.objects.filter(user_id=user_id).delete()


def move_runs(old_id: int, heir_id: int) -> None:
    """Move the runs kept under an old id to the heir, in the caller's transaction; the heir keeps its mark."""
    Run.objects.filter(user_id=old_id).update(user_id=heir_id)
    Progress.objects.filter(user_id=old_id).delete()
