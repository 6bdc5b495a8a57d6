"""How long the audit log is kept (`ARCHIVE_AUDIT_DAYS`; for ever where it is not set)."""

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
    """Remove the entries that are older than the environment says, in short transactions; how many there were."""
    if settings.AUDIT_DAYS is None:
        return 0
    limit = clock.now() - timedelta(days=settings.AUDIT_DAYS)
    removed = 0
    while True:
        begun = time.monotonic()
        # By their time, not from the lowest id on: a restore puts older entries behind newer ones. Read apart from
        # the deletion, so that no writer waits for the search.
        ids = list(Entry.objects.filter(at__lt=limit).values_list("pk", flat=True)[:STEP])
        Entry.objects.filter(pk__in=ids).delete()
        removed += len(ids)
        if len(ids) < STEP:
            break
        # SQLite's writers look by chance for a moment without a lock: half of the time is theirs.
        time.sleep(min(time.monotonic() - begun, _LONGEST_PAUSE))
    if removed:
        log.info("removed %s audit entries older than %s days", removed, settings.AUDIT_DAYS)
    return removed
