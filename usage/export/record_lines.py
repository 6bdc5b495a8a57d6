"""The records of an archive as lines of JSON, each with its prompt and all that an import keeps."""

from collections.abc import Iterator

from archive_site.lib.storage.sql import fetch
from usage.export.pieces import IncompleteExport
from usage.filter_sql import records_of_ids
from usage.filters import RecordFilters
from usage.reads import queries
from usage.record_payloads import credits, json_text

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
        "COALESCE(p.text, '') FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id "
        f"WHERE {where.conditions}",
        where.values,
    )
    return {
        record_id: _line(request_id=request_id, credits=credits(spent), model=model, client=client, ts=ts,
                         agent_purpose=purpose, prompt_truncated=bool(truncated), prompt=prompt)
        for record_id, request_id, spent, model, client, ts, purpose, truncated, prompt in rows
    }  # fmt: skip


def _line(**values: object) -> bytes:
    return f"{json_text(values)}\n".encode()
