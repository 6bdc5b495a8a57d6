"""The rows of JSON, one at a time: an array, an object that holds one, or an object on each line."""

import io
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from json.decoder import WHITESPACE  # type: ignore[attr-defined]  # missing in the stubs
from typing import Any, cast

from django.utils.translation import gettext_lazy

from archive_site.lib.i18n import Words, filled
from archive_site.lib.stored_message import Message
from usage.importing.file_source import LINE_LIMIT, Lines, LineTooLong
from usage.importing.unreadable_file import UnreadableFile

Row = tuple[int, dict[str, Any] | Message]
# Whether an object with these keys is a call.
IsCall = Callable[[Iterable[str]], bool]
_PIECE = 256 * 1024
# The names of a list of calls in an object, or of an object that holds it.
_LISTS = ("items", "records", "rows", "list", "data")
_DEEPEST = 3
# Lines that show whether each has an object.
_LOOKED_AT = 10
# The keys of the records that this service writes as JSON: as lines, with the purpose, and in the file of an account.
_READABLE = ("request_id", "credits", "model", "client", "ts", "prompt")
OWN_KEYS = {
    _READABLE, (*_READABLE, "agent_purpose"), (*_READABLE[:-1], "agent_purpose", "prompt_truncated", "prompt"),
}  # fmt: skip
_OUTSIDE, _INSIDE = re.compile(r'["\[\]{},]'), re.compile(r'["\\]')


class Number(str):
    """A number as it is written: it stays a text, so it is exact, and none is too long to be read."""

    __slots__ = ()


# Real files have line breaks and tabs within texts.
_DECODER = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=Number, strict=False)
_BROKEN = (ValueError, RecursionError)


def object_in(text: str) -> dict[str, Any] | None:
    """The object that is a whole text; None for anything else."""
    try:
        value = _DECODER.decode(text)
    except _BROKEN:
        return None
    return value if isinstance(value, dict) else None


def is_lines(text: io.TextIOBase) -> bool:
    """Whether the text has an object on each line: a call, or a whole answer."""
    lines = objects = 0
    has_list = False
    for line in filter(None, itertools.islice(_whole_lines(text), _LOOKED_AT)):
        lines += 1
        # One at a time: as an object, a line takes many times its size.
        if value := object_in(line):
            objects += 1
            has_list = has_list or any(isinstance(value.get(name), list | dict) for name in _LISTS)
    # A document may have one call on a line, too, with a comma at the end of most.
    return 0 < objects >= lines / 2 and (lines > 1 or not has_list)


def rows_of_lines(text: io.TextIOBase, is_call: IsCall = lambda _: True) -> Iterator[Row]:
    """The object of each line, or the calls of the answer in it, with its number; a message for an unreadable line."""
    lines, number = Lines(text), 0
    while True:
        number += 1
        try:
            line = next(lines).strip()
            if line:
                for value in _calls_in(_DECODER.decode(line), is_call):
                    yield number, _object(value)
        except StopIteration:
            return
        except LineTooLong:
            yield number, Message("line_too_long", most=LINE_LIMIT)
        except RecursionError:
            yield number, Message("row_too_deep")
        except ValueError:
            yield number, Message("row_not_json")


def rows_of_document(text: io.TextIOBase, is_call: IsCall) -> Iterator[Row]:
    """The calls of the array, or of the list in the object, numbered from 1. Raises UnreadableFile.

    An element may be a whole answer with calls of its own.
    """
    document = _Document(text)
    document.enter_list()
    calls = (call for element in document.elements() for call in _calls_in(element, is_call))
    for number, call in enumerate(calls, 1):
        yield number, _object(call)


def _object(value: object) -> dict[str, Any] | Message:
    return value if isinstance(value, dict | Message) else Message("row_not_object")


def _calls_in(element: object, is_call: IsCall) -> list[Any]:
    """The calls of an answer; anything else is one call."""
    rows = _list_in(element) if isinstance(element, dict) else None
    if rows is None or is_call(cast(dict[str, Any], element)):
        return [element]
    return rows


