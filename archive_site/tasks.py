"""What the queue's workers call that spans apps."""

from accounts import captcha
from accounts.session_store import SessionStore
from archive_site.account_deletion import resume_erasures
from collection import queue


def housekeeping() -> None:
    """Clean away expired sessions, captchas and what the queue left, and finish deletions that were broken off."""
    SessionStore.clear_expired()
    captcha.clean_up()
    queue.clean_up()
    resume_erasures()
