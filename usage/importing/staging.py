"""The records of a file in a private SQLite file, one for each call, until they are counted or stored.

A call that comes twice in a file is merged as a call that the collector sees twice: the later values stay, and only a
more complete prompt replaces a prompt (docs/decisions.md#a-record-that-is-seen-again).
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from archive_site.lib.stored_message import Message
from usage.importing.call_row import CallRow
from usage.importing.file_format import Read
from usage.incoming_record import IncomingRecord

EXAMPLES = 5
# Records that are compared or stored at once.
PAGE = 1000
_SETTINGS = (
    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536; "
    "PRAGMA temp_store=FILE"
)
# The columns of `CallRow`.
_COLUMNS = "request_id, credits, model, client, ts, prompt, truncated, purpose"
_TABLE = """
    CREATE TABLE {name} (request_id TEXT {key}, credits INTEGER, model TEXT, client TEXT, ts TEXT, prompt TEXT,
    truncated INTEGER, purpose TEXT)"""
_KEEP = "INSERT INTO call VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_REPEATED = "INSERT INTO repeated SELECT request_id FROM call GROUP BY request_id HAVING COUNT(*) > 1"
_IS_REPEATED = "request_id IN (SELECT request_id FROM repeated)"
_MORE_COMPLETE = """
    (excluded.prompt <> '' AND CASE WHEN prompt <> '' AND COALESCE(excluded.truncated, 0) <> COALESCE(truncated, 0)
    THEN COALESCE(truncated, 0) ELSE length(excluded.prompt) > length(prompt) END)"""
_MERGE = f"""
    INSERT INTO merged SELECT {_COLUMNS} FROM call WHERE {_IS_REPEATED} ORDER BY rowid
    ON CONFLICT (request_id) DO UPDATE SET
    credits = excluded.credits, ts = excluded.ts,
    model = COALESCE(excluded.model, model), client = COALESCE(excluded.client, client),
    prompt = CASE WHEN {_MORE_COMPLETE} THEN excluded.prompt ELSE prompt END,
    truncated = CASE WHEN {_MORE_COMPLETE} THEN excluded.truncated ELSE truncated END,
    purpose = CASE WHEN excluded.purpose <> '' THEN excluded.purpose ELSE purpose END"""  # noqa: S608 - a constant
# By time: an index whose entries come in their order is written once.
_IN_ORDER = f"SELECT {_COLUMNS} FROM call ORDER BY ts"  # noqa: S608 - a constant


@dataclass
class Unreadable:
    """The rows that could not be read: their number, and the first of each reason."""

    count: int = 0
    examples: list[tuple[int, Message]] = field(default_factory=list)
    _reasons: Counter[str] = field(default_factory=Counter)

    def add(self, number: int, why: Message) -> None:
        self.count += 1
        self._reasons[why.code] += 1
        if len(self.examples) < EXAMPLES and self._reasons[why.code] < EXAMPLES:
            self.examples.append((number, why))


@dataclass
class Staged:
    """The records of a file; `rows` counts the readable rows, also those of a call that came before."""

    store: sqlite3.Connection
    rows: int = 0
    calls: int = 0
    unreadable: Unreadable = field(default_factory=Unreadable)

    @property
    def repeated(self) -> int:
        return self.rows - self.calls

    def pages(self) -> Iterator[list[IncomingRecord]]:
        """The records by time, in pages."""
        with closing(self.store.execute(_IN_ORDER)) as found:
            while rows := found.fetchmany(PAGE):
                yield [CallRow(*row).record() for row in rows]


@contextmanager
def staged(rows: Iterable[Read], folder: Path) -> Iterator[Staged]:
    """The records of these rows in a file in `folder`, which the caller removes."""
    with closing(sqlite3.connect(folder / "calls.sqlite3", isolation_level=None)) as store:
        store.executescript(f"{_SETTINGS}; {_TABLE.format(name='call', key='')}")
        found = Staged(store)
        store.execute("BEGIN")
        store.executemany(_KEEP, _values(rows, found))
        _merge_repeated(store)
        store.execute("CREATE INDEX by_time ON call (ts)")
        store.execute("COMMIT")
        [(found.calls,)] = store.execute("SELECT COUNT(*) FROM call")
        yield found


def _merge_repeated(store: sqlite3.Connection) -> None:
    """Leave one row for each call."""
    # An index is built faster than a key is checked at each insert.
    store.execute("CREATE INDEX by_id ON call (request_id)")
    store.execute("CREATE TABLE repeated (request_id TEXT PRIMARY KEY)")
    if store.execute(_REPEATED).rowcount < 1:
        return
    store.execute(_TABLE.format(name="merged", key="PRIMARY KEY"))
    store.execute(_MERGE)
    store.execute(f"DELETE FROM call WHERE {_IS_REPEATED}")  # noqa: S608 - a constant
    store.execute("INSERT INTO call SELECT * FROM merged")


def _values(rows: Iterable[Read], found: Staged) -> Iterator[CallRow]:
    for number, call in rows:
        if isinstance(call, CallRow):
            found.rows += 1
            yield call
        else:
            found.unreadable.add(number, call)
