"""The size of the store."""

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch


def store_bytes() -> int:
    """The bytes of the database, also those that SQLite still has in its write-ahead log."""
    [(size,)] = fetch(engine.STORE_BYTES)
    return int(size)
