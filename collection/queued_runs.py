"""Executing the runs that the scheduler queued: the longest waiting first, each under a lease."""

import logging
from collections.abc import Sequence
from contextlib import suppress

from django.conf import settings
from django.db import transaction

from accounts import archives, config
from accounts.models import Archive, User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from collection.models import Run
from collection.reading.collector import collect
from collection.runs import lease, run_execution, run_start, runs

ACTOR = "scheduler"
log = logging.getLogger(__name__)


def waiting() -> Run | None:
    """The scheduled run that has waited longest; accounts with a run under way are left out."""
    return lease.waiting_runs().order_by("pk").first()


def work_off_next() -> bool:
    """Execute the run that has waited longest; gives whether to continue with the next one.

    False if none waits, there is no room for another collection, or the run was asked to stop, since `up` may be
    ending. A failed run does not keep the next one from running.
    """
    for _ in range(settings.COLLECTIONS_AT_ONCE):
        run = waiting()
        if run is None:
            return False
        if owner(run) is None:
            drop(run)
            return True
        try:
            token = _begin(run)
        except ApiError as refusal:
            # Its span has no days, as after a clock that ran ahead: the longest waiting run would keep all others.
            log.warning("the run %s of archive %s is dropped: %s", run.pk, run.archive_id, refusal.error)
            drop(run, Message("no_days_to_read"))
            return True
        if token:
            return not collect(run, token, actor=ACTOR).run.stop_requested
        # Another worker has begun this run: workers that are free at once all look at the same one.
        if not lease.room():
            return False
    return True


def owner(run: Run) -> User | None:
    """The account of a run; None if it was disabled or deleted meanwhile, or the archive was."""
    with suppress(Archive.DoesNotExist):
        return User.objects.filter(pk=archives.owner_of(run.archive_id), status=User.ACTIVE).first()
    return None


def wait_in_line(archive_ids: Sequence[int]) -> None:
    """Let these archives be collected in their turn, behind the runs that wait."""
    for archive_id in archive_ids:
        with transaction.atomic(), suppress(Archive.DoesNotExist):
            # One that is being deleted ends its runs before.
            Archive.objects.select_for_update().get(pk=archive_id, deleted_at=None)
            if not runs.is_waiting(archive_id):
                runs.begin(archive_id, Run.Trigger.SCHEDULE, queued=True)
    run_execution.call_workers()


def drop(run: Run, why: Message | None = None) -> None:
    """End a queued run that cannot begin: whose account is gone, unless another reason is given."""
    with transaction.atomic():
        if runs.claim(run.pk):
            lease.release_run(run.pk)
            runs.interrupt(run, why or Message("owner_gone"))


def _begin(run: Run) -> str | None:
    """Take a lease and claim the run; None if there is no room for it, or the run was stopped.

    In one transaction: a death in between would leave the slot with a run that no worker continues. Raises ApiError 400
    where its span has no days.
    """
    with transaction.atomic():
        token = lease.take(archive_id=run.archive_id)
        if token is None:
            return None
        if not runs.claim(run.pk):
            lease.release(token)
            return None
        lease.assign(token, run.pk)
        span = run_start.span_of(run.archive_id, config.instance_settings(), None, None)
        run_start.go_on_from(run.archive_id, span)
        runs.set_window(run.pk, span.start, span.end)
        run.refresh_from_db()
    return token
