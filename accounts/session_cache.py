"""Sessions in Redis for a minute, so that most requests need not ask the store.

The rules: docs/decisions/store.md#sessions-in-redis.

Without `REDIS_URL` nothing is kept. While Redis does not answer, sessions are read from the store.
"""

import hashlib
import logging
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.cache import caches

from archive_site.lib import seldom_log

log = logging.getLogger(__name__)

# A session that is deleted while another request stores it here is known for this long, in seconds.
KEPT = 60
# Sessions of another generation are not known any more.
_GENERATION = "sessions"


def read(session_key: str | None) -> str | None:
    """The signed content of a session; None if it is not known here."""
    if not settings.REDIS_URL or not session_key:
        return None
    name = _name(session_key)
    with _failures_logged():
        found = caches["default"].get_many([_GENERATION, name])
        generation, content = found.get(name, ("", None))
        return content if generation == found.get(_GENERATION, "") else None
    return None


def write(session_key: str | None, content: str) -> None:
    if not settings.REDIS_URL or not session_key:
        return
    with _failures_logged():
        cache = caches["default"]
        cache.set(_name(session_key), (cache.get(_GENERATION, ""), content), KEPT)


def forget(session_keys: Iterable[str]) -> None:
    if settings.REDIS_URL:
        with _failures_logged():
            caches["default"].delete_many(map(_name, session_keys))


def forget_all() -> None:
    """Forget every session, since a restore has replaced the store."""
    if settings.REDIS_URL:
        with _failures_logged():
            caches["default"].set(_GENERATION, secrets.token_hex(8), None)


def _name(session_key: str) -> str:
    # The key alone would open the session.
    return "session:" + hashlib.sha256(session_key.encode()).hexdigest()


@contextmanager
def _failures_logged() -> Iterator[None]:
    # Loaded only where it is used.
    from redis.exceptions import RedisError

    try:
        yield
    except RedisError as error:
        shown = seldom_log.shown(str(error))
        seldom_log.warn(log, "sessions", "Redis does not answer, and sessions are read from the store: %s", shown)
