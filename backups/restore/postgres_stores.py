"""Two PostgreSQL stores, each in a schema of one database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from backups import postgres_store
from backups.postgres_store import Connection
from backups.restore.both_stores import BothStores


class PostgresStores(BothStores):
    """A new store in a schema of its own, and the live one, on a connection that finds the tables of the new one."""

    def __init__(self, connection: Connection, schema: str) -> None:
        self.connection = connection
        self.live = postgres_store.live_schema(connection)
        self.new = schema

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Nothing: the transaction that holds the live store is that of the switch, too."""
        yield

    def fetch(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return postgres_store.fetch(self.connection, statement, values)

    def execute(self, statement: str, values: Sequence[Any] = ()) -> None:
        postgres_store.execute(self.connection, statement, values)

    def instant(self, at: datetime) -> datetime:
        return at

    def counters(self, where: str) -> dict[str, int]:
        return postgres_store.counters(self.connection, where)

    def set_counters(self, highest: dict[str, int]) -> None:
        postgres_store.set_counters(self.connection, self.new, highest)

    def tables(self) -> list[str]:
        """The names of the new store's tables, quoted where they need to be."""
        query = "SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'r'"
        return [name for (name,) in self.fetch(f"{query} ORDER BY 1", [self.new])]

    def functions(self) -> list[str]:
        """The new store's functions with the types of their parameters."""
        query = """
            SELECT quote_ident(proname) || '(' || pg_get_function_identity_arguments(oid) || ')' FROM pg_proc
            WHERE pronamespace = %s::regnamespace"""
        return [name for (name,) in self.fetch(query, [self.new])]
