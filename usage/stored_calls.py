"""Reads calls of an archive for comparisons with the source, as tuples and without prompts."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from archive_site.lib.storage.sql import fetch
from usage.filter_sql import records_of_ids
from usage.models import DayTotal, Record

# SQLite binds a limited number of values in a query.
CHUNK = 500
_ROWS = "SELECT id, request_id, credits, model, client, ts FROM usage_record WHERE {where} ORDER BY ts, id"


class StoredCall(NamedTuple):
    """One record: its row, and what the source bills."""

    pk: int
    request_id: str
    credits: int
    model: str
    client: str
    ts: str


def of_days(archive_id: int, first: date, last: date) -> dict[str, StoredCall]:
    """The calls of a span of days, by request id."""
    found = Record.objects.filter(archive_id=archive_id, day__range=[first.isoformat(), last.isoformat()])
    return {row[1]: StoredCall(*row) for row in found.values_list(*StoredCall._fields).iterator()}


def with_request_ids(archive_id: int, request_ids: Sequence[str]) -> dict[str, StoredCall]:
    """Those of the calls that the archive has, by request id."""
    found: dict[str, StoredCall] = {}
    for start in range(0, len(request_ids), CHUNK):
        rows = Record.objects.filter(archive_id=archive_id, request_id__in=request_ids[start : start + CHUNK])
        found |= {row[1]: StoredCall(*row) for row in rows.values_list(*StoredCall._fields)}
    return found


def under_other_days(archive_id: int, days: Mapping[str, str]) -> set[str]:
    """Those of the calls that the archive has under another day; `days` are ISO texts by request id.

    Looked for only on days with fewer records than calls.
    """
    calls = Counter(days.values())
    span = [min(calls, default=""), max(calls, default="")]
    here = dict(DayTotal.objects.filter(archive_id=archive_id, day__range=span).values_list("day", "calls"))
    wanted = [key for key, day in days.items() if calls[day] > here.get(day, 0)]
    return {key for key, stored in with_request_ids(archive_id, wanted).items() if stored.ts[:10] != days[key]}


def with_keys(archive_id: int, keys: Sequence[int]) -> Iterator[StoredCall]:
    """The calls in these rows, oldest first within each chunk."""
    for start in range(0, len(keys), CHUNK):
        where = records_of_ids(archive_id, keys[start : start + CHUNK])
        yield from (StoredCall(*row) for row in fetch(_ROWS.format(where=where.conditions), where.values))
