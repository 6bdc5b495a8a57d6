"""Two SQLite stores, one attached to the other."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import store_damage
from backups import store_file
from backups.restore.both_stores import BothStores
from backups.store_location import live_store


class SqliteStores(BothStores):
    """A new store's file as `main`, with the live store attached read-only as `live`."""

    new = "main"
    live = "live"

    def __init__(self, file: Path) -> None:
        self.file = file
        self._opened: sqlite3.Connection

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with _live_is_sound(), closing(store_file.opened_to_change(self.file)) as self._opened:
            self.execute("ATTACH %s AS live", [f"{live_store().absolute().as_uri()}?mode=ro"])
            self.execute("BEGIN IMMEDIATE")
            yield
            self.execute("COMMIT")

    def fetch(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._opened.execute(statement.replace("%s", "?"), values).fetchall()

    def execute(self, statement: str, values: Sequence[Any] = ()) -> None:
        self.fetch(statement, values)

    def instant(self, at: datetime) -> str:
        return store_file.instant(at)

    def counters(self, where: str) -> dict[str, int]:
        return store_file.counters(self._opened, where)

    def set_counters(self, highest: dict[str, int]) -> None:
        store_file.set_counters(self._opened, highest)


def damaged() -> ApiError:
    words = gettext(
        "The current store is damaged. Stop the service and run 'manage.py backup restore', which sets the damaged "
        "store aside. The audit log then holds only the entries of the backup."
    )
    return ApiError(400, "backup", words)


@contextmanager
def _live_is_sound() -> Iterator[None]:
    """Raises ApiError 400 `backup` if the live store, whose audit log is to be kept, cannot be read."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if not store_damage.is_damage(error):
            raise
        raise damaged() from None
