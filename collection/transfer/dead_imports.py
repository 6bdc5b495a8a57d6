"""Finishing the imports of processes that died, from their staged files.

The rules: docs/decisions/files.md#imports-go-in-parts.
"""

import logging
from contextlib import suppress
from pathlib import Path

from django.db import transaction
from django.db.models import F

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks.file_lock import Taken
from archive_site.lib.stored_message import Message
from collection import queued_runs
from collection.models import ImportProgress, Run
from collection.runs import import_progress, lease, runs
from collection.transfer.import_plan import Plan
from collection.transfer.import_storing import Storing
from usage.importing import staging, work_folder

log = logging.getLogger(__name__)


def finish_all() -> None:
    """Finish every dead import of this node for which there is room; the others wait for the next call."""
    for found in import_progress.unfinished():
        # The account is busy, or the import goes on and its run has the reason of its end.
        with suppress(ApiError):
            finish_of(found.run.archive_id)


def finish_of(archive_id: int) -> None:
    """Finish the dead import of an account, if it has one here.

    Raises ApiError 409 `busy` while there is no room for it, and those of an import that fails.
    """
    for found in import_progress.unfinished():
        if found.run.archive_id != archive_id:
            continue
        with (
            suppress(Taken, FileNotFoundError),
            work_folder.alone(archive_id),
            work_folder.of_the_dead(found.folder) as folder,
        ):
            _finish(found, folder)


def _finish(progress: ImportProgress, folder: Path) -> None:
    run = Run.objects.get(pk=progress.run_id)
    if run.status != Run.Status.RUNNING:
        return
    if queued_runs.owner(run) is None:
        _interrupt(run, Message("owner_gone"))
        return
    token = _take_over(run)
    with lease.kept(token):
        try:
            with staging.reopened(folder) as (found, about):
                log.warning("run %s: another process finishes the import of one that died", run.pk)
                Storing(run, token, found, Plan(**about)).store()
        except staging.StagedFileGone:
            _interrupt(run, Message("import_process_died"))


def _take_over(run: Run) -> str:
    with transaction.atomic():
        token = lease.take_or_refuse(archive_id=run.archive_id)
        lease.assign(token, run.pk)
        ImportProgress.objects.filter(run_id=run.pk).update(tries=F("tries") + 1)
    return token


def _interrupt(run: Run, why: Message) -> None:
    with transaction.atomic():
        runs.interrupt(run, import_progress.cut_off(run.pk, why))
