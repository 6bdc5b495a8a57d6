"""Rows on SQLite: one statement for each, since none has to travel."""

from collections.abc import Sequence
from typing import Any

from archive_site.lib.storage.sql import execute_many, fetch, marks
from usage.row_writes.columns import CHANGED, INSERTED, KEY, MEASURES, RecordRow

_INSERT = f"INSERT INTO usage_record ({', '.join(INSERTED)}) VALUES ({marks(INSERTED)})"  # noqa: S608 - names of a constant
_UPDATE = (
    f"UPDATE usage_record SET {', '.join(f'{column} = %s' for column in CHANGED)} "  # noqa: S608 - names of a constant
    f"WHERE {' AND '.join(f'{column} = %s' for column in KEY)}"
)
_STORE_PROMPT = """
    INSERT INTO usage_prompt (record_id, text) VALUES (%s, %s)
    ON CONFLICT (record_id) DO UPDATE SET text = excluded.text"""
_STORE_MEASURES = (
    f"INSERT INTO usage_recordmeasures ({', '.join(MEASURES)}) VALUES ({marks(MEASURES)}) "  # noqa: S608 - names of a constant
    f"ON CONFLICT (record_id) DO UPDATE SET {', '.join(f'{column} = excluded.{column}' for column in MEASURES)}"
)


def insert_records(archive_id: int, rows: Sequence[RecordRow]) -> dict[str, int]:
    """Insert new records of an account. Return their ids by request id."""
    if not rows:
        return {}
    [(before,)] = fetch("SELECT COALESCE(MAX(id), 0) FROM usage_record")
    execute_many(_INSERT, rows)
    # `user_id + 0` keeps SQLite from scanning the account's whole index instead of the newest rows.
    return dict(
        fetch("SELECT request_id, id FROM usage_record WHERE id > %s AND user_id + 0 = %s", [before, archive_id])
    )


def update_records(rows: Sequence[RecordRow]) -> None:
    execute_many(_UPDATE, [(*row[len(KEY) :], *row[: len(KEY)]) for row in rows])


def store_prompts(rows: Sequence[tuple[int, str]]) -> None:
    """Store prompts by the ids of their records."""
    execute_many(_STORE_PROMPT, rows)


def store_measures(rows: Sequence[tuple[Any, ...]]) -> None:
    """Store measures by the ids of their records."""
    execute_many(_STORE_MEASURES, rows)


insert_prompts = store_prompts
