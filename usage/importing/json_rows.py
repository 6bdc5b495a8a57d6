"""The rows of JSON, one at a time: an array, an object that holds one, or objects on lines or one behind the other."""

import io
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.utils.translation import gettext_lazy

from archive_site.lib.stored_message import Message
from usage.importing.columns import NEEDED
from usage.importing.file_source import LINE_LIMIT, Lines, LineTooLong
from usage.importing.json_document import DEEPEST, LISTS, Document, LeftOutValue, decoded
from usage.importing.unreadable_file import UnreadableFile

Row = tuple[int, dict[str, Any] | Message]
# The fields of `NEEDED` that an object with these keys has: a call has all of them.
FieldsOf = Callable[[Iterable[str]], Iterable[str]]
# Lines that show whether each has an object; rows of a list that show whether it has calls.
_LOOKED_AT = 10
# What a text begins with that is JSON, also where it is cut: `[report]` and `{report}` are none.
_TEXT = r'"(?:[^"\\]|\\.)*+(?:"|\Z)'
_SCALAR = rf"(?:{_TEXT}|-?\d[\d.eE+-]*+|true|false|null)"
_BEGINNING = re.compile(
    rf'\s*+(?:\{{\s*+(?:"|\Z|\}}\s*+(?:[{{\[,]|\Z))|\[\s*+(?:{_SCALAR}\s*+,\s*+)*+(?:[{{\[]|\]?\s*+\Z))', re.DOTALL
)
# The codes of answers that did not fail.
_SUCCESS = ("0", "200")
# The keys of the records that this service writes as JSON: as lines, with the purpose, and in the file of an account.
_READABLE = ("request_id", "credits", "model", "client", "ts", "prompt")
_OF_ACCOUNT = (*_READABLE[:-1], "agent_purpose", "prompt_truncated", "prompt")
MEASURES = "measures"
# What an export says of a call beside its amount, which is also its credits, and of its tokens.
UNIT, PROVENANCE, TOKENS, COUNTS = "unit", "provenance", "tokens", ("in", "out", "cache_read", "cache_write")
_MEASURED = (UNIT, "amount", PROVENANCE, TOKENS)
OWN_KEYS = {
    _READABLE, (*_READABLE, "agent_purpose"), (*_READABLE, *_MEASURED), (*_READABLE, "agent_purpose", *_MEASURED),
    _OF_ACCOUNT, (*_OF_ACCOUNT, MEASURES),
}  # fmt: skip


def begins(text: str) -> bool:
    """Whether the beginning of a file is that of JSON with calls."""
    return _BEGINNING.match(text) is not None


def object_in(text: str) -> dict[str, Any] | None:
    """The object that is a whole text; None for anything else."""
    value = _value_in(text)
    return value if isinstance(value, dict) else None


def is_lines(text: io.TextIOBase, fields_of: FieldsOf) -> bool:
    """Whether the text has an object on each line: a call, a whole answer, or the calls of one."""
    lines = values = filled = 0
    has_list = False
    for line in filter(None, itertools.islice(_whole_lines(text), _LOOKED_AT)):
        lines += 1
        value = _value_in(line)
        if isinstance(value, dict | list):
            values += 1
            filled += bool(value)
            has_list = has_list or _holds_list(value, fields_of)
        # As an object, a line takes many times its size.
        del value
    # A document may have one call on a line, too, with a comma at the end of most.
    return filled > 0 and values >= lines / 2 and (lines > 1 or not has_list)


def is_sequence(text: io.TextIOBase) -> bool:
    """Whether the text has objects or lists one behind the other, as where answers were appended to one file."""
    return Document(text).has_several_values()


def rows_of_sequence(text: io.TextIOBase, fields_of: FieldsOf) -> Iterator[Row]:
    """The calls of all values of such a text, numbered from 1. Raises UnreadableFile."""
    calls = (call for value in Document(text).values() for call in _calls_in(value, fields_of))
    for number, call in enumerate(calls, 1):
        yield number, _object(call)


def rows_of_lines(text: io.TextIOBase, fields_of: FieldsOf = lambda _: NEEDED) -> Iterator[Row]:
    """The object of each line, or the calls of the answer in it, with its number; a message for an unreadable line."""
    lines, number = Lines(text), 0
    while True:
        number += 1
        try:
            # Some programs end each line with a comma.
            line = next(lines).strip().removesuffix(",")
            if line:
                for value in _calls_in(decoded(line), fields_of):
                    yield number, _object(value)
        except StopIteration:
            return
        except LineTooLong:
            yield number, Message("line_too_long", most=LINE_LIMIT)
        except LeftOutValue as left_out:
            yield number, left_out.reason
        except ValueError:
            why = Message("row_not_json")
            yield number, Message("row_may_be_cut", why=why) if lines.is_unfinished else why


