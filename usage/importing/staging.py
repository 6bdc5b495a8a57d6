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
from typing import Any

from archive_site.lib.stored_message import Message
from usage.importing.file_format import Read
from usage.incoming_record import IncomingRecord, unsaid_of

EXAMPLES = 5
# Records that are compared or stored at once.
PAGE = 1000
_SETTINGS = (
    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536; "
    "PRAGMA temp_store=FILE"
)
_TABLE = """
    CREATE TABLE call (request_id TEXT PRIMARY KEY, credits INTEGER, model TEXT, client TEXT, ts TEXT, prompt TEXT,
    truncated INTEGER, purpose TEXT)"""
# NULL in `model`, `client` and `truncated`: the row does not have it.
_MORE_COMPLETE = """
    (excluded.prompt <> '' AND CASE WHEN prompt <> '' AND COALESCE(excluded.truncated, 0) <> COALESCE(truncated, 0)
    THEN COALESCE(truncated, 0) ELSE length(excluded.prompt) > length(prompt) END)"""
_KEEP = f"""
    INSERT INTO call VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (request_id) DO UPDATE SET
    credits = excluded.credits, ts = excluded.ts,
    model = COALESCE(excluded.model, model), client = COALESCE(excluded.client, client),
    prompt = CASE WHEN {_MORE_COMPLETE} THEN excluded.prompt ELSE prompt END,
    truncated = CASE WHEN {_MORE_COMPLETE} THEN excluded.truncated ELSE truncated END,
    purpose = CASE WHEN excluded.purpose <> '' THEN excluded.purpose ELSE purpose END"""  # noqa: S608 - a constant
# By time: an index whose entries come in their order is written once.
_IN_ORDER = "SELECT request_id, credits, model, client, ts, prompt, truncated, purpose FROM call ORDER BY ts"


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
                yield [_record(*row) for row in rows]


@contextmanager
def staged(rows: Iterable[Read], folder: Path) -> Iterator[Staged]:
    """The records of these rows in a file in `folder`, which the caller removes."""
    with closing(sqlite3.connect(folder / "calls.sqlite3", isolation_level=None)) as store:
        store.executescript(f"{_SETTINGS}; {_TABLE}")
        found = Staged(store)
        store.execute("BEGIN")
        store.executemany(_KEEP, _values(rows, found))
        store.execute("CREATE INDEX by_time ON call (ts)")
        store.execute("COMMIT")
        [(found.calls,)] = store.execute("SELECT COUNT(*) FROM call")
        yield found


def _values(rows: Iterable[Read], found: Staged) -> Iterator[tuple[Any, ...]]:
    for number, record in rows:
        if isinstance(record, Message):
            found.unreadable.add(number, record)
            continue
        found.rows += 1
        unsaid = record.unsaid
        yield (
            record.request_id,
            record.credits_micro,
            None if "model" in unsaid else record.model,
            None if "client" in unsaid else record.client,
            record.ts,
            record.prompt,
            None if "prompt_truncated" in unsaid else record.prompt_truncated,
            record.agent_purpose,
        )


def _record(
    request_id: str, credits: int, model: str | None, client: str | None, ts: str, prompt: str, truncated: int | None,
    purpose: str,
) -> IncomingRecord:  # fmt: skip
    unsaid = unsaid_of(model is None, client is None, truncated is None)
    values = (request_id, credits, model or "", client or "", ts, prompt, bool(truncated), purpose)
    return IncomingRecord(*values, unsaid=unsaid)
