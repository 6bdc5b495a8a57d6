"""A larger page cache while a run writes (docs/decisions/store.md#page-cache-of-a-run)."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from archive_site.lib.storage import engine

KIBIBYTES = 16 * 1024


@contextmanager
def of_a_run() -> Iterator[None]:
    """Let SQLite keep 16 MiB of pages for this thread's connection during the block."""
    if not engine.IS_SQLITE:
        yield
        return
    connection.ensure_connection()
    usual = connection.connection.execute("PRAGMA cache_size").fetchone()[0]
    connection.connection.execute(f"PRAGMA cache_size=-{KIBIBYTES}")
    try:
        yield
    finally:
        # A restore may have closed it meanwhile; the next one begins with the usual size.
        if connection.connection is not None:
            connection.connection.execute(f"PRAGMA cache_size={usual}")
            connection.connection.execute("PRAGMA shrink_memory")
