"""What a backup checks and removes in the copy of the store, an SQLite file."""

import sqlite3
from contextlib import closing
from pathlib import Path

from accounts.models import ApiToken, Invitation, Session, User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from usage.models import Record


def require_sound(path: Path) -> None:
    """Raises ApiError 400 `backup` when the copy, and so the store, is damaged."""
    with closing(opened(path, "mode=ro&immutable=1")) as copy:
        (found,) = copy.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise ApiError(400, "backup", Message("store_damaged", reason=" ".join(found.split())))


def drop_ways_in(path: Path) -> None:
    """Remove sessions, invitations and tokens from a copy.

    The keys of sessions would open accounts to a reader of the backup; a restore drops all of them anyway.
    """
    with closing(opened(path)) as copy, copy:
        # Also from pages that are free now.
        copy.execute("PRAGMA secure_delete=ON")
        for model in (Session, Invitation, ApiToken):
            copy.execute(f"DELETE FROM {model._meta.db_table}")  # noqa: S608 - a name of the models


def counts(path: Path) -> tuple[int, int]:
    """How many accounts and how many records a copy holds."""
    with closing(opened(path, "mode=ro&immutable=1")) as copy:
        accounts, records = (
            copy.execute(f"SELECT COUNT(*) FROM {model._meta.db_table}").fetchone()[0]  # noqa: S608 - a name of the models
            for model in (User, Record)
        )
    return accounts, records


def opened(path: Path, how: str = "mode=rw") -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=1)
