"""The CSV form of an export: the database builds its lines."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from functools import cache

from archive_site.lib.storage import engine
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import CREDITS, Unit
from usage.export import pieces as export_pieces
from usage.export.header import SPECIFIED, SPECIFIED_ONES, Contents, header
from usage.export.lines_in_sql import lines_by_sqlite
from usage.export.pieces import Lines, first_lines
from usage.filters import RecordFilters
from usage.measures import NO_MEASURES, Measures, Provenance
from usage.models import Record
from usage.prompt_privacy.shown_text import GIVEN, IS_HASHED
from usage.record_payloads import prompt_of
from usage.stored_measures import JOINED, TOKENS, UNKNOWN, may_be_in, measures_in

# A spreadsheet runs a cell that begins with one of these as a formula; some also take the full-width signs.
_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_RUN_IN_SQL = "'[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]*'"
# Also what may stand before such a sign: few texts are compared twice.
_MAYBE_RUN_IN_SQL = _RUN_IN_SQL.replace("[", "[''", 1)

# Parts up to which a real number of SQLite's text has all digits.
_EXACT = 10**14


@dataclass(frozen=True)
class CsvForm:
    """Begins with byte-order mark and header. `language` is that of the header, `unit` that of the archive. A cell of
    an unknown amount is empty."""

    contents: Contents = SPECIFIED_ONES
    language: str = SPECIFIED
    unit: Unit = CREDITS

    def begin(self) -> bytes:
        return header(self.language, self.contents)

    def write(self, archive_id: int, ids: list[int]) -> tuple[bytes, int]:
        return first_lines(lines(archive_id, ids, self.unit, self.contents))

    def end(self) -> bytes:
        return b""


def pieces(
    archive_id: int, filters: RecordFilters, order: str, *, purpose: bool = False, language: str = SPECIFIED
) -> Iterator[bytes]:
    """The file in pieces of about 256 KiB. Raises IncompleteExport."""
    form = CsvForm(Contents(purpose), language, unit_of(archive_id))
    return export_pieces.pieces(archive_id, filters, order, form)


def lines(archive_id: int, ids: list[int], unit: Unit, contents: Contents = SPECIFIED_ONES) -> Lines:
    """A line for each of these records, in their order."""
    if not engine.IS_SQLITE:
        return lines_by_hand(archive_id, ids, unit, contents)
    has_measures = may_be_in(archive_id)
    line = line_in_sql(unit, contents, has_measures=has_measures)
    return lines_by_sqlite(line, archive_id, ids, JOINED if has_measures else "")


def _text_in_sql(column: str) -> str:
    runs = f"{column} GLOB {_MAYBE_RUN_IN_SQL} AND ltrim({column}, '''') GLOB {_RUN_IN_SQL}"
    return f"CASE WHEN {runs} THEN '''' || {column} ELSE {column} END"


_PROMPT_IN_SQL = f"CASE WHEN {IS_HASHED} THEN '' ELSE {_text_in_sql(GIVEN)} END"


def _decimals_in_sql(parts: str, unit: Unit) -> str:
    return f"rtrim(printf('%%d.%%0{unit.digits}d', {parts} / {unit.one}, {parts} %% {unit.one}), '0')"


def amount_in_sql(unit: Unit, unknown: str | None = None) -> str:
    """The amount of a record `r`, equal to the result of `amount_text`; with `unknown`, what stands for an unknown one.

    The database writes a real number fastest, and exactly where it has few digits; a smaller one would have an
    exponent.
    """
    exact_as_real = f"r.credits BETWEEN {unit.one // 10_000} AND {min(unit.one * 1_000_000, _EXACT)}"
    of_unknown = f"WHEN m.provenance = {UNKNOWN} THEN '{unknown}' " if unknown is not None else ""
    return (
        f"CASE {of_unknown}WHEN {exact_as_real} THEN r.credits / {unit.one}.0 "
        f"WHEN r.credits %% {unit.one} = 0 THEN (r.credits / {unit.one}) || '.0' "
        f"WHEN r.credits > 0 THEN {_decimals_in_sql('r.credits', unit)} "
        f"ELSE '-' || {_decimals_in_sql('abs(r.credits)', unit)} END"
    )


def provenance_in_sql(*, has_measures: bool) -> str:
    """The provenance of a record `r`, whose measures `m` are joined where it may have some."""
    billed = f"'{NO_MEASURES.provenance}'"
    if not has_measures:
        return billed
    others = " ".join(f"WHEN {place} THEN '{one}'" for place, one in enumerate(Provenance))
    return f"CASE m.provenance {others} ELSE {billed} END"


@cache
def line_in_sql(unit: Unit, contents: Contents = SPECIFIED_ONES, *, has_measures: bool = False) -> str:
    """The line of a record, equal to the result of `_line`. `%w` doubles the quotes in a text."""
    form = '"%%w",%%s,"%%w","%%w","%%w","%%s"'
    values = [
        _text_in_sql("r.request_id"),
        amount_in_sql(unit, "" if has_measures else None),
        _PROMPT_IN_SQL,
        _text_in_sql("r.model"),
        _text_in_sql("r.client"),
        "r.ts",
    ]
    if contents.purpose:
        form, values = f'{form},"%%w"', [*values, _text_in_sql("r.agent_purpose")]
    if contents.measured:
        tokens = [f"m.{name}" if has_measures else "''" for name in TOKENS]
        form += ',"%%s","%%s"' + ",%%s" * len(tokens)
        values = [*values, f"'{unit.code}'", provenance_in_sql(has_measures=has_measures), *tokens]
    return f"CASE WHEN r.id IS NOT NULL THEN printf('{form}' || char(13, 10), {', '.join(values)}) END"


def lines_by_hand(archive_id: int, ids: list[int], unit: Unit, contents: Contents = SPECIFIED_ONES) -> Lines:
    found = records_of(archive_id, ids)
    for pk in ids:
        yield _line(found[pk], unit, contents) if pk in found else None


def records_of(archive_id: int, ids: list[int]) -> dict[int, Record]:
    """These records of an archive by their ids, with their prompts and measures."""
    beside = ("prompt", "recordmeasures") if may_be_in(archive_id) else ("prompt",)
    records = Record.objects.select_related(*beside).filter(archive_id=archive_id, pk__in=ids)
    return {record.pk: record for record in records}


def measures_beside(record: Record) -> Measures:
    """The measures of a record of `records_of`."""
    return (measures_in(record) if may_be_in(record.archive_id) else None) or NO_MEASURES


def _line(record: Record, unit: Unit, contents: Contents) -> bytes:
    texts = [text_cell(value) for value in (record.request_id, prompt_of(record), record.model, record.client)]
    measures = measures_beside(record)
    more = [text_cell(record.agent_purpose)] if contents.purpose else []
    if contents.measured:
        tokens = astuple(measures.tokens) if measures.tokens else ("",) * len(TOKENS)
        more += [text_cell(unit.code), text_cell(measures.provenance), *map(str, tokens)]
    amount = "" if measures.provenance is Provenance.UNKNOWN else amount_text(record.credits, unit)
    cells = [texts[0], amount, *texts[1:], f'"{record.ts}"', *more]
    return (",".join(cells) + "\r\n").encode()


def text_cell(value: str) -> str:
    """A quoted cell that no spreadsheet runs as a formula."""
    # Apostrophes before such a sign are doubled, so that a reader can take them off again.
    mark = "'" if value.lstrip("'").startswith(_RUN) else ""
    quoted = value.replace('"', '""')
    return f'"{mark}{quoted}"'


def amount_text(parts: int, unit: Unit) -> str:
    """An amount as in JSON (12.0, 0.1), with every digit and never with an exponent."""
    return unit.text(parts, 1)
