"""Locks of an instance on PostgreSQL: advisory locks, each on a connection of its own.

A connection of Django cannot hold them: it ends with its request, and a restore closes it.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from django.db import connection

from archive_site.lib.locks.file_lock import TRIED_EVERY, Taken

# The second argument keeps their numbers apart from those of `archive_site/lib/storage/transaction_locks.py`.
_TRY = "SELECT pg_try_advisory_lock(hashtextextended(%s, 1))"
_TRY_SHARED = "SELECT pg_try_advisory_lock_shared(hashtextextended(%s, 1))"
_FREE = "SELECT pg_advisory_unlock_all()"
# The server notices within a minute that the machine of a holder is gone, and never ends a connection that only waits.
_OPTIONS = "-c tcp_keepalives_idle=20 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3 -c idle_session_timeout=0"


@contextmanager
def held(name: str, *, shared: bool = False, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock during the block, alone or `shared`. Raises Taken after `wait` seconds, and DatabaseError."""
    until = time.monotonic() + wait
    own = _connected()
    try:
        while not _try(own, name, shared=shared):
            if time.monotonic() >= until:
                raise Taken(name)
            time.sleep(TRIED_EVERY)
        yield
    finally:
        _release(own)


def _release(own: "psycopg.Connection[tuple[bool]]") -> None:
    """Free the lock at once: the server frees those of a closed connection a little later."""
    # With a connection that is gone, its locks are.
    with suppress(psycopg.Error):
        own.execute(_FREE)
    own.close()


def _connected() -> "psycopg.Connection[tuple[bool]]":
    parameters = connection.get_connection_params()
    parameters["options"] = f"{parameters.get('options', '')} {_OPTIONS}".strip()
    with connection.wrap_database_errors:
        return psycopg.connect(**parameters, autocommit=True)


def _try(own: "psycopg.Connection[tuple[bool]]", name: str, *, shared: bool) -> bool:
    with connection.wrap_database_errors:
        found = own.execute(_TRY_SHARED if shared else _TRY, [name]).fetchone()
    return bool(found and found[0])
