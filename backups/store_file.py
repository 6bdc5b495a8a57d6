"""The SQLite file of a store that is not the live one: its tables, counters and times."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple


class Table(NamedTuple):
    """A table, its columns, and those of its primary key."""

    name: str
    columns: list[str]
    key: list[str]


def opened_to_change(path: Path) -> sqlite3.Connection:
    store = sqlite3.connect(path, isolation_level=None)
    store.execute("PRAGMA trusted_schema=OFF")
    # If anything fails, this store is thrown away, so it need not survive a crash of the machine.
    store.execute("PRAGMA journal_mode=MEMORY")
    store.execute("PRAGMA synchronous=OFF")
    return store


def instant(at: datetime) -> str:
    """A time as Django writes it to SQLite."""
    return str(at.astimezone(UTC).replace(tzinfo=None))


def tables(store: sqlite3.Connection) -> list[Table]:
    """The tables with data of their own. The search index is left out: it follows from the prompts."""
    made = store.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
    statements: dict[str, str] = dict(made.fetchall())
    virtual = tuple(name for name, sql in statements.items() if sql.startswith("CREATE VIRTUAL TABLE"))
    # The parts of a virtual table are tables whose names begin with its name.
    return [_table(store, name) for name in sorted(statements) if not name.startswith(virtual or "\0")]


def counters(store: sqlite3.Connection, where: str = "main") -> dict[str, int]:
    """The highest id that was ever given, by table, in the file or in one that is attached."""
    return dict(store.execute(f"SELECT name, CAST(seq AS INTEGER) FROM {where}.sqlite_sequence").fetchall())  # noqa: S608 - a constant


def set_counters(store: sqlite3.Connection, highest: dict[str, int]) -> None:
    store.execute("DELETE FROM main.sqlite_sequence")
    store.executemany("INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)", list(highest.items()))


@contextmanager
def without_indexes(store: sqlite3.Connection) -> Iterator[None]:
    """Drop the indexes for the block and create them again after it, to the letter: rows are added faster."""
    indexes = store.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql <> ''").fetchall()
    for name, _ in indexes:
        store.execute(f'DROP INDEX "{name}"')
    yield
    for _, sql in indexes:
        store.execute(sql)


def _table(store: sqlite3.Connection, name: str) -> Table:
    columns = store.execute("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", [name]).fetchall()
    key = sorted((number, column) for column, number in columns if number)
    return Table(name, [column for column, _ in columns], [column for _, column in key])
