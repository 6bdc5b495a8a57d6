"""The records of a file in a private SQLite file, one for each call, until they are counted or stored.

The file outlives its process, so that another one can go on storing (docs/decisions/files.md#imports-go-in-parts). A
call that comes twice in a file is merged as a call that the collector sees twice: the later values stay, and only a
more complete prompt replaces a prompt (docs/decisions/records.md#a-record-that-is-seen-again).
"""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from archive_site.lib.stored_message import Message
from usage.amounts.units import CREDITS, Unit
from usage.importing.call_row import CallRow, LeftOut
from usage.importing.file_format import EXAMPLES, Read
from usage.incoming.record import MISSING, IncomingRecord
from usage.incoming.values_that_stay import is_mangled, is_rounded

# Records that are compared or stored by the same statements.
PAGE = 1000
_NAME = "calls.sqlite3"
_SETTINGS = (
    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536; "
    "PRAGMA temp_store=FILE"
)
# The columns of `CallRow`, after the number of the row.
# `unsaid` is what the rows name `missing`. It keeps its name: an earlier version may have staged the file.
_COLUMNS = "request_id, credits, model, client, ts, prompt, truncated, purpose, unsaid"
_TABLE = """
    CREATE TABLE {name} (row INTEGER, request_id TEXT {key}, credits INTEGER, model TEXT, client TEXT, ts TEXT,
    prompt TEXT, truncated INTEGER, purpose TEXT, unsaid INTEGER)"""
# What few files have beside the calls. An earlier version may have staged the file without it.
_MEASURES = "CREATE TABLE IF NOT EXISTS measured (request_id TEXT PRIMARY KEY, measures TEXT) WITHOUT ROWID"
_KEEP_MEASURES = "INSERT OR REPLACE INTO measured VALUES (?, ?)"
# How often each key came so far.
_NUMBERS = "CREATE TABLE numbers (key TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID"
_NUMBER = """
    INSERT INTO numbers VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET number = number + 1 RETURNING number"""
_KEEP = "INSERT INTO call VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_REPEATED = "INSERT INTO repeated SELECT request_id FROM call GROUP BY request_id HAVING COUNT(*) > 1"
_IS_REPEATED = "request_id IN (SELECT request_id FROM repeated)"
# Line breaks of two characters make a prompt no longer.
_LENGTH = "length(replace({prompt}, char(13, 10), char(10)))"
_IS_LONGER = f"{_LENGTH.format(prompt='excluded.prompt')} > {_LENGTH.format(prompt='prompt')}"
_MORE_COMPLETE = f"""
    (excluded.prompt <> '' AND CASE WHEN prompt <> '' AND excluded.truncated <> truncated
    THEN truncated ELSE {_IS_LONGER} END)"""
_ROUNDED = f"({{later}}.unsaid & {MISSING['credits']} AND is_rounded({{later}}.credits, {{kept}}credits))"
_IS_ROUNDED = _ROUNDED.format(later="excluded", kept="")
_SAME_MINUTE = f"(excluded.unsaid & {MISSING['ts']} AND substr(excluded.ts, 1, 16) = substr(ts, 1, 16))"


def _richer(field: str, column: str) -> str:
    """The later value of a column, but the earlier one where the later row does not say it."""
    is_kept = f"(excluded.unsaid & {MISSING[field]} AND {column} <> '') OR is_mangled(excluded.{column}, {column})"
    return f"{column} = CASE WHEN {is_kept} THEN {column} ELSE excluded.{column} END"


def _differs(field: str, column: str) -> str:
    """Whether a row says something else than its call."""
    return (
        f"(call.{column} <> merged.{column} AND NOT call.unsaid & {MISSING[field]} "
        f"AND NOT is_mangled(call.{column}, merged.{column}))"
    )


_MERGE = f"""
    INSERT INTO merged SELECT row, {_COLUMNS} FROM call WHERE {_IS_REPEATED} ORDER BY rowid
    ON CONFLICT (request_id) DO UPDATE SET
    row = excluded.row, credits = CASE WHEN {_IS_ROUNDED} THEN credits ELSE excluded.credits END,
    {_richer("model", "model")}, {_richer("client", "client")},
    ts = CASE WHEN {_SAME_MINUTE} THEN ts ELSE excluded.ts END,
    prompt = CASE WHEN {_MORE_COMPLETE} THEN excluded.prompt ELSE prompt END,
    truncated = CASE WHEN {_MORE_COMPLETE} THEN excluded.truncated ELSE truncated END,
    {_richer("agent_purpose", "purpose")},
    unsaid = (unsaid & excluded.unsaid & {MISSING["model"] | MISSING["client"] | MISSING["agent_purpose"]})
    | (CASE WHEN {_MORE_COMPLETE} THEN excluded.unsaid ELSE unsaid END
    & {MISSING["prompt_truncated"] | MISSING["prompt"]})
    | (CASE WHEN {_IS_ROUNDED} THEN unsaid ELSE excluded.unsaid END & {MISSING["credits"]})
    | (CASE WHEN {_SAME_MINUTE} THEN unsaid ELSE excluded.unsaid END & {MISSING["ts"]})
    | ((unsaid | excluded.unsaid) & {MISSING["instant"]})"""  # noqa: S608 - constants