def place_of_calls(text: io.TextIOBase, fields_of: FieldsOf) -> int:
    """The place of the list with calls among the filled lists of a document: else of the first with objects, or 0.

    Raises UnreadableFile where it has no filled list.
    """
    document = Document(text)
    with_objects: int | None = None
    place = -1
    for place, _ in enumerate(document.lists()):
        for element in document.elements():
            if any(_is_call(call, fields_of) for call in _calls_in(element, fields_of)):
                return place
            if with_objects is None and isinstance(element, dict):
                with_objects = place
    if place < 0:
        no_calls, no_list = gettext_lazy("It holds no calls."), gettext_lazy("It holds no list of calls.")
        raise UnreadableFile(no_calls if document.has_empty_list else no_list)
    return with_objects or 0


def rows_of_document(text: io.TextIOBase, fields_of: FieldsOf, place: int) -> Iterator[Row]:
    """The calls of the list at this place of the document, numbered from 1. Raises UnreadableFile.

    An element may be a whole answer with calls of its own.
    """
    document, number = Document(text), 0
    for at, _ in enumerate(document.lists()):
        for element in document.elements():
            for call in _calls_in(element, fields_of) if at == place else ():
                number += 1
                yield number, _object(call)


def _object(value: object) -> dict[str, Any] | Message:
    return value if isinstance(value, dict | Message) else Message("row_not_object")


def _is_call(value: object, fields_of: FieldsOf) -> bool:
    return isinstance(value, dict) and len(list(fields_of(value))) == len(NEEDED)


def _calls_in(value: object, fields_of: FieldsOf, depth: int = 1) -> list[Any]:
    """The calls of an answer, none for an empty one; anything else is one call."""
    rows = value if isinstance(value, list) else _list_in(value, fields_of) if isinstance(value, dict) else None
    if rows is None or depth > DEEPEST:
        return [value]
    if _has_calls(rows, fields_of):
        return rows
    if isinstance(value, dict) and (_is_call(value, fields_of) or not (rows or _is_empty(value, fields_of))):
        return [value]
    return [call for row in rows for call in _calls_in(row, fields_of, depth + 1)]


def _holds_list(value: dict[str, Any] | list[Any], fields_of: FieldsOf) -> bool:
    """Whether a value is a list, or an object with one, and no call."""
    if isinstance(value, list):
        return True
    has_list = any(isinstance(value.get(name), dict | list) for name in LISTS)
    return has_list and not (_is_call(value, fields_of) and _calls_in(value, fields_of) == [value])


def _is_empty(answer: dict[str, Any], fields_of: FieldsOf) -> bool:
    """Whether an answer without calls says that there are none, and is no call that lacks some of its fields."""
    return set(fields_of(answer)) <= {"request_id"} and str(answer.get("code") or 0) in _SUCCESS


def _has_calls(rows: list[Any], fields_of: FieldsOf) -> bool:
    return any(_is_call(row, fields_of) for row in rows[:_LOOKED_AT])


def _list_in(answer: dict[str, Any], fields_of: FieldsOf, depth: int = 1) -> list[Any] | None:
    """The first list with calls of an answer, else the first with objects, else a filled one, else an empty one.

    None where it has none.
    """
    found = [_list_at(answer[name], fields_of, depth) for name in LISTS if name in answer]
    lists = [each for each in found if each is not None]

    def rank(rows: list[Any]) -> tuple[bool, bool, bool]:
        return _has_calls(rows, fields_of), any(isinstance(row, dict) for row in rows[:_LOOKED_AT]), bool(rows)

    return max(lists, key=rank, default=None)


def _list_at(value: object, fields_of: FieldsOf, depth: int) -> list[Any] | None:
    """The list that stands here, or in the object that stands here."""
    if not value and (value is None or isinstance(value, dict)):
        return []
    if isinstance(value, dict):
        return _list_in(value, fields_of, depth + 1) if depth < DEEPEST else None
    return value if isinstance(value, list) else None


def _value_in(text: str) -> object:
    """The value that is a whole text; None where it is none."""
    try:
        return decoded(text)
    except (ValueError, LeftOutValue):
        return None


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
