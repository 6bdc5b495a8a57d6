"""Failures of the store: a full disk is 507, others are 503 (docs/api.md#errors)."""

import logging
import sqlite3
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from django.db import DatabaseError
from django.utils.translation import gettext_lazy

from archive_site.lib import seldom_log
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import busy_errors, disk_space, store_damage

P = ParamSpec("P")
log = logging.getLogger(__name__)
# Seconds until a request is worth another try.
RETRY_AFTER = 10
BUSY = gettext_lazy("The instance is busy. Try again in a moment.")
_FULL = gettext_lazy("The disk of the server is full. Ask its administrator to make room, then try again.")
_SHORT = gettext_lazy(
    "The database server lacks memory or temporary space for this. Try again later, or ask its administrator."
)
_UNUSABLE = gettext_lazy("The store of this instance is damaged or missing. Ask its administrator.")


def refusal_of(error: BaseException) -> ApiError | None:
    """The answer to a request that failed so: 507 `no_space` or 503 `unavailable`; None for other failures.

    The log has the cause, once a minute.
    """
    reason = seldom_log.shown(str(error))
    if disk_space.is_full(error):
        seldom_log.warn(log, "no_space", "the disk is full, and requests fail: %s", reason)
        return ApiError(507, "no_space", _FULL)
    if busy_errors.is_busy(error):
        seldom_log.warn(
            log, "busy", "the store is locked, or takes no connection or no writes, and requests fail: %s", reason
        )
        return ApiError(503, "unavailable", BUSY, retry_after=RETRY_AFTER)
    if busy_errors.is_short(error):
        seldom_log.warn(
            log, "short", "the database server lacks memory or temporary space, and requests fail: %s", reason
        )
        return ApiError(503, "unavailable", _SHORT, retry_after=RETRY_AFTER)
    if store_damage.is_unusable(error):
        seldom_log.warn(log, "unusable", "the store is damaged or missing, and requests fail: %s", reason)
        return ApiError(503, "unavailable", _UNUSABLE)
    return None


def leaves_out_if_unusable(task: Callable[P, None]) -> Callable[P, None]:
    """Leave out the rest of a task of the queue where the store is damaged or missing; the log has the cause."""

    @wraps(task)
    def until_unusable(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            task(*args, **kwargs)
        except (DatabaseError, sqlite3.Error, OSError) as error:
            if disk_space.is_full(error) or busy_errors.is_busy(error) or not store_damage.is_unusable(error):
                raise
            reason = seldom_log.shown(str(error))
            seldom_log.warn(log, "unusable task", "the store is damaged or missing, and tasks are left out: %s", reason)

    return until_unusable