_SUMS_OF_DAYS = "SELECT substr(ts, 1, 10), model, measures FROM call JOIN measured USING (request_id) ORDER BY ts"
# Rows whose values are not those of their call: another one wins.
_LOSING = f"""
    FROM call JOIN merged USING (request_id) WHERE call.row <> merged.row AND (
    (call.credits <> merged.credits AND NOT {_ROUNDED.format(later="call", kept="merged.")})
    OR substr(call.ts, 1, 16) <> substr(merged.ts, 1, 16)
    OR (call.ts <> merged.ts AND NOT call.unsaid & {MISSING["ts"]})
    OR {_differs("model", "model")} OR {_differs("client", "client")} OR {_differs("agent_purpose", "purpose")}
    OR (call.prompt <> '' AND substr(merged.prompt, 1, length(call.prompt)) <> call.prompt
    AND replace(call.prompt, char(13, 10), char(10)) <> replace(merged.prompt, char(13, 10), char(10))
    AND NOT call.truncated))"""
_COMPARED = "{table}.credits, {table}.ts, {table}.model, {table}.client, {table}.purpose, {table}.prompt"
# By time: an index whose entries come in their order is written once. The order is the same each time.
_IN_ORDER = f"""
    SELECT {_COLUMNS}, COALESCE((SELECT measures FROM measured m WHERE m.request_id = call.request_id), '')
    FROM call ORDER BY ts, rowid LIMIT -1 OFFSET ?"""  # noqa: S608 - a constant


class StagedFileGone(Exception):
    """The file of an earlier process is missing, or was not written to its end."""


@dataclass
class Unreadable:
    """The rows that are left out: their number, and the first of each reason."""

    count: int = 0
    examples: list[tuple[int, LeftOut]] = field(default_factory=list)
    _reasons: Counter[str] = field(default_factory=Counter)

    def add(self, number: int, row: LeftOut) -> None:
        self.count += 1
        self._reasons[row.why.code] += 1
        if self._reasons[row.why.code] <= EXAMPLES:
            self.examples.append((number, row))


@dataclass
class Staged:
    """The records of a file; `rows` counts the readable rows, also those of a call that came before.

    `conflicting` counts rows with other values than a later row of the same call; `conflicts` has some, by id.
    """

    store: sqlite3.Connection
    rows: int = 0
    calls: int = 0
    conflicting: int = 0
    conflicts: list[tuple[str, list[Message]]] = field(default_factory=list)
    unreadable: Unreadable = field(default_factory=Unreadable)

    @property
    def repeated(self) -> int:
        """Rows that say the same as another one of their call."""
        return self.rows - self.calls - self.conflicting

    def records(self, skip: int = 0) -> Generator[IncomingRecord]:
        """The records by time, without the first ones."""
        with closing(self.store.execute(_IN_ORDER, [skip])) as found:
            while rows := found.fetchmany(PAGE):
                yield from (CallRow(*row).record() for row in rows)

    def sums_of_days(self) -> Generator[tuple[str, str, str]]:
        """The day, the model and the sums of each row of bills, as `ServiceReader` has written them, by day."""
        yield from self.store.execute(_SUMS_OF_DAYS)

    def span(self) -> tuple[str, str]:
        """The times of the first and of the last call."""
        [(first, last)] = self.store.execute("SELECT MIN(ts), MAX(ts) FROM call")
        return first, last

    def give_memory_back(self) -> None:
        """Hold no pages in memory until something is read again."""
        self.store.execute("PRAGMA shrink_memory")

    def keep(self, folder: Path, about: Mapping[str, Any]) -> None:
        """Write the file in `folder` to the disk for `reopened`, together with what the caller needs then."""
        counts = [self.rows, self.calls, self.conflicting, self.unreadable.count]
        self.store.execute("CREATE TABLE about (counts TEXT, about TEXT)")
        self.store.execute("INSERT INTO about VALUES (?, ?)", [json.dumps(counts), json.dumps(about)])
        with (folder / _NAME).open("rb") as file:
            os.fsync(file.fileno())


