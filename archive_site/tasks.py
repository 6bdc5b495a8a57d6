"""What the queue's workers call that spans apps."""

import logging
import time

from accounts import captcha
from accounts.session_store import SessionStore
from archive_site.cross_app.account_deletion import resume_erasures
from archive_site.lib import clock
from archive_site.lib.locks.write_freeze import leaves_off
from audit import retention
from backups import tasks as backups
from backups.restore import recovery
from collection import queue_rows
from collection import tasks as collection
from collection.schedule import scheduler
from usage.export import kept_files as export_files
from usage.search import index as search_index

log = logging.getLogger(__name__)

# Seconds that one housekeeping merges the search index at most; the next goes on.
TIDYING = 30


def tick() -> None:
    """Once a minute: note that the workers live, and see to what is due unless a restore replaces the store.

    A restore takes the heartbeat along, so workers that wait for a long one do not count as wedged.
    """
    scheduler.beat(clock.now())
    _see_to_what_is_due()


@leaves_off
def _see_to_what_is_due() -> None:
    """Backups are due, too, where collecting fails."""
    try:
        collection.run_due_collections()
    finally:
        backups.queue_due_backup()


@leaves_off
def housekeeping() -> None:
    """Clean away expired sessions, captchas, old audit entries, what the queue left; finish broken off deletions."""
    SessionStore.clear_expired()
    captcha.delete_expired()
    queue_rows.delete_dead_rows()
    retention.delete_old_entries()
    export_files.remove_abandoned()
    for found in recovery.clear_broken_restores():
        log.warning("%s", found)
    resume_erasures()
    _tidy_search()


def _tidy_search() -> None:
    """Merge what the search index gathered: only then what was erased is gone from the file, too."""
    until = time.monotonic() + TIDYING
    while search_index.tidy() and time.monotonic() < until:
        # SQLite's writers look by chance for a moment without a lock.
        time.sleep(0.05)
