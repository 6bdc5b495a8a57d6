"""The bytes of a file and its text: every line and every read is bounded, however the file was written."""

import codecs
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
# A text may hold as many NUL characters in its beginning; each makes its row unreadable.
_FEW = 10
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_WITHOUT_BOM = ("utf-8", "gb18030")


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


def encoding_of(source: Source) -> str:
    """The encoding in which the whole file can be read. Raises UnreadableFile."""
    head = source.head()
    if not head.strip(b" \t\r\n\xef\xbb\xbf"):
        raise UnreadableFile(gettext_lazy("The file is empty."))
    marked = next((name for mark, name in _BOMS if head.startswith(mark)), None)
    if marked != "utf-16" and (b"\0" in head.partition(b"\n")[0] or head.count(b"\0") > _FEW):
        raise UnreadableFile(gettext_lazy("It is not a text file."))
    for name in (marked,) if marked else _WITHOUT_BOM:
        if _is_readable(source, name):
            return name
    raise UnreadableFile(gettext_lazy("Its encoding is none of UTF-8, UTF-16 with a byte-order mark, and GB18030."))


def _is_readable(source: Source, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with closing(source.open()) as file:
            while piece := file.read(_PIECE):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    return True


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


def text_of(source: Source, encoding: str) -> io.TextIOWrapper:
    """The text of a source, with the ends of its lines unchanged; only a line feed ends a line."""
    return io.TextIOWrapper(source.open(), encoding, newline="\n")
