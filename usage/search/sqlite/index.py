"""The search index over prompts on SQLite, updated in the transaction that changes them.

Both tables are FTS5 tables without content, and removing an entry needs the exact text that was added: callers read
the old text first, in the same transaction (docs/decisions/search.md#removing-from-the-index).
"""

from collections.abc import Callable, Iterable

from django.core.management import CommandError
from django.db import OperationalError, connection, transaction

from archive_site.lib.storage.sql import execute, execute_many, fetch, marks
from usage.search.entry import Entry
from usage.search.sqlite.terms import NARROW, WIDE, narrow_text, place, wide_text

STEP = 1000
# Each table, its tokenizer and the function that gives its text. `ascii` splits at blanks and folds no wide character.
_TABLES: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    (NARROW, "trigram", narrow_text),
    (WIDE, "ascii", wide_text),
)
# NOT INDEXED: the records are read by their key, which is also the key of the prompts, so nothing is sorted.
_NEXT_PROMPTS = """
    SELECT r.user_id, r.id, r.day, p.text FROM usage_record r NOT INDEXED CROSS JOIN usage_prompt p
    WHERE p.record_id = r.id AND r.id > %s ORDER BY r.id LIMIT %s"""


def create() -> None:
    """Create the empty index. Raises CommandError where SQLite lacks a needed feature."""
    for table, tokenizer, _ in _TABLES:
        try:
            execute(
                f"CREATE VIRTUAL TABLE {table} USING fts5(text, content='', detail=none, columnsize=0, "
                f"tokenize='{tokenizer}')"
            )
        except OperationalError as error:
            raise CommandError(f"The search index needs SQLite 3.34 or newer with FTS5: {error}.") from None


def drop() -> None:
    """Remove the index with its entries."""
    for table, _, _ in _TABLES:
        execute(f"DROP TABLE {table}")


def add(entries: Iterable[Entry]) -> None:
    """Add prompts to the index, in the caller's transaction. Callers remove an entry before they add it again: a second
    entry would be found twice and could not be removed completely."""
    _write(entries, "INSERT INTO {table} (rowid, text) VALUES (%s, %s)")


def remove(entries: Iterable[Entry]) -> None:
    """Remove prompts from the index, in the caller's transaction. The entries must equal those that were added."""
    _write(entries, "INSERT INTO {table} ({table}, rowid, text) VALUES ('delete', %s, %s)")


def stored(record_ids: list[int]) -> list[Entry]:
    """The entries of these records: their prompts as they are stored now."""
    if not record_ids:
        return []
    rows = fetch(
        "SELECT r.user_id, r.id, r.day, p.text FROM usage_record r JOIN usage_prompt p ON p.record_id = r.id "  # noqa: S608 - placeholders only, bound values
        f"WHERE r.id IN ({marks(record_ids)})",
        record_ids,
    )
    return [Entry(*row) for row in rows]


def fill() -> None:
    """Add all prompts to an empty index, in steps of one transaction each."""
    after, more = 0, True
    while more:
        with transaction.atomic(savepoint=False):
            entries = [Entry(*row) for row in fetch(_NEXT_PROMPTS, [after, STEP])]
            add(entries)
        after, more = (entries[-1].record_id, True) if entries else (after, False)


def is_empty() -> bool:
    """Whether the index has no entry at all, as in the file of a store that comes from another engine."""
    return not any(fetch(f"SELECT 1 FROM {table}_idx LIMIT 1") for table, _, _ in _TABLES)  # noqa: S608 - constant parts


def tidy(pages: int = 500) -> bool:
    """Merge up to about `pages` pages of each table, in one transaction each. Return whether there is more to merge.

    Removed text is gone from the file only after this has returned False. Then the index is smallest and fastest.
    """
    merged = [_merge(table, pages) for table, _, _ in _TABLES]
    return any(merged)


def _merge(table: str, pages: int) -> bool:
    with transaction.atomic(savepoint=False):
        before = connection.connection.total_changes
        execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', %s)", [-pages])  # noqa: S608 - constant parts, bound values
        # FTS5 documents this check: the statement itself counts as one change, so two mean that it merged something.
        return bool(connection.connection.total_changes - before >= 2)


def _write(entries: Iterable[Entry], statement: str) -> None:
    # Sorted, because FTS5 flushes its pending entries whenever a rowid is lower than the last one.
    placed = sorted((place(entry.archive_id, entry.day, entry.record_id), entry.text) for entry in entries)
    for table, _, shaped in _TABLES:
        rows = [(at, part) for at, text in placed if (part := shaped(text))]
        if rows:
            execute_many(statement.format(table=table), rows)
