"""Reading a file as an import does, in tests."""

import re
from pathlib import Path
from typing import Any

from archive_site.lib.stored_message import Message
from usage.importing.call_row import CallRow
from usage.importing.file_format import Options, calls_of, zone_named
from usage.importing.file_source import Source, source_at
from usage.incoming.record import IncomingRecord

HEADER = "RequestID,积分消耗,User Prompt,模型,客户端,时间\r\n"


def file_of(tmp_path: Path, content: str | bytes, name: str = "calls.csv") -> Source:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return source_at(path)


def rows_in(source: Source, zone: str = "", **columns: str) -> list[tuple[int, IncomingRecord | Message]]:
    with calls_of(source, Options(columns, zone_named(zone))) as calls:
        return [(number, call.record() if isinstance(call, CallRow) else call.reason()) for number, call in calls.rows]


def records_in(source: Source, zone: str = "", **columns: str) -> list[IncomingRecord]:
    """The records of a file whose rows are all readable."""
    records = [record for _, record in rows_in(source, zone, **columns)]
    assert all(isinstance(record, IncomingRecord) for record in records), records
    return [record for record in records if isinstance(record, IncomingRecord)]


def reasons_in(source: Source) -> list[tuple[int, str]]:
    """The numbers and reasons of the rows that cannot be read."""
    return [(number, str(why)) for number, why in rows_in(source) if isinstance(why, Message)]


def is_storable(record: IncomingRecord) -> bool:
    """Whether both engines can store a record."""
    texts = (record.request_id, record.model, record.client, record.ts, record.prompt, record.agent_purpose)
    return re.search("[\0\ud800-\udfff]", "".join(texts)) is None and abs(record.amount) < 2**63


def values_of(record: IncomingRecord) -> tuple[Any, ...]:
    return (record.request_id, record.amount, record.model, record.client, record.ts, record.prompt)
