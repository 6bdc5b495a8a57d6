"""Executing a run under its lease: its outcome is recorded, however the work ends."""

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from django_q.tasks import async_task

from archive_site.lib import waiting_tasks
from archive_site.lib.http import store_refusals
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.i18n import english
from archive_site.lib.storage import disk_space, store_damage
from archive_site.lib.stored_message import Message
from collection.models import Run
from collection.runs import lease, runs
from collection.runs.run_outcomes import (
    ACCOUNT_FULL,
    BY_SOURCE_FAILURE,
    INTERNAL,
    INTERRUPTED,
    OK,
    CollectionEnded,
    RunOutcome,
)
from collection.runs.run_progress import RunProgress
from collection.sources.source import ReadingStopped, SourceFailure
from usage.stored_size import AccountFull

log = logging.getLogger(__name__)

WORK_OFF = "collection.tasks.work_off"
# Does the work of a run and gives its message.
Work = Callable[[RunProgress], Message]


@dataclass(frozen=True)
class Result:
    """How a run ended; `event` is the id of an internal error in the log, else empty.

    `refusal`: what a request for the run is answered with where the disk was full or the store locked.
    """

    run: Run
    outcome: RunOutcome
    event: str = ""
    refusal: ApiError | None = None


def execute(
    run: Run,
    token: str,
    work: Work,
    *,
    actor: str,
    ip: str = "",
    stop: Event | None = None,
    show: Callable[[str], None] = lambda line: None,
) -> Result:
    """Execute a run under the lease of `token`, record its outcome, and release the lease.

    `stop` ends it after the current page, like the flag in its row; `show` gets each line of its detail.
    """
    journal = runs.Journal(run.pk)
    event, refusal = "", None
    with lease.kept(token) as lost:
        progress = RunProgress(run, token, journal, [lost, *([stop] if stop else [])], show)
        message: Message
        try:
            outcome, message = OK, work(progress)
        except CollectionEnded as end:
            outcome, message = end.outcome, end.message
        except SourceFailure as failure:
            outcome, message = BY_SOURCE_FAILURE[failure.outcome], failure.message
        except AccountFull as full:
            outcome, message = ACCOUNT_FULL, full.message
        except lease.LeaseLost as gone:
            outcome, message = INTERRUPTED, gone.message
        except ReadingStopped:
            outcome = INTERRUPTED
            message = Message("run_taken_over") if lost.is_set() else progress.stopped
        except Exception as error:  # noqa: BLE001 - any error ends the run properly; the log has the cause
            event, message = internal_failure(run, error)
            outcome, refusal = INTERNAL, store_refusals.refusal_of(error)
        message = message.said_of(**progress.words)
        ended = runs.finish(run, outcome, message, journal, actor=actor, ip=ip)
        log.info("run %s of account %s: %s, %s", run.pk, run.archive_id, ended.status, english(message))
    # At once: until the next tick somebody else would take the room.
    call_workers()
    return Result(ended, outcome, event, refusal)


def call_workers() -> None:
    """Queue a task for each waiting run that can begin now and has none yet."""
    for _ in range(lease.startable() - waiting_tasks.waiting(WORK_OFF)):
        async_task(WORK_OFF)


def internal_failure(run: Run, error: Exception) -> tuple[str, Message]:
    """Log an unexpected error of a run; gives the id of its event in the log, and the message of the run."""
    event = secrets.token_hex(4)
    if disk_space.is_full(error):
        log.error("event %s: run %s failed", event, run.pk)
        return event, Message("disk_full", event=event)
    if store_damage.is_damage(error):
        # `refusal_of` logs the reason.
        log.error("event %s: run %s failed", event, run.pk)
    elif isinstance(error, OSError) and error.filename is not None:
        # A terminal gets the name of the file; the traceback goes to the log file only.
        log.error("event %s: run %s failed: %s", event, run.pk, error)
        log.info("event %s: its traceback", event, exc_info=error)
    else:
        log.error("event %s: run %s failed", event, run.pk, exc_info=error)
    return event, Message("internal_error", event=event)
