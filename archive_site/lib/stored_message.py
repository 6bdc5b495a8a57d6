"""Messages stored as a code and parameters; reading them gives the text in the reader's language.

Each app declares its codes with their English templates in its module `message_templates`. A stored text without a
declared code is returned unchanged: a fork or a later release may have written it.
"""

import json
import operator
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any, Union

from django.utils.translation import get_language, pgettext

from archive_site.lib.i18n import Words, english

Value = Union[str, int, "Message", Sequence["Value"]]
_RESERVED = frozenset({"at", "code"})
# Parameters that count something: their thousands are separated where the reader has a language.
_COUNTS = frozenset({
    "accounts", "added", "calls", "changed", "changes", "count", "counts", "days", "differences", "filled", "made",
    "mended", "missing", "outside", "records", "rows", "slots", "times", "total", "windows",
})  # fmt: skip
_templates: dict[str, Words] = {}
_words: dict[tuple[str, str], Mapping[str, Words]] = {}
_usual: dict[str, Words] = {}


def declare(templates: Mapping[str, Words]) -> None:
    """Declare codes with lazy templates, whose `%(name)s` are the parameters. Raises ValueError for a declared code."""
    twice = _templates.keys() & templates.keys()
    if twice:
        raise ValueError(f"declared twice: {', '.join(sorted(twice))}")
    _templates.update(templates)


def declare_words(words: Mapping[tuple[str, str], Mapping[str, Words]]) -> None:
    """Declare the words for the values of parameters that are codes, by code of the message and name of the parameter.

    A value without a word stays as it is.
    """
    _words.update(words)


def declare_usual(words: Mapping[str, Words]) -> None:
    """Declare what the parameters are that a message leaves out, as it does where nothing else is usual."""
    _usual.update(words)


def declared() -> Mapping[str, Words]:
    return dict(_templates)


class Message:
    """A code and its parameters: texts, numbers, messages, and lists of these. `str` gives the reader's text."""

    __slots__ = ("code", "values")

    def __init__(self, code: str, /, **values: Value):
        if not _RESERVED.isdisjoint(values):
            raise ValueError("a parameter has a reserved name")
        self.code = code
        self.values: Mapping[str, Value] = values

    def __str__(self) -> str:
        shown = {name: _shown(name, self._in_words(name, value)) for name, value in self.values.items()}
        return str(operator.mod(_templates[self.code], {**_usual, **shown}))

    def _in_words(self, name: str, value: Value) -> Value:
        words = _words.get((self.code, name), {})
        if isinstance(value, str):
            return str(words.get(value, value))
        return [self._in_words(name, part) for part in value] if words and isinstance(value, Sequence) else value

    def __repr__(self) -> str:
        return f"Message({self.stored()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and self.as_data() == other.as_data()

    def __hash__(self) -> int:
        return hash(self.stored())

    def as_data(self) -> dict[str, Any]:
        return {"code": self.code, **{name: _data(value) for name, value in self.values.items()}}

    def stored(self, *, at: str = "") -> str:
        """The message as stored, on one line; `at` is the time of the entry in a log."""
        data = {"at": at, **self.as_data()} if at else self.as_data()
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))

    def said_of(self, **named: Value) -> "Message":
        """The message, and those within, with these parameters where their templates have them and they do not."""
        values: dict[str, Value] = {name: _said_of(value, named) for name, value in self.values.items()}
        known = _parameters(self.code)
        return Message(self.code, **{**{name: value for name, value in named.items() if name in known}, **values})

    def mapped(self, change: Callable[[str], str], *, besides: Collection[str] = ()) -> "Message":
        """The message with `change` applied to each text of its parameters, except those named in `besides`."""
        values = self.values.items()
        return Message(
            self.code, **{name: value if name in besides else _mapped(value, change, besides) for name, value in values}
        )


def of_data(data: Mapping[str, Any]) -> Message:
    """The message of parsed JSON. Raises ValueError if it has no declared code."""
    code = data.get("code")
    if not isinstance(code, str) or code not in _templates:
        raise ValueError("no declared code")
    return Message(code, **{name: _value(value) for name, value in data.items() if name not in _RESERVED})


