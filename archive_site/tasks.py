"""What the queue's workers call that spans apps."""

import logging
import time

from accounts import captcha
from accounts.session_store import SessionStore
from archive_site.account_deletion import resume_erasures
from archive_site.lib import clock
from archive_site.lib.freeze import leaves_off
from audit import retention
from backups import recovery
from backups import tasks as backups
from collection import queue, scheduler
from collection import tasks as collection
from usage import export_files, search_index

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
        collection.tick()
    finally:
        backups.tick()


@leaves_off
def housekeeping() -> None:
    """Clean away expired sessions, captchas, old audit entries, what the queue left; finish broken off deletions."""
    SessionStore.clear_expired()
    captcha.clean_up()
    queue.clean_up()
    retention.clean_up()
    export_files.remove_abandoned()
    for found in recovery.clean_up():
        log.warning("%s", found)
    resume_erasures()
    _tidy_search()


def _tidy_search() -> None:
    """Merge what the search index gathered: only then what was erased is gone from the file, too."""
    until = time.monotonic() + TIDYING
    while search_index.tidy() and time.monotonic() < until:
        # SQLite's writers look by chance for a moment without a lock.
        time.sleep(0.05)
