"""What a command writes: text that no terminal obeys, JSON with nothing beside it, bytes of a file."""

import codecs
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO, TextIO

# Controls and lone halves of pairs, which a terminal obeys or cannot show; then what shows nothing by itself but turns
# the direction of the text around it, and line separators.
_CONTROL = r"\x00-\x1f\x7f-\x9f\ud800-\udfff"
_FORMAT = r"\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"
_CONTROLS, _FORMATS = re.compile(f"[{_CONTROL}]"), re.compile(f"[{_FORMAT}]")
_UNSAFE_IN_JSON = re.compile(f"[\x7f-\x9f\ud800-\udfff{_FORMAT}]")
_NOT_PRINTABLE_ASCII = re.compile(r"[^\x00-\x7e]")
BOLD, RED, _PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[0m"


@dataclass(frozen=True)
class Styled:
    """A part of a line that a terminal shows in a style."""

    text: str
    style: str


def safe(text: str) -> str:
    """A text without anything that a terminal would obey, with the blanks that it has."""
    return _CONTROLS.sub("\ufffd", _FORMATS.sub("", text))


def one_line(text: str) -> str:
    """A text in one line, without anything that a terminal would obey."""
    return safe(" ".join(text.split()))


def width(text: str) -> int:
    """How many columns of a terminal a text takes: most East Asian letters take two, marks on letters none."""
    return len(text) if text.isascii() else sum(map(_width, text))


def cut(text: str, columns: int, mark: str) -> str:
    """The beginning of a text that fits into `columns`, with `mark` where it was cut."""
    if width(text) <= columns:
        return text
    left, kept = max(columns - len(mark), 0), 0
    for letter in text:
        left -= _width(letter)
        if left < 0:
            break
        kept += 1
    return text[:kept] + mark[:columns]


def safe_json(text: str, *, ascii_only: bool = False) -> str:
    """The same JSON, with letters that a terminal obeys, or cannot show, in their escaped form."""
    # Outside of its strings JSON is ASCII, and inside of them both forms mean the same. A carriage return is outside.
    return (_NOT_PRINTABLE_ASCII if ascii_only else _UNSAFE_IN_JSON).sub(_escaped, text.replace("\r", " "))


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def _width(letter: str) -> int:
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


class Screen:
    """Standard output and standard error. `columns` is the width of a terminal, None where nothing needs to be cut."""

    def __init__(self, out: TextIO | None = None, error: TextIO | None = None, environ: Mapping[str, str] = os.environ):
        # A program that was started without them has none.
        self._out = out or sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - until the end of the program
        self._error = error or sys.stderr or open(os.devnull, "w")  # noqa: SIM115
        for stream in (self._out, self._error):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        self.is_terminal = self._out.isatty()
        self.is_watched = self._error.isatty()
        is_wide = not self.is_terminal and not environ.get("COLUMNS", "").isdigit()
        self.columns = None if is_wide else shutil.get_terminal_size().columns
        self._has_colours = self.is_terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
        self._shows_all = codecs.lookup(self._out.encoding or "ascii").name.startswith("utf")
        self.mark = "…" if self._shows_all else "..."

    def line(self, *parts: str | Styled) -> None:
        """Write a line. Whatever the parts hold, a terminal obeys nothing but their styles."""
        self._out.write("".join(map(self._shown, parts)) + "\n")

    def _shown(self, part: str | Styled) -> str:
        if isinstance(part, str):
            return safe(part)
        return f"{part.style}{safe(part.text)}{_PLAIN}" if self._has_colours else safe(part.text)

    def json(self, text: str) -> None:
        """Write JSON as the server gave it, each number with its digits."""
        self._out.write(safe_json(text.rstrip(), ascii_only=not self._shows_all) + "\n")

    def note(self, text: str) -> None:
        """Write a line to standard error."""
        self._out.flush()
        self._error.write(f"usage-archive: {one_line(text)}\n")
        self._error.flush()

    def flush(self) -> None:
        self._out.flush()

    @property
    def bytes(self) -> BinaryIO:
        """Standard output for a file."""
        return self._out.buffer
