"""Tasks of the queue that span apps."""

import logging

from accounts.delivery import outbox
from accounts.notices import sent
from accounts.session_stores.session_store import SessionStore
from accounts.signin import captcha, invitations
from accounts.tokens import personal_tokens
from archive_site import notice_causes
from archive_site.account_deletion import ERASE_DELETED, resume_erasures
from archive_site.archive_adoption import resume_adoptions
from archive_site.lib import clock
from archive_site.lib.http.store_refusals import leaves_out_if_unusable
from archive_site.lib.locks.write_freeze import leaves_off
from archive_site.lib.storage import disk_reserve
from archive_site.lib.waiting_tasks import queue_once
from audit import retention
from backups import tasks as backups
from backups.restore import recovery
from collection import nodes, queue_rows
from collection import tasks as collection
from collection.runs import import_progress
from collection.schedule import scheduler
from usage import prompt_conversion
from usage.export import kept_files as export_files
from usage.repeated import key_filling
from usage.retention import erasing
from usage.rollups import month_sums
from usage.search import engine_index as search_index

log = logging.getLogger(__name__)

# The longest that one housekeeping merges the search index, in seconds; the next one continues.
TIDYING = 30
NOTIFY = "archive_site.tasks.notify"


@leaves_out_if_unusable
def tick() -> None:
    """Once a minute: write the heartbeat, and start what is due unless a restore replaces the store.

    Dead imports come last, since they may take minutes: the next tick is another worker's. A restore carries the
    heartbeat over, so workers that wait for a long restore do not count as wedged.
    """
    notice_causes.note_silence(clock.now())
    scheduler.beat(clock.now())
    _see_to_what_is_due()
    collection.finish_imports()


@leaves_off
def _see_to_what_is_due() -> None:
    """Queue due backups even if collecting fails."""
    try:
        collection.run_due_collections()
    finally:
        backups.queue_due_backup()
        queue_once(NOTIFY)


@leaves_out_if_unusable
@leaves_off
def notify() -> None:
    """Look for causes of notices, and send what is due. It lasts a minute at most; the next one goes on."""
    notice_causes.look()
    outbox.send_due()


@leaves_out_if_unusable
@leaves_off
def erase_deleted() -> None:
    """Erase the data of deleted accounts and archives; what is left after a while is another task's."""
    if not resume_erasures():
        queue_once(ERASE_DELETED)


@leaves_out_if_unusable
@leaves_off
def housekeeping() -> None:
    """Keep the reserve of the disk; delete what has expired (sessions, captchas, invitations, tokens, audit entries,
    dead queue rows); finish interrupted deletions and adoptions; sum past months; compute missing keys of
    prompts; make stored prompts what accounts keep of them, and erase what they keep no longer."""
    disk_reserve.keep()
    SessionStore.clear_expired()
    captcha.delete_expired()
    invitations.delete_expired()
    personal_tokens.delete_long_ended()
    queue_rows.delete_dead_rows()
    nodes.forget_gone()
    retention.delete_old_entries()
    sent.delete_old()
    export_files.remove_abandoned()
    export_files.note_all()
    import_progress.remove_files_of_the_dead()
    for found in recovery.clear_broken_restores():
        log.warning("%s", found)
    erase_deleted()
    resume_adoptions()
    collection.compare_files()
    month_sums.fill_all()
    key_filling.fill_all()
    prompt_conversion.go_on()
    erasing.go_on()
    search_index.tidy_for(TIDYING)