@contextmanager
def staged(rows: Iterable[Read], folder: Path, unit: Unit = CREDITS, *, are_keyed: bool = False) -> Iterator[Staged]:
    """The records of these rows in a file in `folder`, which the caller removes; amounts are of this unit.

    Rows that `are_keyed` by what they hold are calls of their own, also equal ones, and get numbers.
    """
    with closing(sqlite3.connect(folder / _NAME, isolation_level=None)) as store:
        for compared in (is_rounded, is_mangled):
            store.create_function(compared.__name__, 2, compared, deterministic=True)
        store.executescript(f"{_SETTINGS}; {_TABLE.format(name='call', key='')}; {_MEASURES}; {_NUMBERS}")
        found = Staged(store)
        store.execute("BEGIN")
        store.executemany(_KEEP, _values(_numbered(rows, store) if are_keyed else rows, found))
        store.execute("DROP TABLE numbers")
        _merge_repeated(found, unit)
        store.execute("CREATE INDEX by_time ON call (ts)")
        store.execute("COMMIT")
        [(found.calls,)] = store.execute("SELECT COUNT(*) FROM call")
        yield found


@contextmanager
def reopened(folder: Path) -> Iterator[tuple[Staged, dict[str, Any]]]:
    """The file that another process kept in `folder`, without examples, and what it said about it.

    Raises StagedFileGone.
    """
    try:
        store = sqlite3.connect(f"{(folder / _NAME).as_uri()}?mode=rw", uri=True, isolation_level=None)
    except sqlite3.Error:
        raise StagedFileGone from None
    with closing(store):
        try:
            store.executescript(f"{_SETTINGS}; {_MEASURES}")
            [(counts, about)] = store.execute("SELECT counts, about FROM about")
        except (sqlite3.Error, ValueError):
            raise StagedFileGone from None
        rows, calls, conflicting, unreadable = json.loads(counts)
        yield Staged(store, rows, calls, conflicting, unreadable=Unreadable(unreadable)), json.loads(about)


def _merge_repeated(found: Staged, unit: Unit) -> None:
    """Leave one row for each call."""
    store = found.store
    # An index is built faster than a key is checked at each insert.
    store.execute("CREATE INDEX by_id ON call (request_id)")
    store.execute("CREATE TABLE repeated (request_id TEXT PRIMARY KEY)")
    if store.execute(_REPEATED).rowcount < 1:
        return
    store.execute(_TABLE.format(name="merged", key="PRIMARY KEY"))
    store.execute(_MERGE)
    [(found.conflicting,)] = store.execute(f"SELECT COUNT(*) {_LOSING}")
    losing = store.execute(
        f"SELECT request_id, call.row, merged.row, {_COMPARED.format(table='call')}, "  # noqa: S608 - constants
        f"{_COMPARED.format(table='merged')} {_LOSING} ORDER BY call.row LIMIT {EXAMPLES}"
    )
    found.conflicts = [_conflict(unit, *values) for values in losing]
    store.execute(f"DELETE FROM call WHERE {_IS_REPEATED}")  # noqa: S608 - a constant
    store.execute("INSERT INTO call SELECT * FROM merged")


def _conflict(unit: Unit, request_id: str, row: int, winner: int, *values: Any) -> tuple[str, list[Message]]:
    names = ("ts", "model", "client", "purpose")
    half = len(values) // 2
    credits, *texts, prompt = values[:half]
    kept_credits, *kept_texts, kept_prompt = values[half:]
    has = [Message("credits_are", credits=unit.text(credits))] if credits != kept_credits else []
    has += [
        Message("value_is", name=name, value=repr(text))
        for name, text, kept in zip(names, texts, kept_texts, strict=True)
        if text != kept
    ]
    if prompt not in ("", kept_prompt):
        # The lines of a run never have a prompt.
        has.append(Message("prompt_is", count=len(prompt)))
    return request_id, [Message("import_row_has", row=row, values=has), Message("import_row_wins", row=winner)]


def _numbered(rows: Iterable[Read], store: sqlite3.Connection) -> Iterator[Read]:
    """The rows, whose keys say how many equal ones came before."""
    for number, call in rows:
        if isinstance(call, CallRow):
            [(place,)] = store.execute(_NUMBER, [call.request_id])
            call = call._replace(request_id=f"{call.request_id}:{place}")
        yield number, call


def _values(rows: Iterable[Read], found: Staged) -> Iterator[tuple[Any, ...]]:
    for number, call in rows:
        if isinstance(call, CallRow):
            found.rows += 1
            if call.measures:
                found.store.execute(_KEEP_MEASURES, [call.request_id, call.measures])
            yield number, *call[:-1]
        else:
            found.unreadable.add(number, call)
