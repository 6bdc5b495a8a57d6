"""Deleting old audit entries (`ARCHIVE_AUDIT_DAYS`; if not set, entries are kept for ever)."""

import logging
import time
from datetime import timedelta

from django.conf import settings

from archive_site.lib import clock
from audit.models import Entry

log = logging.getLogger(__name__)

STEP = 1000
_LONGEST_PAUSE = 0.2


def delete_old_entries() -> int:
    """Delete entries older than `ARCHIVE_AUDIT_DAYS`, in short transactions; gives their number."""
    if settings.AUDIT_DAYS is None:
        return 0
    limit = clock.now() - timedelta(days=settings.AUDIT_DAYS)
    removed = 0
    while True:
        begun = time.monotonic()
        # Selected by time, not by id: a restore gives older entries higher ids. Selected in a query of its own, so
        # that no writer waits for it.
        ids = list(Entry.objects.filter(at__lt=limit).values_list("pk", flat=True)[:STEP])
        Entry.objects.filter(pk__in=ids).delete()
        removed += len(ids)
        if len(ids) < STEP:
            break
        # SQLite does not queue writers, they poll for the lock: leave them half of the time.
        time.sleep(min(time.monotonic() - begun, _LONGEST_PAUSE))
    if removed:
        log.info("removed %s audit entries older than %s days", removed, settings.AUDIT_DAYS)
    return removed
