"""What changed in an archive since a place in its history."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from archive_site.lib.http.answer_types import as_json
from archive_site.lib.storage.sql import fetch
from usage.change_log.place import END, Place
from usage.change_log.writes import last_number
from usage.filter_sql import records_of_ids
from usage.record_types import ChangedRecord, Changes
from usage.units import CREDITS, Unit, unit_of

_CHANGES = """
    SELECT record_id, number, first FROM usage_recordchange
    WHERE user_id = %s AND (number, record_id) > (%s, %s) AND number <= %s ORDER BY number, record_id LIMIT %s"""
_REMOVED = """
    SELECT request_id FROM usage_removedrecord WHERE user_id = %s AND number > %s AND number <= %s ORDER BY id"""


# Records whose prompts are in memory at once.
_AT_ONCE = 50


def changes_since(place: Place, size: int) -> dict[str, Any]:
    """At most `size` records that came or changed after a place, in the order of their last change, and what was
    removed meanwhile: the fields of `Changes`, of which the records are read while they are written."""
    archive_id = place.archive_id
    # Before the rows: what comes meanwhile is left to the next read.
    last = last_number(archive_id)
    rows = fetch(_CHANGES, [archive_id, place.number, place.record_id, last, size + 1])
    more, rows = len(rows) > size, rows[:size]
    following = (
        replace(place, number=rows[-1][1], record_id=rows[-1][0])
        if more
        else replace(place, number=last, record_id=END)
    )
    removed = [name for (name,) in fetch(_REMOVED, [archive_id, place.number, following.number])]
    added = [record_id for record_id, _, first in rows if (first, record_id) > (place.number, place.record_id)]
    known = {*added}
    changed = [record_id for record_id, *_ in rows if record_id not in known]
    fields: dict[str, Any] = as_json(Changes(removed, [], [], following.as_text(), more))
    return fields | {"added": _records(archive_id, added), "changed": _records(archive_id, changed)}


def _records(archive_id: int, ids: list[int]) -> Iterator[ChangedRecord]:
    unit = unit_of(archive_id)
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        found = _found(archive_id, some, unit)
        # That a record is removed at this moment is in a later answer.
        yield from (found[record_id] for record_id in some if record_id in found)


def _found(archive_id: int, ids: list[int], unit: Unit = CREDITS) -> dict[int, ChangedRecord]:
    where = records_of_ids(archive_id, ids, "r")
    rows = fetch(
        "SELECT r.id, r.request_id, r.credits, r.model, r.client, r.ts, r.agent_purpose, r.prompt_truncated, "  # noqa: S608 - placeholders only, bound values
        "COALESCE(p.text, '') FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id "
        f"WHERE {where.conditions}",
        where.values,
    )
    return {
        record_id: ChangedRecord(request_id, unit.number(spent), model, client, ts, purpose, bool(truncated), prompt)
        for record_id, request_id, spent, model, client, ts, purpose, truncated, prompt in rows
    }
