"""Copies the live store consistently to another file while the service runs (docs/decisions.md#the-snapshot)."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from django.conf import settings
from django.db import connection

from accounts.models import Invitation, Session, User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from usage.models import Record

# Seconds to wait for a locked store.
PATIENCE = 60.0


def is_possible() -> bool:
    """Whether the database engine of the store supports snapshots."""
    return connection.vendor == "sqlite"


def require_possible() -> None:
    """Raises ApiError 400 `backup` on any other engine."""
    if not is_possible():
        raise ApiError(400, "backup", Message("engine_without_backups"))


def expected_bytes() -> int:
    """The size in bytes of a copy taken now."""
    with closing(_opened()) as store:
        (pages,), (size,) = (store.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages) * int(size)


def take(target: Path, *, patience: float = PATIENCE) -> None:
    """Copy the store to a new file that can be read without a journal beside it.

    Raises ApiError 400 `backup` when the store stays locked, and sqlite3.Error when it cannot be read or copied.
    """
    locked = ApiError(400, "backup", Message("store_locked"))
    with closing(_opened()) as store, closing(sqlite3.connect(target)) as copy:
        # A copy left by a crash of the machine is thrown away, and the finished backup is synced.
        copy.execute("PRAGMA synchronous=OFF")
        # In one step: in several steps, every write restarts the copy, and it never ends.
        store.backup(copy, pages=-1, progress=_until(time.monotonic() + patience, locked), sleep=0.05)
        copy.execute("PRAGMA journal_mode=DELETE")


def require_sound(path: Path) -> None:
    """Raises ApiError 400 `backup` when the copy, and so the store, is damaged."""
    with closing(_opened(path, "mode=ro&immutable=1")) as copy:
        (found,) = copy.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise ApiError(400, "backup", Message("store_damaged", reason=found))


def drop_ways_in(path: Path) -> None:
    """Remove sessions and invitations from a copy.

    The keys of sessions would open accounts to a reader of the backup; a restore drops both anyway.
    """
    with closing(_opened(path)) as copy, copy:
        # Also from pages that are free now.
        copy.execute("PRAGMA secure_delete=ON")
        for model in (Session, Invitation):
            copy.execute(f"DELETE FROM {model._meta.db_table}")  # noqa: S608 - a name of the models


def counts(path: Path) -> tuple[int, int]:
    """How many accounts and how many records a copy holds."""
    with closing(_opened(path, "mode=ro&immutable=1")) as copy:
        accounts, records = (
            copy.execute(f"SELECT COUNT(*) FROM {model._meta.db_table}").fetchone()[0]  # noqa: S608 - a name of the models
            for model in (User, Record)
        )
    return accounts, records


def _opened(path: Path | None = None, how: str = "mode=rw") -> sqlite3.Connection:
    path = path or Path(settings.DATABASES["default"]["NAME"])
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=1)


def _until(deadline: float, locked: ApiError) -> Callable[[int, int, int], None]:
    """A callback for each try to copy that raises `locked` after the deadline: Python would wait for ever."""

    def look(status: int, remaining: int, pages: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > deadline:
            raise locked

    return look
