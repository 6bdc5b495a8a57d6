"""Deleting old audit entries (`ARCHIVE_AUDIT_DAYS`; if not set, entries are kept for ever)."""

import logging
from datetime import timedelta

from django.conf import settings

from archive_site.lib import clock
from archive_site.lib.storage.deletion import delete_in_parts
from audit.models import Entry

log = logging.getLogger(__name__)


def delete_old_entries() -> int:
    """Delete entries older than `ARCHIVE_AUDIT_DAYS`; gives their number.

    The rules: docs/decisions/store.md#long-writes-in-parts.
    """
    if settings.AUDIT_DAYS is None:
        return 0
    limit = clock.now() - timedelta(days=settings.AUDIT_DAYS)
    # By time, not by id: a restore gives older entries higher ids.
    removed = sum(delete_in_parts(Entry.objects.filter(at__lt=limit)))
    if removed:
        log.info("removed %s audit entries older than %s days", removed, settings.AUDIT_DAYS)
    return removed