def _list_in(answer: dict[str, Any], depth: int = 1) -> list[Any] | None:
    """The first filled list of calls of an answer, else an empty one; None where it has none."""
    found: list[Any] | None = None
    for name in _LISTS:
        value = answer.get(name)
        if isinstance(value, dict) and depth < _DEEPEST:
            value = _list_in(value, depth + 1)
        if isinstance(value, list):
            if value:
                return value
            found = value
    return found


def _whole_lines(text: io.TextIOBase) -> Iterator[str]:
    """The lines without blanks around them; those over the limit are left out."""
    lines = Lines(text)
    while True:
        try:
            yield next(lines).strip()
        except StopIteration:
            return
        except LineTooLong:
            continue


class _Document:
    """A JSON document; at most one element and one piece of it are in memory."""

    def __init__(self, text: io.TextIOBase):
        self._text = text
        self._held = ""
        self._at = self._read = 0
        self._objects = 0  # around the list
        self._ended = self._has_empty = False

    def enter_list(self) -> None:
        """Go to the first call of the first list that has any. Raises UnreadableFile where there is none."""
        if not self._find_list():
            no_calls, no_list = gettext_lazy("It holds no calls."), gettext_lazy("It holds no list of calls.")
            raise UnreadableFile(no_calls if self._has_empty else no_list)

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

    def _find_list(self, depth: int = 0) -> bool:
        """Go to the first call of the value here, or of a list in it; False where it has none and was passed."""
        sign = self._next_sign()
        if sign == "[":
            self._at += 1
            if self._next_sign() != "]":
                return True
            self._at += 1
            self._has_empty = True
        elif sign == "{" and depth < _DEEPEST:
            return self._find_list_in_object(depth)
        else:
            self._value()
        return False

    def _find_list_in_object(self, depth: int) -> bool:
        self._at += 1
        self._objects += 1
        while self._next_sign() == '"':
            if self._enter_value() not in _LISTS:
                self._value()
            elif self._find_list(depth + 1):
                return True
            if self._next_sign() == ",":
                self._at += 1
        if self._next_sign() != "}":
            raise self._broken()
        self._at += 1
        self._objects -= 1
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
        """The next value, whole; a message in place of one that is too deep or too long. Raises UnreadableFile."""
        self._next_sign()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._held, self._at)
                # A number may go on in the next piece.
                if end < len(self._held) or self._ended:
                    self._at = end
                    return value
            except RecursionError:
                self._pass_value(gettext_lazy("Its JSON is nested too deep."))
                return Message("row_too_deep")
            except ValueError:
                if self._ended:
                    raise self._broken() from None
            if len(self._held) - self._at > LINE_LIMIT:
                words = gettext_lazy("One of its values is broken, or longer than %(most)s characters.")
                self._pass_value(filled(words, most=LINE_LIMIT))
                return Message("line_too_long", most=LINE_LIMIT)
            self._read_more()

    def _pass_value(self, words: Words) -> None:
        """Pass the value here by its brackets and quotes. Raises UnreadableFile where it does not end."""
        depth = 0
        while True:
            found = self._next_of(_OUTSIDE)
            if found is None:
                raise UnreadableFile(words)
            if found in "]}," and depth == 0:
                return
            self._at += 1
            if found == '"':
                self._pass_text(words)
            depth += (found in "[{") - (found in "]}")
            if depth == 0 and found != ",":
                return

    def _pass_text(self, words: Words) -> None:
        """Pass the rest of a text, after its first quote."""
        while found := self._next_of(_INSIDE):
            self._at += 1
            if found == '"':
                return
            # Whatever is escaped, also a quote in the next piece.
            if self._at == len(self._held):
                self._read_more()
            self._at += 1
        raise UnreadableFile(words)

    def _next_of(self, signs: re.Pattern[str]) -> str | None:
        """Go to the next of these signs; None where none follows."""
        while True:
            if found := signs.search(self._held, self._at):
                self._at = found.start()
                return found[0]
            self._at = len(self._held)
            if self._ended:
                return None
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
