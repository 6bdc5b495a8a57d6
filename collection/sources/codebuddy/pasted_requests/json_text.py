"""Pasted JSON of any form: values of another type than expected count as missing."""

import json
import re
from collections.abc import Iterator
from typing import Any

from archive_site.lib.stored_message import Message

# A paste may have line breaks within a text.
_DECODER = json.JSONDecoder(strict=False)
_LONGEST_NUMBER = 10**20
_BLANK = re.compile(r"\s*")


def value_at(text: str, position: int = 0) -> tuple[Any, int]:
    """The JSON value at a position, and the position behind it and blanks. Raises ValueError with a message."""
    try:
        value, end = _DECODER.raw_decode(text, _end_of_blanks(text, position))
    except (ValueError, RecursionError):
        # Its own message and arguments would hold the text.
        raise ValueError(Message("pasted_text_without_cookie")) from None
    return value, _end_of_blanks(text, end)


def member(value: Any, *names: str) -> Any:
    """The value under these names, one inside the other; None if missing."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text_in(value: Any, name: str) -> str:
    """The text under a name; empty if missing."""
    found = member(value, name)
    return found if isinstance(found, str) else ""


def value_in(cookie: Any) -> str:
    """The value of a cookie, which some programs write as a number; empty if missing."""
    found = member(cookie, "value")
    is_number = isinstance(found, int) and not isinstance(found, bool) and abs(found) < _LONGEST_NUMBER
    return str(found) if is_number else text_in(cookie, "value")


def elements(value: Any) -> list[Any]:
    """The elements of a list; none of another value."""
    return value if isinstance(value, list) else []


def named_values(value: Any) -> Iterator[tuple[str, str]]:
    """Name and value of each object in a list, as HAR has headers and cookies."""
    for element in elements(value):
        if name := text_in(element, "name"):
            yield name, value_in(element)


def _end_of_blanks(text: str, position: int) -> int:
    blanks = _BLANK.match(text, position)
    return blanks.end() if blanks else position
