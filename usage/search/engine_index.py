"""The search index over prompts, updated in the transaction that changes them: that of the store's engine."""

import time

from archive_site.lib.storage import engine

if engine.IS_SQLITE:
    from usage.search.sqlite.index import add, create, drop, fill, remove, stored, tidy
else:
    from usage.search.postgres.index import add, create, drop, fill, remove, stored, tidy

__all__ = ["add", "create", "drop", "fill", "remove", "stored", "tidy", "tidy_for"]


def tidy_for(seconds: float) -> None:
    """Merge the index for at most so long; erased texts stay in its file until then."""
    until = time.monotonic() + seconds
    while tidy() and time.monotonic() < until:
        # A pause lets waiting writers in: SQLite has no queue for its lock.
        time.sleep(0.05)
