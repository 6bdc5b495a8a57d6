"""The short form of records, for `/api/top` and `/api/bundle` only (docs/api.md#short-form-of-a-record).

It is written as JSON in pieces: thousands of objects at once take several times the memory
(docs/decisions/records.md#large-answers-in-pieces).
"""

from collections.abc import Iterator
from typing import Any

from django.db import connection
from msgspec import Raw
from msgspec.json import Encoder

from archive_site.lib.http.answer_types import as_json
from archive_site.lib.http.json_views import JsonText
from archive_site.lib.storage.sql import SqlRow, fetch, marks
from usage import horizon
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.filter_sql import records_by_time, sorting
from usage.filters import NEWEST_FIRST, RecordFilters, order_named
from usage.measure_types import MeasuredCall
from usage.prompt_privacy.shown_text import SHOWN
from usage.record_lists import page_ids
from usage.record_payloads import json_text, measured_call, number_of
from usage.stored_measures import JOINED, SELECTED, measures_of

EXCERPT = 120  # characters of a prompt
# The database cuts the excerpt: whole prompts would be most of the bytes.
_FIELDS = (
    f"SELECT id, request_id, credits, model, client, ts, SUBSTR({SHOWN}, 1, {EXCERPT}) "  # noqa: S608 - a constant
    "FROM usage_record LEFT JOIN usage_prompt p ON p.record_id = id "
)
_WITH_MEASURES = (
    f"SELECT r.id, request_id, credits, model, client, ts, SUBSTR({SHOWN}, 1, {EXCERPT}), "  # noqa: S608 - constants
    f"{', '.join(SELECTED)} FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id {JOINED} "
)
_ROWS_A_PIECE = 500
# It writes texts as `json` does, in a third of the time; numbers otherwise, so they are given as written.
_written = Encoder().encode


def top(archive_id: int, filters: RecordFilters, n: int, *, measured: bool = False) -> JsonText:
    """The `n` most expensive records; ties by time, then request id, newest first. `measured` adds their measures."""
    kept = horizon.of_kept_calls(archive_id, filters)
    return in_order(archive_id, page_ids.top(archive_id, kept, n) if kept else [], measured=measured)


def in_order(archive_id: int, ids: list[int], *, measured: bool = False) -> JsonText:
    """The records of an archive with these ids, in the same order, without those that no longer exist."""
    if not ids:
        return JsonText("[]")
    unit = unit_of(archive_id)
    found = {row[0]: row[1:] for row in _rows(f"WHERE id IN ({marks(ids)})", ids, measured=measured)}
    return JsonText(_written([_short(unit, *found[pk]) for pk in ids if pk in found]).decode())


def newest_pieces(archive_id: int, filters: RecordFilters, most: int, *, measured: bool = False) -> Iterator[bytes]:
    """The JSON of the newest `most` records that the filters select, newest first."""
    kept = horizon.of_kept_calls(archive_id, filters)
    if kept is None:
        yield b"[]"
        return
    where = records_by_time(archive_id, kept)
    rest = f"WHERE {where.conditions} ORDER BY {sorting(order_named(NEWEST_FIRST))} LIMIT %s"
    unit, before = unit_of(archive_id), b"["
    with connection.cursor() as cursor:
        cursor.execute(_WITH_MEASURES + rest if measured else _FIELDS + rest, [*where.values, most])
        while rows := cursor.fetchmany(_ROWS_A_PIECE):
            yield before + _written([_short(unit, *row[1:]) for row in rows])[1:-1]
            before = b","
    yield b"[]" if before == b"[" else b"]"


def _rows(rest: str, values: list[Any], *, measured: bool = False) -> list[SqlRow]:
    """The id of each record and the fields of its short form."""
    return fetch((_WITH_MEASURES if measured else _FIELDS) + rest, values)


def _short(
    unit: Unit, request_id: str, spent: int, model: str, client: str, ts: str, excerpt: str, *beside: Any
) -> dict[str, Any]:
    number = Raw(str(unit.number(spent)).encode())
    row = {"id": request_id, "c": number, "m": model, "cl": client, "t": ts, "px": excerpt}
    if beside:
        measures = measures_of(*beside)
        row["c"] = _as_written(number_of(unit, spent, measures))
        more = as_json(MeasuredCall(**measured_call(unit, spent, measures)))
        row |= {name: _as_written(value) for name, value in more.items()}
    return row


def _as_written(value: object) -> Raw:
    return Raw(json_text(value).encode())
