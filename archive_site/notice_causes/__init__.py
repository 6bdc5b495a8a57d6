"""Looking for the causes of notices: of an account, and for administrators of the instance (docs/decisions/notices.md).

`look` goes through the accounts that are due; each look gives all that is found, and `settle` compares it with the
notices of the account.
"""

import time

from accounts import notice_checks
from accounts.models import User
from accounts.notices.beginning_and_end import Found, settle
from archive_site.lib import clock
from archive_site.notice_causes import of_account, of_instance, summaries
from archive_site.notice_causes.of_instance import note_silence

__all__ = ["look", "note_silence"]

# Seconds that one task looks: the next one goes on.
PATIENCE = 20.0


def look() -> None:
    """Look at the accounts that are due."""
    until, instance = time.monotonic() + PATIENCE, None
    for user_id in list(notice_checks.due(clock.now())):
        if time.monotonic() > until:
            return
        user = User.objects.filter(pk=user_id, status=User.ACTIVE).first()
        if user is None:
            continue
        # Before: what happens meanwhile asks for another look.
        notice_checks.note(user_id)
        for each in of_account.found(user_id):
            settle(user_id, each)
        if due := summaries.found(user_id):
            settle(user_id, Found(due, judged=()))
        if user.is_admin:
            instance = instance or of_instance.found()
            settle(user_id, instance)
