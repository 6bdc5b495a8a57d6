"""What changed in an archive since a place in its history."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from archive_site.lib.http.answer_types import as_json
from archive_site.lib.storage.sql import fetch
from usage import horizon
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import CREDITS, Unit
from usage.change_log.place import END, Place
from usage.change_log.writes import last_number
from usage.filter_sql import records_of_ids
from usage.prompt_privacy.shown_text import SHOWN
from usage.record_payloads import measured_call, number_of
from usage.record_types import ChangedRecord, Changes
from usage.stored_measures import JOINED, SELECTED, measures_of

_CHANGES = """
    SELECT record_id, number, first FROM usage_recordchange
    WHERE user_id = %s AND (number, record_id) > (%s, %s) AND number <= %s ORDER BY number, record_id LIMIT %s"""
_REMOVED = """
    SELECT request_id FROM usage_removedrecord WHERE user_id = %s AND number > %s AND number <= %s ORDER BY id"""


# Records whose prompts are in memory at once.
_AT_ONCE = 50


def changes_since(place: Place, size: int, *, measured: bool = False) -> dict[str, Any]:
    """At most `size` records that came or changed after a place, in the order of their last change, and what was
    removed meanwhile: the fields of `Changes`, whose records are read while they are written. `measured` adds
    their measures."""
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
    fields: dict[str, Any] = as_json(
        Changes(removed, [], [], horizon.calls_from(archive_id) or None, following.as_text(), more)
    )
    return fields | {
        "added": _records(archive_id, added, measured=measured),
        "changed": _records(archive_id, changed, measured=measured),
    }


def _records(archive_id: int, ids: list[int], *, measured: bool) -> Iterator[ChangedRecord]:
    unit = unit_of(archive_id)
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        found = _found(archive_id, some, unit, measured=measured)
        # That a record is removed at this moment is in a later answer.
        yield from (found[record_id] for record_id in some if record_id in found)


def _found(
    archive_id: int, ids: list[int], unit: Unit = CREDITS, *, measured: bool = False
) -> dict[int, ChangedRecord]:
    where = records_of_ids(archive_id, ids, "r")
    columns, joined = (f", {', '.join(SELECTED)}", JOINED) if measured else ("", "")
    rows = fetch(
        "SELECT r.id, r.request_id, r.credits, r.model, r.client, r.ts, r.agent_purpose, r.prompt_truncated, "  # noqa: S608 - placeholders only, bound values
        f"{SHOWN}{columns} FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id {joined} "
        f"WHERE {where.conditions} AND r.day >= {horizon.CALLS_FROM}",
        [*where.values, archive_id],
    )
    return {row[0]: _changed(unit, *row[1:]) for row in rows}


def _changed(
    unit: Unit, request_id: str, spent: int, model: str, client: str, ts: str, purpose: str, truncated: bool,
    prompt: str, *beside: Any,
) -> ChangedRecord:  # fmt: skip
    measures = measures_of(*beside) if beside else None
    more = measured_call(unit, spent, measures) if beside else {}
    number = number_of(unit, spent, measures)
    return ChangedRecord(request_id, number, model, client, ts, purpose, bool(truncated), prompt, **more)
