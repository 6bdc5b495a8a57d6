"""What tests of the search need: a plain LIKE to hold it against, and what the index holds beside what it should."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

from django.db import connection

from archive_site.lib.storage import engine
from tests.usage.record_factories import Rows, rows_of
from usage import prompt_match
from usage.filters import ORDERS, RecordFilters
from usage.search import engine_index as search_index
from usage.search import order_walk
from usage.search.postgres import plan as postgres_plan
from usage.search.sqlite import candidate_sort, credits_walk, plan
from usage.search.sqlite.terms import NARROW, WIDE, narrow_text, place, wide_text

_SAME = "TRANSLATE({}, U&'\\FFFE\\FFFF', U&'\\FFFD\\FFFD')"
_LIKE = (
    "p.text LIKE %s ESCAPE '\\'"
    if engine.IS_SQLITE
    else f'LOWER({_SAME.format("p.text")}) LIKE LOWER({_SAME.format("%s")} COLLATE "C")'
)
_TOKENIZERS = {NARROW: "trigram", WIDE: "ascii"}


@contextmanager
def limits(
    few: int, chunks_first: int = 0, *, walked_first: int = 0, walked: int = 0, spare: int = 0, long: int = 64
) -> Iterator[None]:
    """Use the search strategy of large archives: more than `few` candidates are not sorted at once.

    The search first walks `chunks_first` chunks of an order or `walked_first` entries of credits, then `walked` of
    these past entries that are not candidates. It first sorts `spare` more than are wanted. Texts of more than `long`
    characters are found by their bytes.
    """
    knobs: list[tuple[ModuleType, dict[str, Any]]] = [
        (postgres_plan, {"_CHUNKS_FIRST": chunks_first, "_RECORDS_FIRST": 100 * chunks_first, "_COMMON": few or 1}),
        (plan, {"_FEW": few, "_SORTED_FIRST": few}),
        (order_walk, {"_CHUNKS_FIRST": chunks_first}),
        (credits_walk, {"_WALKED_FIRST": walked_first, "_WALKED": walked}),
        (prompt_match, {"_LONG": long}),
        (candidate_sort, {"_SORTED": 1, "_SPARE": spare, "_WORTH_KEEPING": 1}),
    ]
    with ExitStack() as patched:
        for module, values in knobs:
            patched.enter_context(patch.multiple(module, **values))
        yield


def plain_like(user_id: int, filters: RecordFilters, order: str) -> list[int]:
    """The ids that plain LIKE finds, in order."""
    escaped = filters.text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    conditions = ["r.user_id = %s", _LIKE]
    values: list[Any] = [user_id, f"%{escaped}%"]
    for column, operator, value in (
        ("day", ">=", filters.days.first),
        ("day", "<=", filters.days.last),
    ):
        if value is not None:
            conditions.append(f"r.{column} {operator} %s")
            values.append(str(value))
    for column, names in filters.names.items():
        conditions.append("(" + " OR ".join(f"r.{column} = %s" for _ in names) + ")")
        values += names
    if filters.is_free is not None:
        conditions.append(f"r.credits {'=' if filters.is_free else '<>'} 0")
    if filters.has_prompt is not None:
        conditions.append("r.without_prompt" if not filters.has_prompt else "NOT r.without_prompt")
    if filters.credits_above is not None:
        conditions.append(f"r.credits > {filters.credits_above}")
    if filters.hour is not None:
        conditions.append(f"r.hour = {filters.hour}")
    by = ", ".join(f"r.{column[1:]} DESC" if column.startswith("-") else f"r.{column}" for column in ORDERS[order])
    query = (
        "SELECT r.id FROM usage_record r JOIN usage_prompt p ON p.record_id = r.id "
        f"WHERE {' AND '.join(conditions)} ORDER BY {by}"
    )
    return [row[0] for row in rows_of(query, *values)]


def index_contents() -> dict[str, Rows]:
    """Every term of both indexes, with the place of each prompt that contains it."""
    return {table: _terms(f"main, {table}", table) for table in _TOKENIZERS}


def index_made_afresh() -> dict[str, Rows]:
    """What both indexes should hold, from the prompts in the store."""
    prompts = rows_of(
        "SELECT r.user_id, r.day, r.id, p.text FROM usage_record r JOIN usage_prompt p ON p.record_id = r.id"
    )
    contents = {}
    for table, shaped in ((NARROW, narrow_text), (WIDE, wide_text)):
        with connection.cursor() as cursor:
            cursor.execute(
                f"CREATE VIRTUAL TABLE temp.afresh USING fts5(text, content='', detail=none, columnsize=0, "
                f"tokenize='{_TOKENIZERS[table]}')"
            )
            for user_id, day, record_id, text in prompts:
                cursor.execute(
                    "INSERT INTO temp.afresh (rowid, text) VALUES (%s, %s)",
                    [place(user_id, day, record_id), shaped(text)],
                )
            contents[table] = _terms("temp, afresh", table)
            cursor.execute("DROP TABLE temp.afresh")
    return contents


def check_integrity() -> None:
    """FTS5's integrity check of both tables. Raises DatabaseError if one is damaged."""
    with connection.cursor() as cursor:
        for table in _TOKENIZERS:
            cursor.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")


def tidied() -> None:
    while search_index.tidy():
        pass


def _terms(arguments: str, name: str) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE VIRTUAL TABLE temp.terms_of_{name} USING fts5vocab({arguments}, instance)")
        cursor.execute(f"SELECT DISTINCT term, doc FROM temp.terms_of_{name} ORDER BY 1, 2")
        rows = list(cursor.fetchall())
        cursor.execute(f"DROP TABLE temp.terms_of_{name}")
    return rows
