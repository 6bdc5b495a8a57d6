"""Stopping a run on request: cleanly, after the page in flight."""

from django.db import transaction
from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from collection.models import Run
from collection.runs import lease, runs
from usage.data_version import raise_version


def stop(archive_id: int, run_id: int) -> Run | None:
    """Stop a run of the account: a running one after its page, a queued one at once; None for an unknown id.

    Raises ApiError 409 if it has already ended.
    """
    with transaction.atomic():
        run = runs.of_account(archive_id).select_for_update().filter(pk=run_id).first()
        if run is None:
            return None
        if run.status == Run.Status.QUEUED:
            lease.release_run(run.pk)
            runs.interrupt(run, Message("stopped_before_start"))
        elif run.status == Run.Status.RUNNING:
            Run.objects.filter(pk=run.pk).update(stop_requested=True)
            raise_version(archive_id)
        else:
            raise ApiError(409, "bad_request", gettext("This run has already ended."))
    run.refresh_from_db()
    return run
