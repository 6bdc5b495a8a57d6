"""Cells with characters that could not be read, here or by the program that wrote the file.

They are U+FFFD, or those of a text in UTF-8 that was read as Latin-1 or Windows-1252.
"""

import codecs
import re
from collections.abc import Mapping
from typing import NamedTuple

from archive_site.lib.stored_message import Message
from usage.importing.call_row import CallRow, LeftOut, shown
from usage.incoming.record import MISSING

_BAD = "\N{REPLACEMENT CHARACTER}"
# The first two bytes of a character of UTF-8 as those encodings read them.
_PAIR = re.compile("[\u00c2-\u00f4][^\x00-\x7f\u00c0-\u00ff]")
# Signs of Windows-1252 by their bytes.
_BYTES = {ord(sign): byte for byte in range(0x80, 0xA0) if (sign := bytes([byte]).decode("cp1252", "ignore"))}
_LABELS = {"model": "model", "client": "client", "purpose": "agent_purpose"}


class Damaged(NamedTuple):
    """A cell that is damaged; `value` is the text around the first place."""

    column: str
    value: str


def checked(call: CallRow, columns: Mapping[str, str]) -> tuple[CallRow | LeftOut, list[Damaged]]:
    """The call so that its damaged cells replace no stored ones, and these cells. A damaged id is none."""
    if not (_may_be_bad(call.prompt) or _may_be_bad(f"{call.request_id} {call.model} {call.client} {call.purpose}")):
        return call, []
    cells = {"request_id": call.request_id, "prompt": call.prompt, **{name: getattr(call, name) for name in _LABELS}}
    bad = {field: cell for field, cell in cells.items() if _BAD in cell or is_misread(cell)}
    found = [Damaged(columns.get(field, field), shown(cell, max(0, cell.find(_BAD)))) for field, cell in bad.items()]
    if "request_id" in bad:
        return LeftOut(Message("request_id_damaged"), *found[0]), []
    missing, truncated = call.missing, call.truncated
    for field in bad.keys() & _LABELS.keys():
        missing |= MISSING[_LABELS[field]]
    if "prompt" in bad:
        # As an excerpt, it never replaces a whole prompt.
        missing, truncated = missing & ~MISSING["prompt_truncated"], True
        if _BAD not in call.prompt:
            # It is longer than the text that it was, also than an excerpt.
            missing |= MISSING["prompt"]
    return call._replace(missing=missing, truncated=truncated), found


def is_misread(text: str) -> bool:
    """Whether a text is UTF-8 that was read as Latin-1 or Windows-1252, perhaps cut at its end."""
    if text.isascii() or not _PAIR.search(text):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(text.translate(_BYTES).encode("latin-1"))
    except UnicodeError:
        return False
    return True


def _may_be_bad(text: str) -> bool:
    return not text.isascii() and (_BAD in text or _PAIR.search(text) is not None)
