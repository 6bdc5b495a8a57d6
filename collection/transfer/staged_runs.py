"""The runs of an account's file, in the private file of its import: none is held in memory, however many there are.

A run is the same as one of the account if its kind and its beginning are.
"""

import json
import sqlite3
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext_lazy

from archive_site.lib.i18n import filled
from archive_site.lib.stored_message import Message
from collection.models import Run
from collection.transfer.imported_run import FIELDS, run_of
from usage.importing import file_source, json_rows
from usage.importing.file_source import Source
from usage.importing.json_rows import Row
from usage.importing.unreadable_file import UnreadableFile

MOST_RUNS = 100_000
_AT_ONCE = 1000
_TABLES = """
    CREATE TABLE run (kind TEXT, created_at TEXT, form TEXT, UNIQUE (kind, created_at));
    CREATE TABLE run_here (kind TEXT, created_at TEXT, PRIMARY KEY (kind, created_at)) WITHOUT ROWID"""
_NEW = "FROM run WHERE NOT EXISTS (SELECT 1 FROM run_here h WHERE h.kind = run.kind AND h.created_at = run.created_at)"


class StagedRuns:
    """The runs of a file against those of an account."""

    def __init__(self, store: sqlite3.Connection, archive_id: int):
        self._store = store
        self.archive_id = archive_id
        self.rows = self.unreadable = 0

    def read(self, member: Source, before: int = 0) -> None:
        """Take the runs of a member over. Raises UnreadableFile, also for more than `MOST_RUNS` with those before."""
        self._store.executescript(f"{_TABLES}; BEGIN")
        for _, values in lines_of(member):
            if before + self.rows == MOST_RUNS:
                words = gettext_lazy("%(name)s holds more than %(most)s runs.")
                raise UnreadableFile(filled(words, name=member.name, most=MOST_RUNS))
            self.rows += 1
            self._keep(values)
        self._store.execute("COMMIT")

    def compare(self) -> int:
        """Count the runs that the account does not have."""
        self._note_those_here()
        [(count,)] = self._store.execute(f"SELECT COUNT(*) {_NEW}")
        return int(count)

    def new(self) -> Generator[tuple[Run, int]]:
        """The runs that the account does not have, each with the length of its texts."""
        self._note_those_here()
        with closing(self._store.execute(f"SELECT form {_NEW} ORDER BY run.rowid")) as found:
            for (form,) in found:
                run = run_of(json.loads(form), self.archive_id)
                assert run
                yield run, len(form)

    def _keep(self, values: Mapping[str, Any] | Message) -> None:
        run = None if isinstance(values, Message) else run_of(values, self.archive_id)
        if run is None or isinstance(values, Message):
            self.unreadable += 1
            return
        form = json.dumps({name: values[name] for name in FIELDS if name in values})
        self._store.execute("INSERT OR IGNORE INTO run VALUES (?, ?, ?)", [*_key(run.kind, run.created_at), form])

    def _note_those_here(self) -> None:
        last = 0
        while rows := list(
            Run.objects.filter(archive_id=self.archive_id, pk__gt=last)
            .order_by("pk")
            .values_list("pk", "kind", "created_at")[:_AT_ONCE]
        ):
            keys = [_key(kind, created_at) for _, kind, created_at in rows]
            self._store.executemany("INSERT OR IGNORE INTO run_here VALUES (?, ?)", keys)
            last = rows[-1][0]


def _key(kind: str, created_at: datetime) -> tuple[str, str]:
    return kind, created_at.astimezone(UTC).isoformat()


def lines_of(member: Source) -> Iterator[Row]:
    """The object of each line of a member, with its number. Raises UnreadableFile."""
    with closing(file_source.text_of(member, "utf-8")) as text:
        try:
            yield from json_rows.rows_of_lines(text)
        except UnicodeError:
            raise UnreadableFile(filled(gettext_lazy("%(name)s is not UTF-8."), name=member.name)) from None
