"""Django's SQLite backend with connections that reopen when a restore replaces the file.

The reasons: docs/decisions/backups.md#connections-follow-the-name.
"""

import os
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.db.backends.sqlite3 import base

from archive_site.lib.storage import busy_errors, lock_wait, store_damage, waiting_writers


class Cursor(base.SQLiteCursorWrapper):
    """Tries statements again that the store's lock keeps out, as long as requests may wait for it.

    A text that is damaged is not in the error: it may be a prompt, and errors are logged.
    """

    def execute(self, query: str, params: Any = None) -> Any:
        once = partial(super().execute, query, params)
        try:
            return once()
        except sqlite3.OperationalError as error:
            # Within a transaction it has the lock.
            if not busy_errors.is_busy(error) or self.connection.in_transaction or not waiting_writers.may_wait():
                raise
        return waiting_writers.run(once)

    def fetchone(self) -> Any:
        try:
            return super().fetchone()
        except sqlite3.OperationalError as error:
            raise store_damage.without_text(error) from None

    def fetchmany(self, *size: Any, **named: Any) -> list[Any]:
        try:
            return super().fetchmany(*size, **named)
        except sqlite3.OperationalError as error:
            raise store_damage.without_text(error) from None

    def fetchall(self) -> list[Any]:
        try:
            return super().fetchall()
        except sqlite3.OperationalError as error:
            raise store_damage.without_text(error) from None

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]  # a generator is quicker than a method for each row
        try:
            yield from iter(super().__next__, None)
        except sqlite3.OperationalError as error:
            raise store_damage.without_text(error) from None


class DatabaseWrapper(base.DatabaseWrapper):
    """Compares the open file with the one behind the name before statements outside transactions and after each BEGIN.

    A restore holds the write lock of the old file while it switches. So no transaction writes to the old file
    afterwards, and a single statement does only if it was waiting for that lock.
    """

    _file: tuple[int, int] | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> sqlite3.Connection:
        conn_params = {**conn_params, "timeout": lock_wait.seconds()}
        while True:
            before = self._found()
            try:
                self._require_file()
                connection: sqlite3.Connection = super().get_new_connection(conn_params)
            except sqlite3.Error:
                # The file changed while it was opened: the store or its write-ahead log may have been missing.
                if self._found() == before:
                    raise
                continue
            # Django's REGEXP is Python's `re`, which some patterns keep busy forever. Nothing here needs it.
            connection.create_function("regexp", 2, None)
            connection.execute(f"PRAGMA busy_timeout={int(lock_wait.of_one_try() * 1000)}")
            self._file = self._found()
            if self._file == before:
                return connection
            connection.close()

    def create_cursor(self, name: str | None = None) -> Cursor:
        made: Cursor = self.connection.cursor(factory=Cursor)
        return made

    def ensure_connection(self) -> None:
        if self.connection is not None and self.autocommit and self._has_moved():
            self.close()
        super().ensure_connection()

    def close_if_unusable_or_obsolete(self) -> None:
        # Django asks the connection whether it is usable, and would open a missing store outside of the request.
        if self.connection is not None and not self.in_atomic_block and self._has_moved():
            self.close()
        super().close_if_unusable_or_obsolete()

    def _start_transaction_under_autocommit(self) -> None:
        super()._start_transaction_under_autocommit()  # type: ignore[misc]  # missing in the stubs
        while self._has_moved():
            # The file was replaced while BEGIN waited for the write lock.
            self.connection.rollback()
            self._require_file()
            super()._start_transaction_under_autocommit()  # type: ignore[misc]

    def _require_file(self) -> None:
        """Raise DatabaseError for what is no file, and where SQLite would begin a new store: a link to a missing file,
        an empty one, or none where one is expected."""
        name = str(self.settings_dict["NAME"])
        if os.path.islink(name) and not os.path.exists(name):
            raise sqlite3.OperationalError(f"{name} leads to {os.readlink(name)}, which is missing")
        store_damage.require_present(Path(name))
        store_damage.require_file(Path(name))
        store_damage.require_logs(Path(name))
        store_damage.require_content(Path(name))

    def _has_moved(self) -> bool:
        """Whether another file is behind the name. A file that is only deleted stays in use, as in Django, unless this
        process serves it: what it writes would be lost."""
        found = self._found()
        return found != self._file and (found is not None or store_damage.is_expected())

    def _found(self) -> tuple[int, int] | None:
        """The device and inode of the file; None if there is no file, as for a store in memory."""
        try:
            file = os.stat(self.settings_dict["NAME"])
        except OSError:
            return None
        return file.st_dev, file.st_ino
