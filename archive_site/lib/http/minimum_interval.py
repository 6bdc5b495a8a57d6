"""Intervals between two of the same thing, counted exactly across all processes (specification 4.3, 4.6)."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.cache import caches
from django.utils.translation import gettext

from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError


@contextmanager
def minimum_interval(key: str, seconds: int, *, failures_count: bool) -> Iterator[None]:
    """Take the one turn that there is in `seconds`. Raises ApiError 429 `too_frequent`, told how long to wait.

    A refusal as busy (409) takes no turn; any other failure takes it only where `failures_count`.
    """
    _take(key, seconds)
    try:
        yield
    except Exception as error:
        if not failures_count or (isinstance(error, ApiError) and error.status == 409):
            caches["counters"].delete(key)
        raise


def _take(key: str, seconds: int) -> None:
    counters, now = caches["counters"], clock.now().timestamp()
    # Whole seconds are all that is counted: rounded up, so that who waits as told is not refused again.
    if not counters.add(key, math.ceil(now), seconds):
        since = now - counters.get(key, now)
        wait = min(seconds, max(1, math.ceil(seconds - since)))
        message = gettext("Done a moment ago: wait %(seconds)s seconds.") % {"seconds": wait}
        raise ApiError(429, "too_frequent", message, retry_after=wait)
