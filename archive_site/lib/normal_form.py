"""Normal forms of Unicode texts, in time that grows with the length alone.

Python sorts the marks of a letter, which takes the square of their number: 120,000 marks take seconds, in which no
other thread runs. Unicode's stream-safe texts have at most thirty in a row (UAX #15), and so do the texts here.
"""

import unicodedata
from typing import Literal

_MOST_MARKS = 30
# Texts that are shorter take no time worth looking for marks.
_SHORT = 300


def normal_form(form: Literal["NFC", "NFD", "NFKC"], text: str) -> str:
    """The text in a normal form; of more than thirty marks in a row the rest is left out."""
    if len(text) > _SHORT and not text.isascii():
        text = _stream_safe(text)
    return unicodedata.normalize(form, text)


def _stream_safe(text: str) -> str:
    kept, marks = [], 0
    for sign in text:
        marks = marks + 1 if unicodedata.combining(sign) else 0
        if marks <= _MOST_MARKS:
            kept.append(sign)
    return "".join(kept)
