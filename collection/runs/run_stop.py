"""Stopping a run on request: cleanly, after the page in flight."""

from django.db import transaction
from django.utils.translation import gettext

from accounts import archives
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from collection.models import Run
from collection.runs import lease, runs
from usage.data_version import raise_version


def stop(archive_id: int, run_id: int) -> Run | None:
    """Stop a run of the account: a running one after its page, a queued one at once; None for an unknown id.

    An import that has filled this archive, and fills a further one now, is stopped there. Raises ApiError 409 if the
    run, and so its import, has already ended.
    """
    run = runs.of_account(archive_id).filter(pk=run_id).first()
    if run is None:
        return None
    if not _is_stopped_before_start(run.pk):
        run.refresh_from_db()
        working = run if run.status == Run.Status.RUNNING else _rest_of(run)
        # In a transaction of its own: a page that is being stored waits for this row, and the next statement for it.
        if not working or not Run.objects.filter(pk=working.pk, status=Run.Status.RUNNING).update(stop_requested=True):
            raise ApiError(409, "bad_request", gettext("This run has already ended."))
        raise_version(working.archive_id)
    run.refresh_from_db()
    return run


def _is_stopped_before_start(run_id: int) -> bool:
    """Whether a run was queued, and is ended now."""
    with transaction.atomic():
        # Leases before runs, as who begins one locks them.
        lease.lock_of(run_id)
        queued = Run.objects.select_for_update().filter(pk=run_id, status=Run.Status.QUEUED).first()
        if queued is None:
            return False
        lease.release_run(run_id)
        runs.interrupt(queued, Message("stopped_before_start"))
    return True


def _rest_of(ended: Run) -> Run | None:
    """The run by which the same import fills a further archive now."""
    imports = Run.objects.filter(kind=Run.Kind.IMPORT).exclude(trigger=Run.Trigger.IMPORTED)
    if ended != imports.filter(archive_id=ended.archive_id).order_by("-pk").first():
        return None
    further = [archive.pk for archive in archives.further_of(archives.owner_of(ended.archive_id))]
    return imports.filter(archive_id__in=further, status=Run.Status.RUNNING).first()
