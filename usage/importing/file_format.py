"""The rows of a file, whatever its format."""

import io
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext_lazy

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.i18n import filled
from archive_site.lib.stored_message import Message
from usage.amounts.units import CREDITS, Unit
from usage.importing import csv_rows, json_rows
from usage.importing.call_row import CallRow, LeftOut
from usage.importing.columns import NEEDED, NEEDED_OF_KEYED, columns_of, recognised, storable
from usage.importing.csv_notation import Cells, Writings, writings_of
from usage.importing.csv_rows import Head
from usage.importing.damaged_cells import Damaged, checked
from usage.importing.encodings import encoding_of
from usage.importing.file_source import Lines, Source, text_of
from usage.importing.json_rows import Row
from usage.importing.numbers import DecimalSign, decimal_sign
from usage.importing.row_reader import CsvReader, JsonReader, KeyedReader, RowReader, plain_cell
from usage.importing.service_files.form import Form
from usage.importing.service_files.forms import form_of, known_names
from usage.importing.service_files.reader import ServiceReader
from usage.importing.unreadable_file import UnreadableFile

Read = tuple[int, CallRow | LeftOut]
# Different sets of keys that the readers of JSON rows are kept for, and the characters of each.
_READERS_KEPT, _KEYS_KEPT = 64, 4096
_ZONE_SHOWN = 64
# Characters that show the format; rows among which the first readable one must be.
_START, _LOOKED_AT = 1024, 1000
# Damaged cells that are shown.
EXAMPLES = 5


@dataclass(frozen=True)
class Options:
    """What the owner says about a file: columns by field, the zone of its times, and its encoding.

    `unit` is that of the archive, `forms` those of the files of services that it may hold, whose rows need no ids.
    """

    columns: Mapping[str, str]
    zone: ZoneInfo | None = None
    encoding: str = ""
    unit: Unit = CREDITS
    forms: Sequence[Form] = ()


def zone_named(name: str) -> ZoneInfo | None:
    """The time zone of this name; None for an empty one. Raises ApiError 400 `bad_request`."""
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError):
        words = gettext_lazy("'%(name)s' is not a known time zone (as in Europe/Berlin).")
        raise ApiError(400, "bad_request", filled(words, name=name[:_ZONE_SHOWN])) from None


@dataclass
class Damage:
    """The cells with characters that cannot be read: their number, and some of them with their rows.

    `is_of_file`: its bytes are damaged, so also a file of this service has U+FFFD that is not of its archive.
    """

    is_of_file: bool = False
    count: int = 0
    examples: list[tuple[int, Damaged]] = field(default_factory=list)

    def add(self, number: int, cells: list[Damaged]) -> None:
        if not cells:
            return
        self.count += len(cells)
        self.examples = [*self.examples, *((number, cell) for cell in cells)][:EXAMPLES]


@dataclass(frozen=True)
class Calls:
    """The calls of a file: its format, its encoding, the columns that are recognised, and its rows as calls.

    `damage` is filled while the rows are read. `form` is that of a file of a service. Rows that `are_keyed` have no
    request ids but keys of what they hold, so those of equal rows are the same.
    """

    format: str
    columns: Mapping[str, str]
    rows: Iterator[Read]
    encoding: str = "utf-8"
    damage: Damage = field(default_factory=Damage)
    form: Form | None = None
    are_keyed: bool = False


@contextmanager
def calls_of(source: Source, options: Options) -> Iterator[Calls]:
    """The calls of a CSV or JSON file, which is open during the block. Raises UnreadableFile."""
    encoding = encoding_of(source, source.encoding or options.encoding, lambda codec: _names_in(source, codec, options))
    file = _File(source, encoding.codec, options, encoding.is_damaged)
    with closing(file.text()) as text:
        calls = _of_json(file, text) if file.is_json() else _of_csv(file, text)
        yield replace(calls, columns=storable(calls.columns), encoding=encoding.name)


