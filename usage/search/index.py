"""The search index over prompts, kept in the transaction that changes them. SQLite only: elsewhere nothing is kept.

Both tables are FTS5 without content of their own, so an entry is taken out by giving again what was put in: the
callers read the old text first, in the same transaction.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.core.management import CommandError
from django.db import OperationalError, connection, transaction

from archive_site.lib.storage.sql import execute, execute_many, fetch, marks
from usage.search.terms import NARROW, WIDE, narrow_text, place, wide_text

STEP = 1000
# Each table, its tokenizer, and what of a prompt it is given. The `ascii` one parts the terms at blanks and folds none.
_TABLES: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    (NARROW, "trigram", narrow_text),
    (WIDE, "ascii", wide_text),
)
# NOT INDEXED: by the key of the records, and so of the prompts, which no sorting has to wait for.
_NEXT_PROMPTS = """
    SELECT r.user_id, r.id, r.day, p.text FROM usage_record r NOT INDEXED CROSS JOIN usage_prompt p
    WHERE p.record_id = r.id AND r.id > %s ORDER BY r.id LIMIT %s"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A prompt as it is, or was, stored: its account, its record and that record's day, its text."""

    user_id: int
    record_id: int
    day: str
    text: str


def is_kept() -> bool:
    """Whether this database keeps the index."""
    return connection.vendor == "sqlite"


def create() -> None:
    """Make the index, empty. Raises CommandError where SQLite lacks what it takes."""
    if not is_kept():
        return
    for table, tokenizer, _ in _TABLES:
        try:
            execute(
                f"CREATE VIRTUAL TABLE {table} USING fts5(text, content='', detail=none, columnsize=0, "
                f"tokenize='{tokenizer}')"
            )
        except OperationalError as error:
            raise CommandError(f"The search index needs SQLite 3.34 or newer with FTS5: {error}.") from None


def drop() -> None:
    """Remove the index with all that is in it."""
    if is_kept():
        for table, _, _ in _TABLES:
            execute(f"DROP TABLE {table}")


def add(entries: Iterable[Entry]) -> None:
    """Put prompts into the index, in the caller's transaction. One that is there already is taken out before: twice
    in it, it would be found twice, and never be gone altogether."""
    _write(entries, "INSERT INTO {table} (rowid, text) VALUES (%s, %s)")


def remove(entries: Iterable[Entry]) -> None:
    """Take prompts out of the index, in the caller's transaction: exactly as they were put in."""
    _write(entries, "INSERT INTO {table} ({table}, rowid, text) VALUES ('delete', %s, %s)")


def stored(record_ids: list[int]) -> list[Entry]:
    """What the index was given of some records: their prompts as they are stored now."""
    if not record_ids or not is_kept():
        return []
    rows = fetch(
        "SELECT r.user_id, r.id, r.day, p.text FROM usage_record r JOIN usage_prompt p ON p.record_id = r.id "
        f"WHERE r.id IN ({marks(record_ids)})",
        record_ids,
    )
    return [Entry(*row) for row in rows]


def fill() -> None:
    """Put all prompts into an empty index; in steps, each a transaction of its own."""
    after, more = 0, is_kept()
    while more:
        with transaction.atomic(savepoint=False):
            entries = [Entry(*row) for row in fetch(_NEXT_PROMPTS, [after, STEP])]
            add(entries)
        after, more = (entries[-1].record_id, True) if entries else (after, False)


def tidy(pages: int = 500) -> bool:
    """Merge up to about so many pages of each table, in a transaction each; whether there is more to do.

    What was removed is gone for good only when this has said no. Then the index is at its smallest and fastest.
    """
    if not is_kept():
        return False
    merged = [_merge(table, pages) for table, _, _ in _TABLES]
    return any(merged)


def _merge(table: str, pages: int) -> bool:
    with transaction.atomic(savepoint=False):
        before = connection.connection.total_changes
        execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', %s)", [-pages])
        # FTS5's own sign of having done something: the statement itself counts one.
        return bool(connection.connection.total_changes - before >= 2)


def _write(entries: Iterable[Entry], statement: str) -> None:
    if not is_kept():
        return
    # Out of order, FTS5 would write out what it gathered at every step back.
    placed = sorted((place(entry.user_id, entry.day, entry.record_id), entry.text) for entry in entries)
    for table, _, shaped in _TABLES:
        rows = [(at, part) for at, text in placed if (part := shaped(text))]
        if rows:
            execute_many(statement.format(table=table), rows)
