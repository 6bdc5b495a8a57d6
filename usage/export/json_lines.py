"""The form of an export with a JSON object in each line: the database builds them."""

from dataclasses import dataclass
from functools import cache

from archive_site.lib.storage import engine
from usage.export.csv_file import amount_in_sql, amount_text, is_unknown, records_of
from usage.export.lines_in_sql import lines_by_sqlite
from usage.export.pieces import Lines, first_lines
from usage.models import Record
from usage.record_payloads import json_text, prompt_of
from usage.stored_measures import JOINED, may_be_in
from usage.units import CREDITS, Unit


@dataclass(frozen=True)
class JsonLines:
    """Objects with the fields of the readable form (docs/api.md#record). `purpose` adds `agent_purpose`; `unit` is that
    of the archive. An unknown amount is null."""

    purpose: bool = False
    unit: Unit = CREDITS

    def begin(self) -> bytes:
        return b""

    def write(self, archive_id: int, ids: list[int]) -> tuple[bytes, int]:
        return first_lines(lines(archive_id, ids, self.unit, purpose=self.purpose))

    def end(self) -> bytes:
        return b""


def lines(archive_id: int, ids: list[int], unit: Unit, *, purpose: bool = False) -> Lines:
    """A line for each of these records, in their order."""
    if not engine.IS_SQLITE:
        return lines_by_hand(archive_id, ids, unit, purpose=purpose)
    has_unknown = may_be_in(archive_id)
    line = line_in_sql(unit, purpose=purpose, has_unknown=has_unknown)
    return lines_by_sqlite(line, archive_id, ids, JOINED if has_unknown else "")


@cache
def line_in_sql(unit: Unit, *, purpose: bool, has_unknown: bool = False) -> str:
    """The line of a record, equal to the result of `_line`."""
    more = ", 'agent_purpose', r.agent_purpose" if purpose else ""
    return (
        "CASE WHEN r.id IS NOT NULL THEN json_object('request_id', r.request_id, "
        f"'credits', json({amount_in_sql(unit, 'null' if has_unknown else None)}), 'model', r.model, "
        f"'client', r.client, 'ts', r.ts, 'prompt', COALESCE(p.text, ''){more}) || char(10) END"
    )


def lines_by_hand(archive_id: int, ids: list[int], unit: Unit, *, purpose: bool = False) -> Lines:
    found = records_of(archive_id, ids)
    for pk in ids:
        yield _line(found[pk], unit, purpose) if pk in found else None


def _line(record: Record, unit: Unit, purpose: bool) -> bytes:
    rest = {"model": record.model, "client": record.client, "ts": record.ts, "prompt": prompt_of(record)}
    if purpose:
        rest["agent_purpose"] = record.agent_purpose
    # As a number of Python, an amount would lose digits.
    amount = "null" if is_unknown(record) else amount_text(record.credits, unit)
    return f'{{"request_id":{json_text(record.request_id)},"credits":{amount},{json_text(rest)[1:]}\n'.encode()
