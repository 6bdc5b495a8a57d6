"""The bytes of a file and its text: every line and every read is bounded, however the file was written."""

import io
import stat
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.utils.translation import gettext_lazy

from usage.importing.unreadable_file import UnreadableFile

# Characters of a line, of a row and of a field.
LINE_LIMIT = 4 * 1024 * 1024
_PIECE = 1024 * 1024
_HEAD = 4096
# How workbooks begin: those of older programs, and the first names in the ZIP files of others.
_OF_WORKBOOKS = (b"\xd0\xcf\x11\xe0", b"[Content_Types].xml", b"_rels/.rels", b"xl/", b"mimetypeapplication/vnd.oasis")
_NAME_IN_ZIP = 30


class LineTooLong(Exception):
    """A line is over the limit; it was skipped."""


@dataclass(frozen=True)
class Source:
    """A file that can be opened again and again; `name` is shown to its owner."""

    name: str
    open: Callable[[], BinaryIO]

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
    return Source(name or path.name, lambda: path.open("rb"))


def require_no_workbook(source: Source) -> None:
    """Raises UnreadableFile, with words that say how to save one, for the workbook of a spreadsheet."""
    head = source.head()
    name = head[_NAME_IN_ZIP:] if head.startswith(b"PK") else head
    if name.startswith(_OF_WORKBOOKS):
        words = gettext_lazy(
            "It is a workbook. Open it in its program, save it as CSV (in Excel: CSV UTF-8), and import that file."
        )
        raise UnreadableFile(words)


class Lines:
    """The lines of a text with their ends. Raises LineTooLong in place of a line over the limit, and goes on.

    `met_nul` is set by a line with a NUL character; the reader of the lines clears it.
    """

    def __init__(self, text: io.TextIOBase):
        self._text = text
        self.met_nul = False

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        line = self._text.readline(LINE_LIMIT)
        if len(line) == LINE_LIMIT and line[-1] != "\n":
            self._skip_rest()
            raise LineTooLong
        if not line:
            raise StopIteration
        if "\0" in line:
            self.met_nul = True
        return line

    def _skip_rest(self) -> None:
        while rest := self._text.readline(_PIECE):
            if rest[-1] == "\n":
                return


def text_of(source: Source, codec: str) -> io.TextIOWrapper:
    """The text of a source, with the ends of its lines unchanged; only a line feed ends a line.

    Bytes that are no character in the codec are U+FFFD.
    """
    return io.TextIOWrapper(source.open(), codec, errors="replace", newline="\n")
