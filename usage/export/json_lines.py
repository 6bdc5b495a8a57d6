"""The form of an export with a JSON object in each line: the database builds them."""

from dataclasses import dataclass
from functools import cache

from archive_site.lib.http.answer_types import as_json
from archive_site.lib.storage import engine
from usage.amounts.units import CREDITS, Unit
from usage.export.csv_file import amount_in_sql, amount_text, measures_beside, provenance_in_sql, records_of
from usage.export.header import SPECIFIED_ONES, Contents
from usage.export.lines_in_sql import lines_by_sqlite
from usage.export.pieces import Lines, first_lines
from usage.measures import Provenance
from usage.models import Record
from usage.prompt_privacy.shown_text import SHOWN
from usage.record_payloads import json_text, measured_call, prompt_of
from usage.stored_measures import JOINED, TOKENS, UNKNOWN, may_be_in

# What the fields of `TOKENS` are called.
_COUNTED = ("in", "out", "cache_read", "cache_write")


@dataclass(frozen=True)
class JsonLines:
    """Objects with the fields of the readable form (docs/api.md#record); `unit` is that of the archive. An unknown
    amount is null."""

    contents: Contents = SPECIFIED_ONES
    unit: Unit = CREDITS

    def begin(self) -> bytes:
        return b""

    def write(self, archive_id: int, ids: list[int]) -> tuple[bytes, int]:
        return first_lines(lines(archive_id, ids, self.unit, self.contents))

    def end(self) -> bytes:
        return b""


def lines(archive_id: int, ids: list[int], unit: Unit, contents: Contents = SPECIFIED_ONES) -> Lines:
    """A line for each of these records, in their order."""
    if not engine.IS_SQLITE:
        return lines_by_hand(archive_id, ids, unit, contents)
    has_measures = may_be_in(archive_id)
    line = line_in_sql(unit, contents, has_measures=has_measures)
    return lines_by_sqlite(line, archive_id, ids, JOINED if has_measures else "")


@cache
def line_in_sql(unit: Unit, contents: Contents = SPECIFIED_ONES, *, has_measures: bool = False) -> str:
    """The line of a record, equal to the result of `_line`."""
    more = ", 'agent_purpose', r.agent_purpose" if contents.purpose else ""
    if contents.measured:
        more += _measures_in_sql(unit, has_measures)
    return (
        "CASE WHEN r.id IS NOT NULL THEN json_object('request_id', r.request_id, "
        f"'credits', json({amount_in_sql(unit, 'null' if has_measures else None)}), 'model', r.model, "
        f"'client', r.client, 'ts', r.ts, 'prompt', {SHOWN}{more}) || char(10) END"
    )


def _measures_in_sql(unit: Unit, has_measures: bool) -> str:
    amount = f"rtrim(rtrim({amount_in_sql(unit)}, '0'), '.')"
    tokens = "NULL"
    if has_measures:
        amount = f"CASE WHEN m.provenance = {UNKNOWN} THEN NULL ELSE {amount} END"
        counts = ", ".join(f"'{name}', m.{column}" for name, column in zip(_COUNTED, TOKENS, strict=True))
        tokens = f"json(CASE WHEN m.tokens_in IS NULL THEN 'null' ELSE json_object({counts}) END)"
    provenance = provenance_in_sql(has_measures=has_measures)
    return f", 'unit', '{unit.code}', 'amount', {amount}, 'provenance', {provenance}, 'tokens', {tokens}"


def lines_by_hand(archive_id: int, ids: list[int], unit: Unit, contents: Contents = SPECIFIED_ONES) -> Lines:
    found = records_of(archive_id, ids)
    for pk in ids:
        yield _line(found[pk], unit, contents) if pk in found else None


def _line(record: Record, unit: Unit, contents: Contents) -> bytes:
    rest: dict[str, object] = {
        "model": record.model, "client": record.client, "ts": record.ts, "prompt": prompt_of(record),
    }  # fmt: skip
    if contents.purpose:
        rest["agent_purpose"] = record.agent_purpose
    measures = measures_beside(record)
    if contents.measured:
        known = measured_call(unit, record.credits, measures)
        rest |= {**known, "tokens": known["tokens"] and as_json(known["tokens"])}
    # As a number of Python, an amount would lose digits.
    amount = "null" if measures.provenance is Provenance.UNKNOWN else amount_text(record.credits, unit)
    return f'{{"request_id":{json_text(record.request_id)},"credits":{amount},{json_text(rest)[1:]}\n'.encode()
