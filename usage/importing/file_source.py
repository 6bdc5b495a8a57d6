"""The bytes of a file and its text: every line and every read is bounded, however the file was written."""

import io
import re
import stat
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.utils.translation import gettext_lazy

from usage.importing.unreadable_file import UnreadableFile
from usage.incoming.values import text

# Characters of a line, of a row and of a field; lines of a row, and signs between its columns, also those in its texts.
LINE_LIMIT = 4 * 1024 * 1024
_MOST_LINES = _MOST_SIGNS = LINE_LIMIT // 16
# Rows that are wrong are read again as long as this takes no longer than reading the file a few times.
_MOST_AGAIN = 2
_PIECE = 1024 * 1024
_HEAD = 4096
# How workbooks begin that are no ZIP files (also those that are pages or XML), and names in those that are.
_OF_WORKBOOKS = re.compile(
    rb"\xd0\xcf\x11\xe0|(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*<(?:!--|!doctype\b|\?xml\b|"
    rb"(?:html|head|body|table|meta|style|script|div|workbook)(?:\s+[\w:-]+\s*=|\s*/?>))",
    re.IGNORECASE,
)
_IN_WORKBOOKS = (b"xl/workbook.", b"content.xml", b".iwa")
_DIRECTORY = 64 * 1024


class LineTooLong(Exception):
    """A line is over the limit; it was skipped."""


class RowTooLong(Exception):
    """A row is over the limit."""


@dataclass(frozen=True)
class Source:
    """A file that can be opened again and again; `name` is shown to its owner, `encoding` is set where it is known."""

    name: str
    open: Callable[[], BinaryIO]
    encoding: str = ""

    def head(self) -> bytes:
        with closing(self.open()) as file:
            return file.read(_HEAD)


def source_at(path: Path, name: str = "") -> Source:
    """The source of a file on the disk. Raises UnreadableFile."""
    try:
        # Checked before it is opened, because opening a pipe blocks.
        if not stat.S_ISREG(path.stat().st_mode):
            raise UnreadableFile(gettext_lazy("It is not a file."))
        path.open("rb").close()
    except FileNotFoundError:
        raise UnreadableFile(gettext_lazy("There is no such file.")) from None
    except (OSError, ValueError):
        raise UnreadableFile(gettext_lazy("The file cannot be opened.")) from None
    return Source(text(name or path.name), lambda: path.open("rb"))


def require_no_workbook(source: Source) -> None:
    """Raises UnreadableFile, with words that say how to save one, for the workbook of a spreadsheet."""
    head = source.head()
    if head.startswith(b"PK"):
        with closing(source.open()) as file:
            file.seek(-min(_DIRECTORY, file.seek(0, io.SEEK_END)), io.SEEK_END)
            directory = file.read()
        is_workbook = any(name in directory for name in _IN_WORKBOOKS)
    else:
        is_workbook = _OF_WORKBOOKS.match(head.replace(b"\0", b"")) is not None
    if is_workbook:
        words = gettext_lazy(
            "It is a workbook. Open it in its program, save it as CSV (in Excel: CSV UTF-8), and import that file."
        )
        raise UnreadableFile(words)


class Lines:
    """The lines of a text with their ends. Raises LineTooLong in place of a line over the limit, and goes on.

    `number` is that of the next line. `begin_row` starts a row, `retry_row` goes back to its second line. Raises
    RowTooLong where a row goes on over a limit; `sign` is what stands between its columns.
    """

    def __init__(self, text: io.TextIOBase):
        self._text = text
        self.number = 1
        self.sign = "\n"
        # The lines of the row that was begun, and those to be read again, the next one last; None is over the limit.
        self._row: list[str | None] | None = None
        self._again: list[str | None] = []
        self._size = self._signs = self._read = self._read_again = 0
        # Lines that are rows by themselves, and whether the row is one of them.
        self._alone = 0
        self._is_alone = self._is_unfinished = False

    def begin_row(self) -> None:
        self._row = []
        self._size = self._signs = 0
        self._is_alone = self._alone > 0

    @property
    def has_begun_row(self) -> bool:
        """Whether the row has more than one line."""
        return len(self._row or ()) > 1

    def retry_row(self) -> None:
        """Go back to the second line of the row; where much was read again before, no row has several of its lines.

        Else a file of quotes that never end would take the square of its size.
        """
        others = (self._row or [])[1:]
        self._again.extend(reversed(others))
        self.number -= len(others)
        self._read_again += self._size
        if self._read_again > _MOST_AGAIN * self._read + _PIECE:
            self._alone = len(self._again)

    @property
    def is_unfinished(self) -> bool:
        """Whether the last line of the text was given, and has no end."""
        return self._is_unfinished and not self._again

    @property
    def has_nul(self) -> bool:
        """Whether the row has a NUL character."""
        return "\0" in "".join(filter(None, self._row or ()))

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        if self._is_alone and self._row:
            raise StopIteration
        line = self._next_line()
        self.number += 1
        if self._row is not None:
            self._row.append(line)
        if line is None:
            raise LineTooLong
        self._size += len(line)
        self._signs += line.count(self.sign)
        is_over = self._size > LINE_LIMIT or self._signs > _MOST_SIGNS
        if self._row is not None and (is_over or len(self._row) > _MOST_LINES):
            raise RowTooLong
        return line

    def _next_line(self) -> str | None:
        """The next line, None for one over the limit, which is skipped. Raises StopIteration."""
        if self._again:
            self._alone -= self._alone > 0
            return self._again.pop()
        line = self._text.readline(LINE_LIMIT)
        if not line:
            raise StopIteration
        self._read += len(line)
        self._is_unfinished = line[-1] not in "\r\n"
        if len(line) == LINE_LIMIT and line[-1] not in "\r\n":
            self._skip_rest()
            return None
        return line

    def _skip_rest(self) -> None:
        while rest := self._text.readline(_PIECE):
            if rest[-1] in "\r\n":
                return


def text_of(source: Source, codec: str) -> io.TextIOWrapper:
    """The text of a source, with the ends of its lines unchanged: line feeds, in a text without any carriage returns.

    Bytes that are no character in the codec are U+FFFD.
    """
    head = source.head().replace(b"\0", b"")
    newline = "\r" if b"\r" in head and b"\n" not in head else "\n"
    return io.TextIOWrapper(source.open(), codec, errors="replace", newline=newline)
