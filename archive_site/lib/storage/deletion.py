"""Deleting many rows in parts, so that others write between them: docs/decisions/store.md#long-writes-in-parts."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet, Value
from django.db.models.functions import Length

from archive_site.lib.storage.write_parts import Parts

# The most rows of a part.
ROWS = 1000
# What a row counts beside the characters of its text.
_OF_A_ROW = 200


def parts_by_text() -> Parts:
    """Parts whose size counts characters: a row takes as long as its text is."""
    return Parts(200_000, least=_OF_A_ROW, most=20_000_000)


def delete_in_parts(rows: "QuerySet[Any]", text: str = "") -> Iterator[int]:
    """Delete these rows with what depends on them, part by part; gives the number of rows after each part.

    `text` names the column whose texts may be long. Raises OperationalError where the store stays locked.
    """
    parts = parts_by_text()
    while True:
        # Found before the part, so that no writer waits for it.
        keys, amount = first_rows(rows.values_list("pk", Length(text) if text else Value(0))[:ROWS], parts.size)
        if not keys:
            return
        with parts.part(amount):
            # By the keys alone: with other conditions SQLite would search again.
            rows.model._base_manager.filter(pk__in=keys).delete()
        yield len(keys)


def first_rows(lengths: Iterable[tuple[Any, int]], size: int) -> tuple[list[Any], int]:
    """The keys of the first rows that a part of this size has room for, at least one, and the size of these rows.

    `lengths` gives the key of each row and the characters of its text.
    """
    keys: list[Any] = []
    amount = 0
    for key, length in lengths:
        if keys and amount + length + _OF_A_ROW > size:
            break
        keys.append(key)
        amount += length + _OF_A_ROW
    return keys, amount
