"""The records of an archive as lines of JSON, each with its prompt and all that an import keeps."""

from collections.abc import Iterator

from archive_site.lib.storage.sql import fetch
from usage import measures_form
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import CREDITS, Unit
from usage.export.pieces import IncompleteExport
from usage.filter_sql import records_of_ids
from usage.filters import RecordFilters
from usage.measures import Measures, Provenance
from usage.prompt_privacy.shown_text import SHOWN
from usage.reads import queries
from usage.record_payloads import json_text
from usage.stored_measures import JOINED, SELECTED, measures_of

# Records whose prompts are in memory at once.
_PIECE = 100


def pieces(archive_id: int) -> Iterator[list[bytes]]:
    """The lines by time, some at a time. Raises IncompleteExport when a record was erased meanwhile."""
    for ids in queries.chunks_of_ids(archive_id, RecordFilters(), "ts_asc"):
        for start in range(0, len(ids), _PIECE):
            wanted = ids[start : start + _PIECE]
            found = _lines(archive_id, wanted)
            if len(found) < len(wanted):
                raise IncompleteExport("a record was erased")
            yield [found[record_id] for record_id in wanted]


def _lines(archive_id: int, ids: list[int]) -> dict[int, bytes]:
    # The account is checked because after a restore an id may belong to another account.
    where = records_of_ids(archive_id, ids, "r")
    rows = fetch(
        "SELECT r.id, r.request_id, r.credits, r.model, r.client, r.ts, r.agent_purpose, r.prompt_truncated, "  # noqa: S608 - placeholders only, bound values
        f"{SHOWN}, {', '.join(SELECTED)} "
        f"FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id {JOINED} "
        f"WHERE {where.conditions}",
        where.values,
    )
    unit = unit_of(archive_id)
    return {
        record_id: _line(request_id, spent, unit, measures_of(*beside), model=model, client=client, ts=ts,
                         agent_purpose=purpose, prompt_truncated=bool(truncated), prompt=prompt)
        for record_id, request_id, spent, model, client, ts, purpose, truncated, prompt, *beside in rows
    }  # fmt: skip


def _line(request_id: str, parts: int, unit: Unit, measures: Measures | None, **rest: object) -> bytes:
    more = {"measures": measures_form.written(measures)} if measures else {}
    is_unknown = measures is not None and measures.provenance is Provenance.UNKNOWN
    number = "null" if is_unknown else _number(parts, unit)
    begin = f'{{"request_id":{json_text(request_id)},"credits":{number},'
    return f"{begin}{json_text({**rest, **more})[1:]}\n".encode()


def _number(parts: int, unit: Unit) -> str:
    """An amount to the last digit: numbers of Python have those of credits, but not of all units."""
    return str(unit.number(parts)) if unit is CREDITS else unit.text(parts)