def read(stored: str) -> Message | None:
    """The message of a stored text; None for a plain text."""
    found = read_line(stored)
    return found[1] if found else None


def read_line(stored: str) -> tuple[str, Message] | None:
    """The time (empty if missing) and the message of a log line; None for a plain text."""
    if not stored.startswith("{"):
        return None
    try:
        data = json.loads(stored)
        message = of_data(data)
        # A parameter of the template may be missing or have the wrong type.
        str(message)
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return None
    return str(data.get("at", "")), message


def text_of(stored: str) -> str:
    """The text of a stored message in the reader's language; a plain text unchanged."""
    message = read(stored)
    return stored if message is None else str(message)


def codes_with(text: str) -> list[str]:
    """The codes whose templates contain a text in the reader's language, case-insensitive."""
    wanted = text.casefold()
    return [code for code, words in _templates.items() if wanted in str(operator.mod(words, _Blank())).casefold()]


def shortened(message: Message, most: int) -> Message:
    """The message with its last parameters cut until its English text has at most `most` characters."""
    if len(english(message)) <= most:
        return message
    rooms = range(sum(map(len, _texts(message))) + 1)
    # The text never gets shorter with more room, so a binary search works.
    fitting = bisect_right(rooms, most, key=lambda room: len(english(_cut(message, room))))
    return _cut(message, max(0, fitting - 1))


def _cut(message: Message, room: int) -> Message:
    def cut(text: str) -> str:
        nonlocal room
        kept = text[:room]
        room -= len(kept)
        return kept

    return message.mapped(cut)


class _Shown(int):
    """A number that is shown as some text, and still selects the form of a plural."""

    text: str

    def __new__(cls, number: int, text: str) -> "_Shown":
        made = super().__new__(cls, number)
        made.text = text
        return made

    def __str__(self) -> str:
        return self.text


class _Blank(dict[str, Any]):
    """Empty parameters, for searching a template; those that messages leave out are as usual."""

    def __missing__(self, name: str) -> Any:
        return _usual.get(name, _Shown(1, ""))


class _Taken(_Blank):
    """Empty parameters that note which of them a template takes."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __missing__(self, name: str) -> Any:
        self.names.add(name)
        return super().__missing__(name)


@cache
def _parameters(code: str) -> frozenset[str]:
    taken = _Taken()
    str(operator.mod(_templates[code], taken))
    return frozenset(taken.names)


def _said_of(value: Value, named: Mapping[str, Value]) -> Value:
    if isinstance(value, Message):
        return value.said_of(**named)
    return value if isinstance(value, str | int) else [_said_of(part, named) for part in value]


def _texts(value: Value) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = list(value.values.values()) if isinstance(value, Message) else [] if isinstance(value, int) else value
    return [text for part in parts for text in _texts(part)]


def _shown(name: str, value: Value) -> str | int:
    if isinstance(value, int) and name in _COUNTS and get_language() is not None:
        return _Shown(value, f"{value:,}")
    if isinstance(value, str | int):
        return value
    if isinstance(value, Message):
        return str(value)
    # A list in the file of an account may have thousands of parts.
    parts = [part if isinstance(part, str) else str(_shown(name, part)) for part in value]
    return pgettext("between the parts of a list", ", ").join(filter(None, parts)) if parts else ""


def _data(value: Value) -> Any:
    if isinstance(value, str | int):
        return value
    return value.as_data() if isinstance(value, Message) else [_data(part) for part in value]


def _value(data: Any) -> Value:
    if isinstance(data, str):
        # JSON can escape halves of characters, which no answer can hold. The file of an account brings any message.
        return data if data.isascii() else data.encode(errors="replace").decode()
    if isinstance(data, int):
        return data
    if isinstance(data, list):
        return [_value(part) for part in data]
    if isinstance(data, dict):
        return of_data(data)
    raise ValueError("no parameter of a message")


def _mapped(value: Value, change: Callable[[str], str], besides: Collection[str]) -> Value:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Message):
        return value.mapped(change, besides=besides)
    return value if isinstance(value, int) else [_mapped(part, change, besides) for part in value]
