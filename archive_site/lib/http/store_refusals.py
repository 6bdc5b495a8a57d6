"""Failures of the store that the next try may not have: a full disk is 507, a locked store 503 (docs/api.md#errors)."""

import logging

from django.utils.translation import gettext_lazy

from archive_site.lib import seldom_log
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import busy_store, disk_space

log = logging.getLogger(__name__)
# Seconds until a request is worth another try.
RETRY_AFTER = 10
BUSY = gettext_lazy("The instance is busy. Try again in a moment.")
_FULL = gettext_lazy("The disk of the server is full. Ask its administrator to make room, then try again.")


def refusal_of(error: BaseException) -> ApiError | None:
    """The answer to a request that failed so: 507 `no_space` or 503 `unavailable`; None for other failures.

    The log has the cause, once a minute.
    """
    reason = seldom_log.shown(str(error))
    if disk_space.is_full(error):
        seldom_log.warn(log, "no_space", "the disk is full, and requests fail: %s", reason)
        return ApiError(507, "no_space", _FULL)
    if busy_store.is_busy(error):
        seldom_log.warn(
            log, "busy", "the store is locked, or takes no connection or no writes, and requests fail: %s", reason
        )
        return ApiError(503, "unavailable", BUSY, retry_after=RETRY_AFTER)
    return None
