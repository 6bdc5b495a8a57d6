"""Sessions in Redis for a minute, so that most requests need not ask the store.

The rules: docs/decisions/store.md#sessions-in-redis.

Without `REDIS_URL` nothing is kept. While Redis does not answer, and where it holds something else under the name of a
session, the session is read from the store.
"""

import hashlib
import logging
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.cache import caches

from archive_site.lib import seldom_log
from archive_site.lib.storage.redis_failures import is_of_redis

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
        caches["default"].set(_name(session_key), (_generation(), content), KEPT)


def forget(session_keys: Iterable[str]) -> None:
    if settings.REDIS_URL:
        with _failures_logged():
            caches["default"].delete_many(map(_name, session_keys))


def forget_all() -> None:
    """Forget every session, since a restore has replaced the store."""
    if settings.REDIS_URL:
        with _failures_logged():
            _begin_generation()


def _generation() -> str:
    """The mark of the sessions that are known now; where it cannot be read, a new one, with which none is known."""
    try:
        found: str = caches["default"].get(_GENERATION, "")
    except Exception as error:
        if _is_of_redis(error):
            raise
        _log_unreadable(error)
        return _begin_generation()
    return found


def _begin_generation() -> str:
    generation = secrets.token_hex(8)
    caches["default"].set(_GENERATION, generation, None)
    return generation


def _name(session_key: str) -> str:
    # The key alone would open the session.
    return "session:" + hashlib.sha256(session_key.encode()).hexdigest()


@contextmanager
def _failures_logged() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 - what somebody else pickled may raise any
        if not _is_of_redis(error):
            _log_unreadable(error)
            return
        shown = seldom_log.shown(str(error))
        seldom_log.warn(log, "sessions", "Redis does not answer, and sessions are read from the store: %s", shown)


def _log_unreadable(error: Exception) -> None:
    shown = seldom_log.shown(f"{type(error).__name__}: {error}")
    seldom_log.warn(log, "unreadable sessions", "Redis holds no session where it should, and gets it again: %s", shown)


def _is_of_redis(error: Exception) -> bool:
    """Whether Redis failed, and not what it holds: a list, or what cannot be unpickled."""
    return is_of_redis(error) and not str(error).startswith("WRONGTYPE")
