"""The rows of a CSV file, one at a time."""

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy

from archive_site.lib.stored_message import Message
from usage.importing.file_source import LINE_LIMIT, Lines, LineTooLong
from usage.importing.unreadable_file import UnreadableFile

if TYPE_CHECKING:
    from _csv import Reader

_DELIMITERS = (",", ";", "\t", "|")
_LEAST_COLUMNS = 3


def headers_of(text: io.TextIOBase) -> tuple[list[str], str]:
    """The names of the columns, and the sign between them: the one that splits the line into most columns.

    Raises UnreadableFile.
    """
    try:
        line = next(_not_blank(Lines(text)))
        split = [(next(_reader(iter([line]), sign)), sign) for sign in _DELIMITERS]
    except (csv.Error, LineTooLong, StopIteration):
        raise UnreadableFile(gettext_lazy("Its first line holds no names of columns.")) from None
    headers, sign = max(split, key=lambda each: len(each[0]))
    if len(headers) < _LEAST_COLUMNS:
        raise UnreadableFile(gettext_lazy("It is neither CSV nor JSON with the calls of an account."))
    if len(set(headers)) < len(headers):
        raise UnreadableFile(gettext_lazy("Two of its columns have the same name."))
    return [name.strip() for name in headers], sign


def rows(text: io.TextIOBase, wanted: int, sign: str) -> Iterator[tuple[int, list[str] | Message]]:
    """The rows after the headers, each with the number of its first line; a message instead of an unreadable one.

    A row with fewer than `wanted` columns is unreadable.
    """
    lines = Lines(text)
    # A quote that never ends would silently take all later rows into one text.
    reader = _reader(lines, sign, is_strict=True)
    while True:
        number = reader.line_num + 2
        try:
            row = next(reader)
        except StopIteration:
            return
        except LineTooLong:
            yield number, Message("line_too_long", most=LINE_LIMIT)
        except csv.Error:
            yield number, Message("row_not_csv")
        else:
            if lines.met_nul:
                lines.met_nul = False
                yield number, Message("row_with_nul")
            elif len(row) >= wanted:
                yield number, row
            elif row:
                yield number, Message("row_too_short", count=len(row), wanted=wanted)


def _not_blank(lines: Iterator[str]) -> Iterator[str]:
    return (line for line in lines if line.strip())


def _reader(lines: Iterator[str], sign: str, *, is_strict: bool = False) -> "Reader":
    csv.field_size_limit(LINE_LIMIT)
    return csv.reader(lines, delimiter=sign, strict=is_strict)
