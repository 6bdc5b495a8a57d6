"""The columns of a record that are written, each with its type on PostgreSQL."""

from typing import Any

from usage.stored_measures import TOKENS

RecordRow = tuple[Any, ...]

# What a newer call may change.
CHANGED = {
    "credits": "bigint",
    "model": "text",
    "client": "text",
    "ts": "text",
    "day": "text",
    "hour": "smallint",
    "agent_purpose": "text",
    "prompt_truncated": "boolean",
    "without_prompt": "boolean",
    "prompt_key": "bigint",
    "updated_at": "timestamptz",
}
KEY = {"user_id": "bigint", "request_id": "text"}
# The rows of `insert_records` have all of these; those of `update_records` the key and what is changed.
INSERTED = {**KEY, **CHANGED, "first_seen_at": "timestamptz", "run_id": "bigint"}
UPDATED = {**KEY, **CHANGED}
# The rows of `usage/stored_measures.py`.
MEASURES = {
    "record_id": "bigint",
    "provenance": "smallint",
    **dict.fromkeys(TOKENS, "bigint"),
    "at": "timestamptz",
    "status": "smallint",
    "young": "boolean",
}
