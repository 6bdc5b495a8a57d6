"""Limits the exports that run at the same time: each holds a web server thread until its client has read the file."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError

OF_AN_ACCOUNT = 2
IN_ALL = 4
RETRY_AFTER = 10

_taken: Counter[int] = Counter()
# Reentrant: garbage collection of an abandoned export may release its place while the same thread takes one.
_lock = threading.RLock()


@contextmanager
def place(archive_id: int) -> Iterator[None]:
    """Hold one of this process's places for exports. Raises ApiError 429 when none is free."""
    with _lock:
        if _taken[archive_id] >= OF_AN_ACCOUNT or _taken.total() >= IN_ALL:
            words = gettext("Other exports are running: at most %(own)s per account and %(all)s in total.")
            message = words % {"own": OF_AN_ACCOUNT, "all": IN_ALL}
            raise ApiError(429, "too_frequent", message, retry_after=RETRY_AFTER)
        _taken[archive_id] += 1
    try:
        yield
    finally:
        with _lock:
            _taken[archive_id] -= 1
            if not _taken[archive_id]:
                del _taken[archive_id]
