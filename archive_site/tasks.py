"""What the queue's workers call that spans apps."""

import time

from accounts import captcha
from accounts.session_store import SessionStore
from archive_site.account_deletion import resume_erasures
from collection import queue
from usage import search_index

# Seconds that one housekeeping merges the search index at most; the next goes on.
TIDYING = 30


def housekeeping() -> None:
    """Clean away expired sessions, captchas and what the queue left, and finish deletions that were broken off."""
    SessionStore.clear_expired()
    captcha.clean_up()
    queue.clean_up()
    resume_erasures()
    _tidy_search()


def _tidy_search() -> None:
    """Merge what the search index gathered: only then what was erased is gone from the file, too."""
    until = time.monotonic() + TIDYING
    while search_index.tidy() and time.monotonic() < until:
        # SQLite's writers look by chance for a moment without a lock.
        time.sleep(0.05)