@dataclass(frozen=True)
class _File:
    """A file with its codec, to be opened for each thing that is looked for."""

    source: Source
    codec: str
    options: Options
    is_damaged: bool = False

    def text(self) -> io.TextIOWrapper:
        return text_of(self.source, self.codec)

    def is_json(self) -> bool:
        """Whether the file is JSON; lines before the names of a CSV file may begin like it, as in `[report]`."""
        with closing(self.text()) as text:
            start = text.read(_START).lstrip("\ufeff \t\r\n")
        return start[:1] in ("[", "{") and (json_rows.begins(start) or not self._has_names())

    def head(self) -> Head:
        """The names of the columns of a CSV file."""
        with closing(self.text()) as text:
            return csv_rows.head_of(text, self._known)

    def _known(self, names: list[str]) -> int:
        """How many of these names are those of columns that are looked for."""
        by_hand, forms = self.options.columns, self.options.forms
        if named := [name for name in by_hand.values() if name]:
            return sum(name in names for name in named)
        return max(sum(name in NEEDED for name in recognised(list(filter(None, names)), {})), known_names(names, forms))

    def form(self, head: Head) -> Form | None:
        """The form of a file of a service, where columns are not named by hand."""
        return None if any(self.options.columns.values()) else form_of(head.names, self.options.forms)

    def _has_names(self) -> bool:
        try:
            return self._known(self.head().names) >= len(NEEDED)
        except UnreadableFile:
            return False

    def columns(self, head: Head) -> dict[str, str]:
        """The columns of a file of another form. Raises UnreadableFile where some are missing, and ApiError 400."""
        needed = NEEDED_OF_KEYED if self.options.forms else NEEDED
        return columns_of(head.names, self.options.columns, needed)

    def cells(self, head: Head, column: str) -> Cells:
        """The cells of a column of a CSV file."""
        place, plain = head.names.index(column), plain_cell(head)
        with closing(self.text()) as text:
            for number, row in csv_rows.rows(Lines(text), head):
                if not isinstance(row, Message):
                    yield number, plain(row[place]) if row[place] else ""


def _names_in(source: Source, codec: str, options: Options) -> Iterable[str] | None:
    """The names of the columns that are recognised in this codec; None where some are missing."""
    file = _File(source, codec, options)
    try:
        with closing(file.text()) as text:
            if file.is_json():
                return _of_json(file, text).columns.values()
            head = file.head()
            form = file.form(head)
            return (form.columns_in(head.names) if form else file.columns(head)).values()
    except ApiError:
        return None


def _of_csv(file: _File, text: io.TextIOBase) -> Calls:
    head = file.head()
    if form := file.form(head):
        return _of_service(file, text, head, form)
    columns = file.columns(head)
    _require_apart(head, columns)
    writings = Writings() if head.is_untouched else writings_of(partial(file.cells, head), columns)
    are_keyed = "request_id" not in columns
    read_with = KeyedReader if are_keyed else CsvReader
    reader = read_with(columns, file.options.zone, file.options.unit, head, writings)
    damage = Damage(is_of_file=file.is_damaged)
    return Calls("csv", columns, _read_csv(Lines(text), head, reader, damage), damage=damage, are_keyed=are_keyed)


def _of_service(file: _File, text: io.TextIOBase, head: Head, form: Form) -> Calls:
    columns = form.columns_in(head.names)
    _require_apart(head, columns)
    amounts = [columns[field] for field in form.amounts if field in columns]
    signs = {decimal_sign(file.cells(head, name), name) for name in amounts}
    zone = file.options.zone
    reader = ServiceReader(form, head.names, "," if "," in signs else ".", plain_cell(head), zone)
    damage = Damage(is_of_file=file.is_damaged)
    rows = _read_csv(Lines(text), head, reader, damage)
    return Calls("csv", columns, rows, damage=damage, form=form, are_keyed="request_id" not in columns)


def _require_apart(head: Head, columns: Mapping[str, str]) -> None:
    if any(head.names.count(name) > 1 for name in columns.values()):
        raise UnreadableFile(gettext_lazy("Two of its columns have the same name."))


def _of_json(file: _File, text: io.TextIOBase) -> Calls:
    options = file.options
    fields_of = partial(_needed_in, options)
    with closing(file.text()) as beginning:
        is_lines = json_rows.is_lines(beginning, fields_of)
    rows_of = partial(json_rows.rows_of_lines if is_lines else _rows_in(file, fields_of), fields_of=fields_of)
    with closing(file.text()) as beginning:
        columns = columns_of(_keys_in(rows_of(beginning), options), options.columns)

    @cache
    def sign_of_texts() -> DecimalSign:
        with closing(file.text()) as whole:
            return decimal_sign(_credit_texts(rows_of(whole), options), storable(columns)["credits"])

    damage = Damage(is_of_file=file.is_damaged)
    rows = _of_objects(rows_of(text), _Readers(options, sign_of_texts), damage)
    return Calls("json-lines" if is_lines else "json", columns, rows, damage=damage)


