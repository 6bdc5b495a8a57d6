"""Transactions that must come one after the other, since they read what they then change.

On SQLite all writing transactions do (docs/decisions/store.md#sqlite-with-immediate-transactions-and-wal).
"""

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def take_lock(subject: str) -> None:
    """Wait until no other transaction has the lock of this subject; the caller's keeps it until it ends."""
    if not engine.IS_SQLITE:
        fetch(_LOCK, [subject])


def lock_accounts() -> None:
    """Lock the creation of accounts: names and the accounts of an address are compared before."""
    take_lock("accounts")


def lock_archive(archive_id: int) -> None:
    """Lock the changes of an archive's records and their sums."""
    take_lock(f"archive {archive_id}")
