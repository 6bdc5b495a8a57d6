"""The Parquet form of an export, where the package pyarrow is installed."""

import io
import os
import sys
from dataclasses import astuple
from datetime import datetime
from importlib.util import find_spec
from typing import Any

from django.utils.translation import gettext_noop

from archive_site.lib.storage.sql import fetch
from usage.amounts.units import CREDITS, Unit
from usage.export.header import SPECIFIED_ONES, Contents
from usage.export.pieces import IncompleteExport
from usage.filter_sql import records_of_ids
from usage.measures import NO_MEASURES, Measures, Provenance
from usage.prompt_privacy.shown_text import SHOWN
from usage.stored_measures import JOINED, SELECTED, TOKENS, may_be_in, measures_of

# Rows are kept in memory until they make a group: by number, or by the memory of their texts. The library takes
# several times as much.
_ROWS, _BYTES = 10_000, 4 * 1024 * 1024
# Columns whose values repeat.
_WITH_DICTIONARY = ["model", "client", "agent_purpose", "unit", "provenance"]
# Records that are read at once: prompts may be long.
_AT_ONCE = 50


def is_available() -> bool:
    """Whether this instance can write Parquet."""
    return find_spec("pyarrow") is not None


class _Sink(io.RawIOBase):
    """Takes what the library writes until it is fetched."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._waiting.append(piece)
        self._written += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._written

    def take(self) -> bytes:
        taken, self._waiting = b"".join(self._waiting), []
        return taken


class ParquetFile:
    """Columns as the fields of the readable form, a column for each kind of tokens; `credits` is a decimal with the
    digits of the unit, null where it is unknown, `ts` has no zone."""

    def __init__(self, unit: Unit = CREDITS, contents: Contents = SPECIFIED_ONES) -> None:
        # An allocator of its own keeps what one file needed for the next one.
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
        # Loaded where it is used: it takes as much memory as all the rest.
        import pyarrow as pa
        from pyarrow import parquet

        fields = [
            ("request_id", pa.string()), ("credits", pa.decimal128(19, unit.digits)), ("model", pa.string()),
            ("client", pa.string()), ("ts", pa.timestamp("s")), ("prompt", pa.string()),
        ]  # fmt: skip
        self._pa, self._unit, self._contents = pa, unit, contents
        if contents.purpose:
            fields.append(("agent_purpose", pa.string()))
        if contents.measured:
            fields += [("unit", pa.string()), ("provenance", pa.string()), *((name, pa.int64()) for name in TOKENS)]
        self._schema = pa.schema(fields)
        self._sink = _Sink()
        sink = pa.PythonFile(self._sink, mode="w")
        names = [name for name in self._schema.names if name in _WITH_DICTIONARY]
        self._writer = parquet.ParquetWriter(sink, self._schema, compression="zstd", use_dictionary=names)
        self._rows: list[tuple[Any, ...]] = []
        self._bytes = 0

    def begin(self) -> bytes:
        return self._sink.take()

    def write(self, archive_id: int, ids: list[int]) -> tuple[bytes, int]:
        wanted = ids[:_AT_ONCE]
        found = _values(archive_id, wanted, self._unit)
        for record_id in wanted:
            if record_id not in found:
                raise IncompleteExport(gettext_noop("a record was erased"))
            row = self._row(*found[record_id])
            self._rows.append(row)
            self._bytes += sum(sys.getsizeof(value) for value in row if isinstance(value, str))
        if len(self._rows) >= _ROWS or self._bytes >= _BYTES:
            self._write_group()
        return self._sink.take(), len(wanted)

    def end(self) -> bytes:
        if self._rows:
            self._write_group()
        self._writer.close()
        return self._sink.take()

    def _row(self, specified: tuple[Any, ...], purpose: str, measures: Measures) -> tuple[Any, ...]:
        row = (*specified, purpose) if self._contents.purpose else specified
        if not self._contents.measured:
            return row
        tokens = astuple(measures.tokens) if measures.tokens else (None,) * len(TOKENS)
        return *row, self._unit.code, measures.provenance.value, *tokens

    def _write_group(self) -> None:
        columns = list(zip(*self._rows, strict=True))
        arrays = [self._pa.array(column, type=field.type) for column, field in zip(columns, self._schema, strict=True)]
        self._writer.write_table(self._pa.Table.from_arrays(arrays, schema=self._schema))
        self._rows, self._bytes = [], 0


def _values(archive_id: int, ids: list[int], unit: Unit = CREDITS) -> dict[int, tuple[tuple[Any, ...], str, Measures]]:
    """The specified fields of these records, their purposes and their measures."""
    # The account is checked because after a restore an id may belong to another account.
    where = records_of_ids(archive_id, ids, "r")
    beside, joined = (f", {', '.join(SELECTED)}", JOINED) if may_be_in(archive_id) else ("", "")
    rows = fetch(
        f"SELECT r.id, r.request_id, r.credits, r.model, r.client, r.ts, {SHOWN}, r.agent_purpose{beside} "  # noqa: S608 - placeholders only, bound values
        f"FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id {joined} "
        f"WHERE {where.conditions}",
        where.values,
    )
    found = {}
    for record_id, request_id, parts, model, client, ts, prompt, purpose, *stored in rows:
        measures = (measures_of(*stored) if stored else None) or NO_MEASURES
        spent = None if measures.provenance is Provenance.UNKNOWN else unit.decimal(parts)
        specified = (request_id, spent, model, client, datetime.fromisoformat(ts), prompt)
        found[record_id] = specified, purpose, measures
    return found
