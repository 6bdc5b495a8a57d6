"""A JSON document of any size, one element of its lists at a time."""

import io
import json
import re
from collections.abc import Iterator
from json.decoder import WHITESPACE  # type: ignore[attr-defined]  # missing in the stubs

from django.utils.translation import gettext_lazy

from archive_site.lib.i18n import Words, filled
from archive_site.lib.stored_message import Message
from usage.importing.file_source import LINE_LIMIT
from usage.importing.unreadable_file import UnreadableFile

# The names of a list of calls in an object, or of an object that holds it, and the objects around one at most.
LISTS = ("items", "records", "rows", "list", "data")
DEEPEST = 3
_PIECE = 256 * 1024
# Each value takes many times its characters in memory.
_MOST_VALUES = LINE_LIMIT // 32
_TEXT_OR_SIGN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{},]', re.DOTALL)
_OUTSIDE, _INSIDE = re.compile(r'["\[\]{},]'), re.compile(r'["\\]')


class Number(str):
    """A number as it is written: it stays a text, so it is exact, and none is too long to be read."""

    __slots__ = ()


class LeftOutValue(Exception):
    """A value is too long or too deep to be held; `reason` says so of its row."""

    def __init__(self, reason: Message):
        self.reason = reason


# Real files have line breaks and tabs within texts.
_DECODER = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=Number, strict=False)


def decoded(text: str) -> object:
    """The value that is a whole text. Raises ValueError for anything else, and LeftOutValue."""
    _require_few_values(text, 0)
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise LeftOutValue(Message("row_too_deep")) from None


def _require_few_values(text: str, start: int) -> None:
    """Raises LeftOutValue where the value from here on, or as much as there is of it, has too many in it."""
    # Counting the signs in texts and behind the value, too, is fast, and enough for nearly all.
    if sum(text.count(sign, start) for sign in ",[{") <= _MOST_VALUES:
        return
    values = depth = 0
    for found in _TEXT_OR_SIGN.finditer(text, start):
        sign = text[found.start()]
        if sign == '"':
            continue
        depth += (sign in "[{") - (sign in "]}")
        if depth <= 0:
            return
        values += sign in ",[{"
        if values > _MOST_VALUES:
            raise LeftOutValue(Message("row_with_many_values", most=_MOST_VALUES))


class Document:
    """A JSON document; at most one element and one piece of it are in memory."""

    def __init__(self, text: io.TextIOBase):
        self._text = text
        # What was read behind a long value.
        self._behind = io.StringIO()
        self._held = ""
        self._at = self._read = 0
        self._ended = self.has_empty_list = False

    def lists(self, depth: int = 0) -> Iterator[None]:
        """Go to each filled list of the value here, by the names of lists; its `elements` must be read before the next.

        Raises UnreadableFile.
        """
        sign = self._next_sign()
        if sign == "[":
            self._at += 1
            if self._next_sign() == "]":
                self._at += 1
                self.has_empty_list = True
            else:
                yield
        elif sign == "{" and depth < DEEPEST:
            yield from self._lists_in_object(depth)
        else:
            self._value()
        if depth == 0 and self._next_sign():
            raise self._broken()

    def values(self) -> Iterator[object]:
        """The objects and lists one behind the other, with or without commas between. Raises UnreadableFile."""
        while sign := self._next_sign():
            if sign == ",":
                self._at += 1
            elif sign in "{[":
                yield self._value()
            else:
                raise self._broken()

    def elements(self) -> Iterator[object]:
        """The elements of the list here. Raises UnreadableFile where it does not end properly."""
        sign = ","
        while sign != "]":
            yield self._value()
            sign = self._next_sign()
            if sign not in (",", "]"):
                raise self._broken()
            self._at += 1

    def _lists_in_object(self, depth: int) -> Iterator[None]:
        self._at += 1
        sign = self._next_sign()
        while sign != "}":
            if self._enter_value() in LISTS:
                yield from self.lists(depth + 1)
            else:
                self._value()
            sign = self._next_sign()
            if sign not in (",", "}"):
                raise self._broken()
            self._at += sign == ","
        self._at += 1

    def _enter_value(self) -> object:
        """Go to the value of the next member; gives its name."""
        if self._next_sign() != '"':
            raise self._broken()
        name = self._value()
        if self._next_sign() != ":":
            raise self._broken()
        self._at += 1
        return name

    def has_several_values(self) -> bool:
        """Whether an object or a list follows the first one, with or without a comma between.

        False where the first is broken, or too much to be held.
        """
        try:
            self._whole_value()
        except (LeftOutValue, UnreadableFile):
            return False
        if (sign := self._next_sign()) == ",":
            self._at += 1
            sign = self._next_sign()
        return sign in ("{", "[")

    def _value(self) -> object:
        """The next value, whole; a message in place of one that is too much to be held. Raises UnreadableFile."""
        try:
            return self._whole_value()
        except LeftOutValue as left_out:
            self._pass_value(_unended(left_out.reason))
            self._go_behind(self._at)
            return left_out.reason

    def _whole_value(self) -> object:
        """The next value. Raises LeftOutValue, and UnreadableFile where it is broken."""
        self._next_sign()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._held, self._at)
                # A number may go on in the next piece.
                if end < len(self._held) or self._ended:
                    self._go_behind(end)
                    return value
            except RecursionError:
                raise LeftOutValue(Message("row_too_deep")) from None
            except ValueError as error:
                if self._ended:
                    raise self._broken(error) from None
            if len(self._held) - self._at > LINE_LIMIT:
                raise LeftOutValue(Message("line_too_long", most=LINE_LIMIT))
            self._read_more()
            _require_few_values(self._held, self._at)

    def _go_behind(self, end: int) -> None:
        """Go behind a value. Of what was read with a long one only a piece is held, since all of it is tried next."""
        self._at = end
        if len(self._held) - end > 2 * _PIECE:
            self._behind = io.StringIO(self._held[end + _PIECE :] + self._behind.read())
            self._held = self._held[: end + _PIECE]
            self._ended = False

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
        size = max(_PIECE, len(self._held) - self._at)
        piece = self._behind.read(size) or self._text.read(size)
        self._ended = not piece
        self._read += self._at
        self._held, self._at = self._held[self._at :] + piece, 0

    def _broken(self, error: ValueError | None = None) -> UnreadableFile:
        words = gettext_lazy("It is not valid JSON from character %(place)s on.")
        if self._ended and self._is_cut(error):
            words = gettext_lazy("The file is not whole: its JSON breaks off at character %(place)s.")
        return UnreadableFile(filled(words, place=f"{self._read + self._at + 1:,}"))

    def _is_cut(self, error: ValueError | None) -> bool:
        """Whether the end of the text is what is wrong with the value here."""
        if not isinstance(error, json.JSONDecodeError):
            return self._at == len(self._held)
        rest = self._held[error.pos :].strip()
        is_text = error.msg.startswith(("Unterminated", "Invalid \\u"))
        return is_text or any(word.startswith(rest) for word in ("true", "false", "null"))


def _unended(reason: Message) -> Words:
    """What is wrong with a document whose value was left out for this reason, and does not end."""
    if reason.code == "row_too_deep":
        return gettext_lazy("Its JSON is nested too deep.")
    words = gettext_lazy("One of its values is broken, or longer than %(most)s characters.")
    return filled(words, most=LINE_LIMIT)
