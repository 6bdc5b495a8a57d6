"""Reading the JSON of an answer, whose form may be any. Pure functions."""

import json
import re
from collections.abc import Mapping

# Where a row is nested this deep, what is deeper is left out: Python reads about a thousand levels.
DEEPEST = 20
# Texts, which may contain brackets, and brackets. Possessive, so that it takes one step for each letter.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)


def payload_of(body: bytes | bytearray) -> dict[str, object] | None:
    """Read a JSON object; its numbers stay text, so that no number can break a page by its size.

    Values below the level `DEEPEST` become null where the whole is too deep to be read.
    """
    text = body.decode("utf-8-sig", "replace")
    try:
        found = _parsed(text)
    except RecursionError:
        try:
            found = _parsed(_shallow(text))
        except ValueError:
            return None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def object_of(value: object) -> Mapping[str, object]:
    """An object within an answer, also where it is written as text; empty for anything else."""
    if isinstance(value, str):
        value = payload_of(value.encode(errors="replace"))
    return value if isinstance(value, dict) else {}


def _parsed(text: str) -> object:
    return json.loads(text, strict=False, parse_float=str, parse_int=str, parse_constant=str)


def _shallow(text: str) -> str:
    kept: list[str] = []
    depth = begin = 0
    for token in _TOKEN.finditer(text):
        if token[0] in "[{":
            depth += 1
            if depth == DEEPEST + 1:
                kept += text[begin : token.start()], "null"
                begin = len(text)
        elif token[0] in "]}":
            if depth == DEEPEST + 1:
                begin = token.end()
            depth -= 1
    return "".join([*kept, text[begin:]])
