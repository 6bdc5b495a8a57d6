"""The functions that the queue's workers call."""

import logging

from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.i18n import english
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from archive_site.lib.locks.write_freeze import leaves_off
from archive_site.lib.stored_message import Message
from archive_site.lib.waiting_tasks import queue_once
from audit import log as audit_log
from backups import automatic, creation

log = logging.getLogger(__name__)

CREATE = "backups.tasks.create_automatic"
ACTOR = "scheduler"


def queue_due_backup() -> None:
    """Queue a task for an automatic backup that is due. Runs once a minute."""
    automatic.remember_newest()
    if automatic.due(clock.now()):
        queue_once(CREATE)


@leaves_off
def create_automatic() -> None:
    """Create the automatic backup, unless another worker or another cluster has created it meanwhile."""
    try:
        with maintenance_lock():
            if not automatic.due(clock.now()):
                return
            created = creation.create_unlocked(automatic.TRIGGER)
            automatic.remember(created.at)
    except ApiError as error:
        if error.status != 409:
            _record_failure(error)
        return
    audit_log.record("backup_create", actor=ACTOR, user_id=None, detail=created.summary)
    log.info("created the automatic backup %s", created.path.name)


def _record_failure(error: ApiError) -> None:
    log.error("the automatic backup failed: %s", english(error.words))
    automatic.remember_failure(clock.now())
    reason = error.words if isinstance(error.words, Message) else english(error.words)
    audit_log.record("backup_create", actor=ACTOR, user_id=None, detail=Message("backup_failed", reason=reason))
