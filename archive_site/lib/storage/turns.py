"""Transactions that must come one after the other, since they read what they then change.

On SQLite all writing transactions do (docs/decisions/store.md#sqlite-with-immediate-transactions-and-wal).
"""

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def take_turn(subject: str) -> None:
    """Wait until no other transaction has taken the turn of this subject; the caller's keeps it until it ends."""
    if not engine.IS_SQLITE:
        fetch(_LOCK, [subject])


def take_turn_of_accounts() -> None:
    """The turn to create an account: names and the accounts of an address are compared before."""
    take_turn("accounts")


def take_turn_of_archive(user_id: int) -> None:
    """The turn to change an account's records or their sums."""
    take_turn(f"archive {user_id}")
