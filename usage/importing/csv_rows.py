"""The rows of a CSV file, one at a time."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy

from archive_site.lib.i18n import filled
from archive_site.lib.stored_message import Message
from usage.export import header
from usage.importing.columns import NEEDED, recognised
from usage.importing.file_source import LINE_LIMIT, Lines, LineTooLong, RowTooLong
from usage.importing.unreadable_file import UnreadableFile

if TYPE_CHECKING:
    from _csv import Reader

_SIGNS = (",", ";", "\t", "|")
_LEAST_COLUMNS = 3
# Lines and characters among which the names of the columns must be, and characters that they have at most.
_LOOKED_AT, _START, _NAMES_LIMIT = 50, 256 * 1024, 64 * 1024
# Some programs name the sign between the columns in a line before the others.
_SIGN_LINE = re.compile(r'"?sep=([^\r\n])"?[\r\n]*', re.IGNORECASE)
# How rows of this service begin: an id in quotes, credits that always have a decimal point, another text in quotes.
_OWN_ROW = re.compile(r'"(?:[^"]|"")*+",-?\d+\.\d{1,6},"', re.ASCII)


@dataclass(frozen=True)
class Head:
    """The names of the columns, empty for one without a name, and the sign between them.

    `before` counts the lines before. `is_untouched`: names and rows are written as the export of this service writes
    them, and no other program has changed them.
    """

    names: list[str]
    sign: str
    before: int = 0
    is_untouched: bool = False


def head_of(text: io.TextIOBase, known: Callable[[list[str]], int]) -> Head:
    """The first line with the most names that are recognised, which `known` counts. Raises UnreadableFile."""
    lines = _first_lines(text)
    given = _SIGN_LINE.fullmatch(next(filter(str.strip, lines), ""))
    heads = _heads(lines, given[1] if given else _SIGNS)
    best = max(heads, key=lambda head: (known(head.names), -head.before, len(head.names)), default=None)
    if best is None:
        raise UnreadableFile(gettext_lazy("It is neither CSV nor JSON with the calls of an account."))
    before = lines[: best.before + 1]
    is_untouched = _is_untouched(best.names, before[-1], "".join(lines[len(before) :]))
    return Head(best.names, best.sign, best.before, is_untouched)


def rows(lines: Lines, head: Head) -> Iterator[tuple[int, list[str] | Message]]:
    """The rows after the names of a text, each with the number of its first line; a message for an unreadable one.

    A row with fewer cells than the names is unreadable, and one with more, unless they are empty. Columns without a
    name may hold anything. Rows of empty cells are passed.
    """
    for _ in range(head.before):
        next(lines)
    # A quote that never ends would silently take all later rows into one text.
    lines.sign = head.sign
    reader = _reader(lines, head.sign, is_strict=True)
    least = max((place for place, name in enumerate(head.names, 1) if name), default=0)
    most = len(head.names)
    while True:
        number = lines.number
        lines.begin_row()
        try:
            row = next(reader)
        except StopIteration:
            return
        except (csv.Error, LineTooLong, RowTooLong) as error:
            is_line = isinstance(error, LineTooLong) and not lines.has_begun_row
            # The rows that it took are read again.
            lines.retry_row()
            yield number, Message("line_too_long", most=LINE_LIMIT) if is_line else Message("row_not_csv")
            continue
        # The names themselves, which may stand on several lines.
        if number == head.before + 1 or not any(map(str.strip, row)):
            continue
        if lines.has_nul:
            yield number, Message("row_with_nul")
        elif len(row) < least:
            yield number, Message("row_too_short", count=len(row), wanted=least)
        elif len(row) > most and _filled(row) > most:
            yield number, Message("row_too_long", count=_filled(row), wanted=most)
        else:
            yield number, row


def repeats_names(number: int, row: list[str], head: Head) -> bool:
    """Whether a row has the names of the columns again, as where files were put together.

    Raises UnreadableFile where they stand in another order: the rows after it would be read in the wrong columns.
    """
    names = _stripped(row[: len(head.names)])
    if names == head.names:
        return True
    columns, others = recognised(head.names, {}), recognised(names, {})
    if any(field not in others for field in NEEDED):
        return False
    if _places(names, others) == _places(head.names, columns):
        return True
    words = gettext_lazy(
        "Its row %(row)s names the columns in another order: it was put together from several files. Import each of "
        "them."
    )
    raise UnreadableFile(filled(words, row=number))


def _places(names: list[str], columns: dict[str, str]) -> dict[str, int]:
    return {field: names.index(name) for field, name in columns.items()}


def _filled(row: list[str]) -> int:
    """The number of cells without the empty ones at the end."""
    return max((place for place, cell in enumerate(row, 1) if cell.strip()), default=0)


def _is_untouched(names: list[str], line: str, rest: str) -> bool:
    """Whether the line of the names and the beginning of the first row are written as this service writes them."""
    is_line = header.is_own(names) and line.strip("\ufeff\r\n") == ",".join(names)
    return is_line and bool(not rest or _OWN_ROW.match(rest))


def _first_lines(text: io.TextIOBase) -> list[str]:
    """The first lines, up to one that is too long for names, or too much with those before: only its beginning."""
    lines: list[str] = []
    room = _START
    while room >= 0 and len(lines) < _LOOKED_AT and (line := text.readline(_NAMES_LIMIT + 1)):
        lines.append(line)
        room = room - len(line) if len(line) <= _NAMES_LIMIT else -1
    return lines


def _heads(lines: list[str], signs: Iterable[str]) -> Iterator[Head]:
    """What may be the names: each line that has some with each of the signs."""
    for place, line in enumerate(lines):
        for sign in signs if line.strip() else ():
            names = _names(lines[place:], sign)
            if len(names) >= _LEAST_COLUMNS:
                yield Head(names, sign, place)


def _names(lines: list[str], sign: str) -> list[str]:
    try:
        return _stripped(next(_reader(_beginning(lines), sign)))
    except (csv.Error, StopIteration):
        return []


def _stripped(names: Iterable[str]) -> list[str]:
    return [name.strip("\ufeff \t\r\n") for name in names]


def _beginning(lines: list[str]) -> Iterator[str]:
    """The first lines as far as names of columns may go."""
    room = _NAMES_LIMIT
    for line in lines:
        room -= len(line)
        if room < 0:
            return
        yield line


def _reader(lines: Iterator[str], sign: str, *, is_strict: bool = False) -> "Reader":
    csv.field_size_limit(LINE_LIMIT)
    return csv.reader(lines, delimiter=sign, strict=is_strict)
