"""The readable form of records: `/api/records`, pages, CSV (specification 2.1). `short_key_form` has the short one."""

import json
from typing import Any, NamedTuple

from archive_site.lib import clock
from usage.models import Record

MICRO = 1_000_000


class Listed(NamedTuple):
    """A record as lists have it; `prompt` is None where it was not asked for."""

    request_id: str
    credits: int
    model: str
    client: str
    ts: str
    prompt: str | None


def credits(micro: int | None) -> float:
    """Credits as a number, from whole millionths."""
    return (micro or 0) / MICRO


def average(micro: int, calls: int) -> float:
    """Credits of one call on average, to six decimals; 0 where there was no call."""
    return round(micro / calls / MICRO, 6) if calls else 0


def json_text(value: object) -> str:
    """A value as JSON without blanks, every character as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def readable(record: Listed) -> dict[str, Any]:
    """One item of a list of records; without its prompt where that was not asked for."""
    item = {
        "request_id": record.request_id,
        "credits": credits(record.credits),
        "model": record.model,
        "client": record.client,
        "ts": record.ts,
    }
    return item if record.prompt is None else {**item, "prompt": record.prompt}


def whole(record: Record) -> dict[str, Any]:
    """The whole stored row as a flat object."""
    listed = Listed(record.request_id, record.credits, record.model, record.client, record.ts, prompt_of(record))
    return {
        **readable(listed),
        "user_id": record.user_id,
        "day": record.day,
        "hour": record.hour,
        "agent_purpose": record.agent_purpose,
        "prompt_truncated": record.prompt_truncated,
        "first_seen_at": clock.local_text(record.first_seen_at),
        "updated_at": clock.local_text(record.updated_at),
        "run_id": record.run_id,
    }


def prompt_of(record: Record) -> str:
    # A record without prompt has no row beside it; select_related has told so already.
    return record.prompt.text if hasattr(record, "prompt") else ""
