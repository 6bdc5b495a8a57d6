"""Django's SQLite, whose connections follow their store's name when another file is put in its place (design 7)."""

import os
import sqlite3
from typing import Any

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Looks before each statement outside of a transaction, and once a transaction has begun, where its name leads.

    Whoever puts another file in place holds the old one's write lock meanwhile. So nothing is ever written to the old
    one afterwards in a transaction, and by single statements only where they waited for that lock.
    """

    _file: tuple[int, int] | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> sqlite3.Connection:
        while True:
            before = self._found()
            try:
                self._require_file()
                connection: sqlite3.Connection = super().get_new_connection(conn_params)
            except sqlite3.Error:
                # Half opened by the old name, it may have missed its file or the file its log.
                if self._found() == before:
                    raise
                continue
            self._file = self._found()
            if self._file == before:
                return connection
            connection.close()

    def ensure_connection(self) -> None:
        if self.connection is not None and self.autocommit and self._has_moved():
            self.close()
        super().ensure_connection()

    def _start_transaction_under_autocommit(self) -> None:
        super()._start_transaction_under_autocommit()  # type: ignore[misc]  # unknown to the stubs
        while self._has_moved():
            # While it waited for its turn to write.
            self.connection.rollback()
            super()._start_transaction_under_autocommit()  # type: ignore[misc]

    def _require_file(self) -> None:
        """SQLite would make what is missing behind a link anew, and an empty archive would be served."""
        name = str(self.settings_dict["NAME"])
        if os.path.islink(name) and not os.path.exists(name):
            raise sqlite3.OperationalError(f"{name} leads to {os.readlink(name)}, which is missing")

    def _has_moved(self) -> bool:
        """A file that is only gone is used to its end, as Django does."""
        found = self._found()
        return found is not None and found != self._file

    def _found(self) -> tuple[int, int] | None:
        """What tells the file from others; None where there is none, as in memory."""
        try:
            file = os.stat(self.settings_dict["NAME"])
        except OSError:
            return None
        return file.st_dev, file.st_ino
