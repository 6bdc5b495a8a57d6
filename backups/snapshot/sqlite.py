"""The copy of an SQLite store: SQLite copies its own file."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from django.conf import settings

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from backups.snapshot.copied_store import opened

# Seconds to wait for a locked store.
PATIENCE = 60.0


def expected_bytes() -> int:
    """The size in bytes of a copy taken now."""
    with closing(opened(_live())) as store:
        (pages,), (size,) = (store.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages) * int(size)


def take(target: Path, *, patience: float = PATIENCE) -> None:
    """Copy the store to a new file that can be read without a journal beside it.

    Raises ApiError 400 `backup` when the store stays locked, and sqlite3.Error when it cannot be read or copied.
    """
    locked = ApiError(400, "backup", Message("store_locked"))
    with closing(opened(_live())) as store, closing(sqlite3.connect(target)) as copy:
        # A copy left by a crash of the machine is thrown away, and the finished backup is synced.
        copy.execute("PRAGMA synchronous=OFF")
        # In one step: in several steps, every write restarts the copy, and it never ends.
        store.backup(copy, pages=-1, progress=_until(time.monotonic() + patience, locked), sleep=0.05)
        copy.execute("PRAGMA journal_mode=DELETE")


def _live() -> Path:
    return Path(settings.DATABASES["default"]["NAME"])


def _until(deadline: float, locked: ApiError) -> Callable[[int, int, int], None]:
    """A callback for each try to copy that raises `locked` after the deadline: Python would wait for ever."""

    def look(status: int, remaining: int, pages: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > deadline:
            raise locked

    return look