def _rows_in(file: _File, fields_of: json_rows.FieldsOf) -> Callable[..., Iterator[Row]]:
    """What reads the rows of a file that is not one of lines."""
    with closing(file.text()) as beginning:
        if json_rows.is_sequence(beginning):
            return json_rows.rows_of_sequence
    with closing(file.text()) as beginning:
        return partial(json_rows.rows_of_document, place=json_rows.place_of_calls(beginning, fields_of))


def _credit_texts(found: Iterator[Row], options: Options) -> Iterator[tuple[int, str]]:
    """The credits that are written as texts, with the numbers of their rows."""
    readers = _Readers(options)
    for number, values in found:
        reader = None if isinstance(values, Message) else readers.of(tuple(values))
        if isinstance(reader, JsonReader) and (cell := reader.credits_in_text(values)):
            yield number, cell


def _keys_in(found: Iterator[Row], options: Options) -> list[str]:
    """The keys of the first row with all columns, if it comes soon, else of the first object."""
    first: list[str] | None = None
    for _, values in itertools.islice(found, _LOOKED_AT):
        if isinstance(values, Message):
            continue
        is_call = len(_needed_in(options, values)) == len(NEEDED)
        if first is None or is_call:
            first = list(values)
        if is_call:
            return first
    if first is None:
        raise UnreadableFile(gettext_lazy("It holds no calls."))
    return first


def _needed_in(options: Options, keys: Iterable[str]) -> list[str]:
    """The fields that every call has for which these keys have a column."""
    found = recognised(list(keys), options.columns)
    return [field for field in NEEDED if field in found]


class _Readers:
    """The readers of JSON rows, which may differ in their keys: each set of keys has one."""

    def __init__(self, options: Options, sign_of_texts: Callable[[], DecimalSign] = lambda: "."):
        self._options = options
        self._sign_of_texts = sign_of_texts
        self._kept: dict[tuple[str, ...], JsonReader | Message] = {}

    def of(self, keys: tuple[str, ...]) -> JsonReader | Message:
        """The reader of rows with these keys, or why there is none."""
        if (reader := self._kept.get(keys)) is not None:
            return reader
        reader = self._made(keys)
        if sum(map(len, keys)) <= _KEYS_KEPT:
            if len(self._kept) >= _READERS_KEPT:
                self._kept.clear()
            self._kept[keys] = reader
        return reader

    def _made(self, keys: tuple[str, ...]) -> JsonReader | Message:
        options = self._options
        try:
            by_hand = {field: name for field, name in options.columns.items() if name in keys}
            columns = columns_of(keys, by_hand)
        except UnreadableFile:
            return Message("row_lacks_fields")
        return JsonReader(columns, options.zone, options.unit, self._sign_of_texts, is_own=keys in json_rows.OWN_KEYS)


def _of_objects(found: Iterator[Row], readers: _Readers, damage: Damage) -> Iterator[Read]:
    for number, values in found:
        reader = values if isinstance(values, Message) else readers.of(tuple(values))
        yield number, LeftOut(reader) if isinstance(reader, Message) else _read(reader, number, values, damage)


def _read_csv(lines: Lines, head: Head, reader: RowReader | ServiceReader, damage: Damage) -> Iterator[Read]:
    for number, row in csv_rows.rows(lines, head):
        call = LeftOut(row) if isinstance(row, Message) else _read(reader, number, row, damage)
        if isinstance(call, LeftOut):
            if not isinstance(row, Message) and csv_rows.repeats_names(number, row, head):
                continue
            if lines.is_unfinished:
                call = call.at_the_end()
        yield number, call


def _read(reader: RowReader | ServiceReader, number: int, row: Any, damage: Damage) -> CallRow | LeftOut:
    call = reader.read(row)
    if isinstance(call, LeftOut) or (reader.is_own and not damage.is_of_file):
        return call
    checked_call, cells = checked(call, reader.columns)
    damage.add(number, cells)
    return checked_call
