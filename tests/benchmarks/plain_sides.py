"""Plain SQL on each engine: psycopg and `COPY` on PostgreSQL, `sqlite3` and `executemany` on SQLite."""

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import psycopg

from tests.benchmarks.questions import POSTGRES, SQLITE

Rows = Sequence[Sequence[Any]]
# The columns of a record that are written, without its id, with their types on PostgreSQL.
COLUMNS = {
    "user_id": "bigint", "request_id": "text", "credits": "bigint", "model": "text", "client": "text", "ts": "text",
    "day": "text", "hour": "smallint", "agent_purpose": "text", "prompt_truncated": "boolean",
    "first_seen_at": "timestamptz", "updated_at": "timestamptz", "run_id": "bigint",
}  # fmt: skip
_ONE_TABLE = (
    f"CREATE TABLE plain_record ({', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())}, prompt text, "
    "UNIQUE (user_id, request_id))"
)
_TABLES = ("usage_record", "usage_prompt")


class Plain(Protocol):
    """A connection of its own to the store; statements have `%s` for values."""

    dialect: Mapping[str, str]

    def rows(self, statement: str, values: Sequence[object] = ()) -> Rows: ...

    def make_tables(self) -> None:
        """Create empty tables: copies of the two of records, with their indexes, and one with one index."""

    def write(self, *tables: tuple[str, Sequence[str], Rows]) -> None:
        """Add rows of these columns to these tables, in one transaction."""


class PlainPostgres:
    dialect: Mapping[str, str] = POSTGRES

    def __init__(self, url: str):
        self.connection = psycopg.connect(url, autocommit=True)

    def rows(self, statement: str, values: Sequence[object] = ()) -> Rows:
        return self.connection.execute(statement.encode(), values).fetchall()

    def make_tables(self) -> None:
        for table in _TABLES:
            self.connection.execute(f"DROP TABLE IF EXISTS copied_{table}".encode())
            self.connection.execute(f"CREATE TABLE copied_{table} (LIKE {table} INCLUDING ALL)".encode())
        self.connection.execute("DROP TABLE IF EXISTS plain_record")
        self.connection.execute(_ONE_TABLE.encode())

    def write(self, *tables: tuple[str, Sequence[str], Rows]) -> None:
        with self.connection.transaction(), self.connection.cursor() as cursor:
            for table, columns, rows in tables:
                with cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()) as copying:
                    for row in rows:
                        copying.write_row(row)


class PlainSqlite:
    """The tables to write are in a file beside the store. Their prompts have no search index: it is not SQL's."""

    dialect: Mapping[str, str] = SQLITE

    def __init__(self, store: Path):
        self._made_of = store
        self._written = store.with_name("plain.sqlite3")
        self._reads = sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)

    def rows(self, statement: str, values: Sequence[object] = ()) -> Rows:
        return self._reads.execute(statement.replace("%s", "?"), values).fetchall()

    def make_tables(self) -> None:
        self._written.unlink(missing_ok=True)
        self._writes = sqlite3.connect(self._written, isolation_level=None)
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL"):
            self._writes.execute(f"PRAGMA {pragma}")
        for table in _TABLES:
            made = self._reads.execute("SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql <> ''", [table])
            for (statement,) in made.fetchall():
                self._writes.execute(statement.replace(f'"{table}"', f'"copied_{table}"'))
        self._writes.execute(_ONE_TABLE)

    def write(self, *tables: tuple[str, Sequence[str], Rows]) -> None:
        self._writes.execute("BEGIN IMMEDIATE")
        for table, columns, rows in tables:
            marks = ", ".join("?" * len(columns))
            self._writes.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)
        self._writes.execute("COMMIT")
