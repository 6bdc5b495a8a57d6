"""The rows of JSON, one at a time: an array, an object that holds one, or an object on each line."""

import io
import json
from collections.abc import Iterator
from json.decoder import WHITESPACE  # type: ignore[attr-defined]  # missing in the stubs
from typing import Any

from django.utils.translation import gettext_lazy

from archive_site.lib.i18n import filled
from archive_site.lib.stored_message import Message
from usage.importing.file_source import LINE_LIMIT, Lines, LineTooLong
from usage.importing.unreadable_file import UnreadableFile

Row = tuple[int, dict[str, Any] | Message]
_PIECE = 256 * 1024
# The names of a list of calls in an object, or of an object that holds it.
_LISTS = ("items", "records", "rows", "list", "data")
_DEEPEST = 3
# Numbers stay texts: they are exact, and none is too long to be read.
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
_BROKEN = (ValueError, RecursionError)


def object_in(text: str) -> dict[str, Any] | None:
    """The object that is a whole text; None for anything else."""
    try:
        value = _DECODER.decode(text)
    except _BROKEN:
        return None
    return value if isinstance(value, dict) else None


def is_lines(text: io.TextIOBase) -> bool:
    """Whether the text has an object with a call on each line, the first one included."""
    try:
        line = next(line for line in Lines(text) if line.strip())
        first = _DECODER.decode(line.strip())
    except (*_BROKEN, StopIteration, LineTooLong):
        return False
    return (
        bool(first) and isinstance(first, dict) and not any(isinstance(first.get(name), list | dict) for name in _LISTS)
    )


def rows_of_lines(text: io.TextIOBase) -> Iterator[Row]:
    """The object of each line, with its number; a message instead of an unreadable line."""
    lines, number = Lines(text), 0
    while True:
        number += 1
        try:
            line = next(lines).strip()
            if line:
                yield number, _object(_DECODER.decode(line))
        except StopIteration:
            return
        except LineTooLong:
            yield number, Message("line_too_long", most=LINE_LIMIT)
        except _BROKEN:
            yield number, Message("row_not_json")


def rows_of_document(text: io.TextIOBase) -> Iterator[Row]:
    """The elements of the array, or of the list in the object, numbered from 1. Raises UnreadableFile."""
    document = _Document(text)
    document.enter_list()
    for number, element in enumerate(document.elements(), 1):
        yield number, _object(element)


def _object(value: object) -> dict[str, Any] | Message:
    return value if isinstance(value, dict) else Message("row_not_object")


class _Document:
    """A JSON document; at most one element and one piece of it are in memory."""

    def __init__(self, text: io.TextIOBase):
        self._text = text
        self._held = ""
        self._at = 0
        self._read = 0
        self._ended = False
        self._objects = 0  # around the list

    def enter_list(self) -> None:
        """Go to the first element of the list of calls. Raises UnreadableFile where there is none."""
        for _ in range(_DEEPEST):
            sign = self._next_sign()
            if sign == "[":
                self._at += 1
                return
            if sign != "{" or not self._enter_member():
                break
        raise UnreadableFile(gettext_lazy("It holds no list of calls."))

    def elements(self) -> Iterator[object]:
        """The elements of the list that was entered. Raises UnreadableFile where the document does not end properly."""
        sign = self._next_sign()
        if sign == "]":
            self._at += 1
        while sign != "]":
            yield self._value()
            sign = self._next_sign()
            if sign not in (",", "]"):
                raise self._broken()
            self._at += 1
        self._leave_objects()

    def _leave_objects(self) -> None:
        """Pass the members after the list, and the end of the document."""
        for _ in range(self._objects):
            while (sign := self._next_sign()) == ",":
                self._at += 1
                self._enter_value()
                self._value()
            if sign != "}":
                raise self._broken()
            self._at += 1
        if self._next_sign():
            raise self._broken()

    def _enter_member(self) -> bool:
        """Go to the value of the first member that may hold the list; False if the object has none."""
        self._at += 1
        self._objects += 1
        while self._next_sign() == '"':
            name = self._enter_value()
            if name in _LISTS and self._next_sign() in ("[", "{"):
                return True
            self._value()
            if self._next_sign() == ",":
                self._at += 1
        return False

    def _enter_value(self) -> object:
        """Go to the value of the next member; gives its name."""
        if self._next_sign() != '"':
            raise self._broken()
        name = self._value()
        if self._next_sign() != ":":
            raise self._broken()
        self._at += 1
        return name

    def _value(self) -> object:
        """The next value, whole. Raises UnreadableFile where it is broken or over the limit."""
        self._next_sign()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._held, self._at)
                # A number may go on in the next piece.
                if end < len(self._held) or self._ended:
                    self._at = end
                    return value
            except RecursionError:
                raise UnreadableFile(gettext_lazy("Its JSON is nested too deep.")) from None
            except ValueError:
                if self._ended:
                    raise self._broken() from None
            if len(self._held) - self._at > LINE_LIMIT:
                raise UnreadableFile(
                    filled(
                        gettext_lazy("One of its values is broken, or longer than %(most)s characters."),
                        most=LINE_LIMIT,
                    )
                )
            self._read_more()

    def _next_sign(self) -> str:
        """The next character that is no white space; empty at the end."""
        while True:
            self._at = WHITESPACE.match(self._held, self._at).end()
            if self._at < len(self._held) or self._ended:
                return self._held[self._at : self._at + 1]
            self._read_more()

    def _read_more(self) -> None:
        # Twice as much each time, so that a long value is not tried too often.
        piece = self._text.read(max(_PIECE, len(self._held) - self._at))
        self._ended = not piece
        self._read += self._at
        self._held, self._at = self._held[self._at :] + piece, 0

    def _broken(self) -> UnreadableFile:
        words = gettext_lazy("It is not valid JSON from character %(place)s on.")
        return UnreadableFile(filled(words, place=f"{self._read + self._at + 1:,}"))
