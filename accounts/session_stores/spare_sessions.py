"""Sessions in memory while the disk of the store is full, so that people can sign in.

The rules: docs/decisions/store.md#a-full-disk.

It is the memory of the web server's process.
"""

import hashlib
import time

from django.core.cache import caches

from archive_site.lib.storage.sql import fetch

# Once the disk has room, a session moves to the store when it is used. In seconds.
_KEPT = 3600


def keep(session_key: str, content: str, user_id: int | None) -> None:
    """Keep the signed content of a session for an hour."""
    caches["spare"].set(_name(session_key), (_store(), user_id, time.monotonic(), content), _KEPT)


def read(session_key: str | None) -> str | None:
    """The signed content of a session; None if it is not kept, was ended, or is of a store that was replaced."""
    found = caches["spare"].get(_name(session_key)) if session_key else None
    if found is None:
        return None
    store, user_id, at, content = found
    was_ended = at <= caches["spare"].get(_end(user_id), -1.0)
    return None if was_ended or store != _store() else str(content)


def forget(session_key: str) -> None:
    caches["spare"].delete(_name(session_key))


def end_all_of(user_id: int) -> None:
    """End the sessions of an account that are kept now."""
    caches["spare"].set(_end(user_id), time.monotonic(), _KEPT)


def _name(session_key: str) -> str:
    # The key alone would open the session.
    return "session:" + hashlib.sha256(session_key.encode()).hexdigest()


def _end(user_id: int | None) -> str:
    return f"ended:{user_id}"


def _store() -> str:
    return str(fetch("SELECT store_id FROM accounts_store WHERE id = 1"))
