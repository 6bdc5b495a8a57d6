"""The rows of a file, whatever its format."""

import io
import itertools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext_lazy

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.i18n import filled
from archive_site.lib.stored_message import Message
from usage.importing import csv_rows, json_rows
from usage.importing.call_row import CallRow
from usage.importing.columns import columns_of
from usage.importing.file_source import Source, encoding_of, text_of
from usage.importing.json_rows import Row
from usage.importing.row_reader import CsvReader, JsonReader, RowReader
from usage.importing.unreadable_file import UnreadableFile
from usage.incoming_values import UnreadableRow

Read = tuple[int, CallRow | Message]
# Different sets of keys that the readers of JSON rows are kept for.
_READERS_KEPT = 64
_ZONE_SHOWN = 64
# Characters that show the format; rows among which the first readable one must be.
_START, _LOOKED_AT = 1024, 1000


@dataclass(frozen=True)
class Options:
    """What the owner says about a file: columns by field, and the zone of its times."""

    columns: Mapping[str, str]
    zone: ZoneInfo | None = None


def zone_named(name: str) -> ZoneInfo | None:
    """The time zone of this name; None for an empty one. Raises ApiError 400 `bad_request`."""
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError):
        words = gettext_lazy("'%(name)s' is not a known time zone (as in Europe/Berlin).")
        raise ApiError(400, "bad_request", filled(words, name=name[:_ZONE_SHOWN])) from None


@dataclass(frozen=True)
class Calls:
    """The calls of a file: its format, the columns that are recognised, and its rows as records."""

    format: str
    columns: Mapping[str, str]
    rows: Iterator[Read]


@contextmanager
def calls_of(source: Source, options: Options) -> Iterator[Calls]:
    """The calls of a CSV or JSON file, which is open during the block. Raises UnreadableFile."""
    encoding = encoding_of(source)
    with closing(text_of(source, encoding)) as text:
        start = text.read(_START).lstrip("\ufeff \t\r\n")[:1]
    if start not in ("[", "{"):
        with closing(text_of(source, encoding)) as text:
            yield _of_csv(text, options)
        return
    with closing(text_of(source, encoding)) as text:
        is_lines = json_rows.is_lines(text)
    with closing(text_of(source, encoding)) as text:
        yield _of_json(text, options, is_lines=is_lines)


def _of_csv(text: io.TextIOBase, options: Options) -> Calls:
    headers, sign = csv_rows.headers_of(text)
    columns = columns_of(headers, options.columns)
    reader = CsvReader(columns, options.zone, headers)
    found = csv_rows.rows(text, len(headers), sign)
    return Calls("csv", columns, _read_all(found, reader))


def _of_json(text: io.TextIOBase, options: Options, *, is_lines: bool) -> Calls:
    found = json_rows.rows_of_lines(text) if is_lines else json_rows.rows_of_document(text)
    first: list[Row] = []
    for row in itertools.islice(found, _LOOKED_AT):
        first.append(row)
        if not isinstance(row[1], Message):
            columns = columns_of(row[1], options.columns)
            rows = _of_objects(itertools.chain(first, found), options)
            return Calls("json-lines" if is_lines else "json", columns, rows)
    raise UnreadableFile(gettext_lazy("It holds no calls."))


def _of_objects(found: Iterator[Row], options: Options) -> Iterator[Read]:
    """Rows may differ in their keys, so each set of keys has a reader."""
    readers: dict[tuple[str, ...], JsonReader | Message] = {}
    for number, values in found:
        if isinstance(values, Message):
            yield number, values
            continue
        keys = tuple(values)
        if keys not in readers:
            if len(readers) >= _READERS_KEPT:
                readers.clear()
            readers[keys] = _reader_of(keys, options)
        reader = readers[keys]
        if isinstance(reader, Message):
            yield number, reader
        else:
            yield from _read_all([(number, values)], reader)


def _reader_of(keys: tuple[str, ...], options: Options) -> JsonReader | Message:
    try:
        by_hand = {field: name for field, name in options.columns.items() if name in keys}
        return JsonReader(columns_of(keys, by_hand), options.zone)
    except UnreadableFile:
        return Message("row_lacks_fields")


def _read_all(found: Iterable[tuple[int, Any]], reader: RowReader) -> Iterator[Read]:
    for number, row in found:
        if isinstance(row, Message):
            yield number, row
            continue
        try:
            yield number, reader.read(row)
        except UnreadableRow as error:
            yield number, error.why
