"""The form of an export with a JSON object in each line: the database builds them."""

from dataclasses import dataclass

from archive_site.lib.storage import engine
from usage.export.csv_file import CREDITS_IN_SQL, credits_text
from usage.export.lines_in_sql import lines_by_sqlite
from usage.export.pieces import Lines, first_lines
from usage.models import Record
from usage.record_payloads import json_text, prompt_of


@dataclass(frozen=True)
class JsonLines:
    """Objects with the fields of the readable form (docs/api.md#record). `purpose` adds `agent_purpose`."""

    purpose: bool = False

    def begin(self) -> bytes:
        return b""

    def write(self, archive_id: int, ids: list[int]) -> tuple[bytes, int]:
        return first_lines(lines(archive_id, ids, purpose=self.purpose))

    def end(self) -> bytes:
        return b""


def lines(archive_id: int, ids: list[int], *, purpose: bool = False) -> Lines:
    """A line for each of these records, in their order."""
    return (
        lines_by_sqlite(LINES[purpose], archive_id, ids)
        if engine.IS_SQLITE
        else lines_by_hand(archive_id, ids, purpose)
    )


def _line_in_sql(more: str) -> str:
    return (
        "CASE WHEN r.id IS NOT NULL THEN json_object('request_id', r.request_id, "
        f"'credits', json({CREDITS_IN_SQL}), 'model', r.model, 'client', r.client, 'ts', r.ts, "
        f"'prompt', COALESCE(p.text, ''){more}) || char(10) END"
    )


# The line of a record without and with its purpose, equal to the result of `_line`.
LINES = {False: _line_in_sql(""), True: _line_in_sql(", 'agent_purpose', r.agent_purpose")}


def lines_by_hand(archive_id: int, ids: list[int], purpose: bool = False) -> Lines:
    records = Record.objects.select_related("prompt").filter(archive_id=archive_id, pk__in=ids)
    found = {record.pk: record for record in records}
    for pk in ids:
        yield _line(found[pk], purpose) if pk in found else None


def _line(record: Record, purpose: bool) -> bytes:
    rest = {"model": record.model, "client": record.client, "ts": record.ts, "prompt": prompt_of(record)}
    if purpose:
        rest["agent_purpose"] = record.agent_purpose
    # As a number of Python, credits would lose digits.
    begin = f'{{"request_id":{json_text(record.request_id)},"credits":{credits_text(record.credits)},'
    return f"{begin}{json_text(rest)[1:]}\n".encode()
