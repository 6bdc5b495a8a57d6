"""Rows that their service has filled in since they were imported (docs/decisions/files.md#rows-without-ids)."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from archive_site.lib.storage.sql import fetch, instant, marks
from usage.incoming_record import IncomingRecord
from usage.measures import Measures

# Young records that are looked at for a page.
_MOST = 10_000
_YOUNG = """
    SELECT r.request_id, r.model, CAST(m.at AS TEXT) FROM usage_record r JOIN usage_recordmeasures m
    ON m.record_id = r.id WHERE r.user_id = %s AND r.ts IN ({times}) AND m.young
    ORDER BY r.ts, r.request_id LIMIT {most}"""
_STORED = "SELECT request_id FROM usage_record WHERE user_id = %s AND request_id IN ({ids})"


def young_from(newest: str, young: timedelta) -> str:
    """The wall clock after which calls of a file may be filled in for a span; `newest` is that of its last call."""
    return (datetime.fromisoformat(newest) - young).isoformat(" ")


def marked(records: Sequence[IncomingRecord], since: str) -> list[IncomingRecord]:
    """The records, with those after this wall clock marked as young."""
    return [_young(record, record.measures) if record.measures and record.ts > since else record for record in records]


def _young(record: IncomingRecord, measures: Measures) -> IncomingRecord:
    return replace(record, measures=replace(measures, young=True))


def successors(
    archive_id: int, records: Sequence[IncomingRecord], lacking: Callable[[Collection[str]], set[str]]
) -> Mapping[str, str]:
    """The ids of those of these records that take the place of young ones, with the ids that these have.

    A row that is filled in keeps its instant and its model, and gets another key. `lacking` says which calls the file
    does not have.
    """
    young = fetch(_YOUNG.format(times=marks(records), most=_MOST), [archive_id, *(record.ts for record in records)])
    gone = lacking({request_id for request_id, *_ in young})
    waiting: dict[tuple[str, datetime], list[str]] = defaultdict(list)
    for request_id, model, at in young:
        if request_id in gone:
            waiting[model, instant(at)].append(request_id)
    if not waiting:
        return {}
    ids = [record.request_id for record in records]
    stored = {found for (found,) in fetch(_STORED.format(ids=marks(ids)), [archive_id, *ids])}
    found: dict[str, str] = {}
    for record in records:
        at = record.measures.at if record.measures else None
        if at and record.request_id not in stored and waiting[record.model, at]:
            found[record.request_id] = waiting[record.model, at].pop(0)
    return found
