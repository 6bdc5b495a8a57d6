"""Minimum intervals between two equal actions, exact across processes: docs/api.md#limits."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.cache import caches
from django.utils.translation import gettext

from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError

# A beginning that lies further ahead was noted under a clock that was wrong; others may be those of another node.
_AHEAD = 10


@contextmanager
def minimum_interval(key: str, seconds: int, *, failures_count: bool) -> Iterator[None]:
    """Allow the block once in `seconds`. Raises ApiError 429 `too_frequent` with the seconds to wait.

    A block that fails as busy (409) does not count; one that fails otherwise counts only with `failures_count`.
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
    # Counters hold whole seconds: rounded up, so that a client that waits for `Retry-After` is not refused again.
    begun = math.ceil(now)
    if not counters.add(key, begun, seconds):
        before = counters.get(key, now)
        # Of several requests at once one replaces it.
        if before > begun + _AHEAD and counters.add(f"{key}:{before}", begun, seconds):
            counters.set(key, begun, seconds)
            return
        since = now - before
        wait = min(seconds, max(1, math.ceil(seconds - since)))
        message = gettext("Done a moment ago: wait %(seconds)s seconds.") % {"seconds": wait}
        raise ApiError(429, "too_frequent", message, retry_after=wait)
