"""The CSV form of an export: the database builds its lines."""

from collections.abc import Iterator
from dataclasses import dataclass

from archive_site.lib.storage import engine
from usage.export import pieces as export_pieces
from usage.export.header import SPECIFIED, header
from usage.export.lines_in_sql import lines_by_sqlite
from usage.export.pieces import Lines, first_lines
from usage.filters import RecordFilters
from usage.models import Record
from usage.record_payloads import prompt_of
from usage.units import CREDITS

# A spreadsheet runs a cell that begins with one of these as a formula; some also take the full-width signs.
_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_RUN_IN_SQL = "'[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]*'"
# Also what may stand before such a sign: few texts are compared twice.
_MAYBE_RUN_IN_SQL = _RUN_IN_SQL.replace("[", "[''", 1)


@dataclass(frozen=True)
class CsvForm:
    """Begins with byte-order mark and header. `purpose` adds a last column; `language` is that of the header."""

    purpose: bool = False
    language: str = SPECIFIED

    def begin(self) -> bytes:
        return header(self.language, purpose=self.purpose)

    def write(self, archive_id: int, ids: list[int]) -> tuple[bytes, int]:
        return first_lines(lines(archive_id, ids, purpose=self.purpose))

    def end(self) -> bytes:
        return b""


def pieces(
    archive_id: int, filters: RecordFilters, order: str, *, purpose: bool = False, language: str = SPECIFIED
) -> Iterator[bytes]:
    """The file in pieces of about 256 KiB. Raises IncompleteExport."""
    return export_pieces.pieces(archive_id, filters, order, CsvForm(purpose, language))


def lines(archive_id: int, ids: list[int], *, purpose: bool = False) -> Lines:
    """A line for each of these records, in their order."""
    return (
        lines_by_sqlite(LINES[purpose], archive_id, ids)
        if engine.IS_SQLITE
        else lines_by_hand(archive_id, ids, purpose)
    )


def _text_in_sql(column: str) -> str:
    runs = f"{column} GLOB {_MAYBE_RUN_IN_SQL} AND ltrim({column}, '''') GLOB {_RUN_IN_SQL}"
    return f"CASE WHEN {runs} THEN '''' || {column} ELSE {column} END"


def _decimals_in_sql(micro: str) -> str:
    return f"rtrim(printf('%%d.%%0{CREDITS.digits}d', {micro} / {CREDITS.one}, {micro} %% {CREDITS.one}), '0')"


# The database writes a real number fastest, and exactly where it has few digits; a smaller one would have an exponent.
_EXACT_AS_REAL = f"r.credits BETWEEN {CREDITS.one // 10_000} AND {CREDITS.one * 1_000_000}"
CREDITS_IN_SQL = (
    f"CASE WHEN {_EXACT_AS_REAL} THEN r.credits / {CREDITS.one}.0 "
    f"WHEN r.credits %% {CREDITS.one} = 0 THEN (r.credits / {CREDITS.one}) || '.0' "
    f"WHEN r.credits > 0 THEN {_decimals_in_sql('r.credits')} ELSE '-' || {_decimals_in_sql('abs(r.credits)')} END"
)
_VALUES = [
    _text_in_sql("r.request_id"),
    CREDITS_IN_SQL,
    _text_in_sql("COALESCE(p.text, '')"),
    _text_in_sql("r.model"),
    _text_in_sql("r.client"),
    "r.ts",
]
_FORMAT = '"%%w",%%s,"%%w","%%w","%%w","%%s"'


def _line_in_sql(form: str, values: list[str]) -> str:
    return f"CASE WHEN r.id IS NOT NULL THEN printf('{form}' || char(13, 10), {', '.join(values)}) END"


# The line of a record without and with its purpose, equal to the result of `_line`. `%w` doubles the quotes in a text.
LINES = {
    False: _line_in_sql(_FORMAT, _VALUES),
    True: _line_in_sql(f'{_FORMAT},"%%w"', [*_VALUES, _text_in_sql("r.agent_purpose")]),
}


def lines_by_hand(archive_id: int, ids: list[int], purpose: bool = False) -> Lines:
    records = Record.objects.select_related("prompt").filter(archive_id=archive_id, pk__in=ids)
    found = {record.pk: record for record in records}
    for pk in ids:
        yield _line(found[pk], purpose) if pk in found else None


def _line(record: Record, purpose: bool) -> bytes:
    texts = [text_cell(value) for value in (record.request_id, prompt_of(record), record.model, record.client)]
    more = [text_cell(record.agent_purpose)] if purpose else []
    cells = [texts[0], credits_text(record.credits), *texts[1:], f'"{record.ts}"', *more]
    return (",".join(cells) + "\r\n").encode()


def text_cell(value: str) -> str:
    """A quoted cell that no spreadsheet runs as a formula."""
    # Apostrophes before such a sign are doubled, so that a reader can take them off again.
    mark = "'" if value.lstrip("'").startswith(_RUN) else ""
    quoted = value.replace('"', '""')
    return f'"{mark}{quoted}"'


def credits_text(micro: int) -> str:
    """Credits as in JSON (12.0, 0.1), with every digit and never with an exponent."""
    return CREDITS.text(micro, 1)
