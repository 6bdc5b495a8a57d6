"""Cells with characters that could not be read, here or by the program that wrote the file: they are U+FFFD."""

from collections.abc import Mapping
from typing import NamedTuple

from archive_site.lib.stored_message import Message
from usage.importing.call_row import CallRow, LeftOut, shown
from usage.incoming_record import MISSING

_BAD = "\N{REPLACEMENT CHARACTER}"
_LABELS = {"model": "model", "client": "client", "purpose": "agent_purpose"}


class Damaged(NamedTuple):
    """A cell with U+FFFD; `value` is the text around the first one."""

    column: str
    value: str


def checked(call: CallRow, columns: Mapping[str, str]) -> tuple[CallRow | LeftOut, list[Damaged]]:
    """The call so that its damaged cells replace no stored ones, and these cells. A damaged id is none."""
    if _BAD not in call.prompt and _BAD not in f"{call.request_id}{call.model}{call.client}{call.purpose}":
        return call, []
    cells = {"request_id": call.request_id, "prompt": call.prompt, **{name: getattr(call, name) for name in _LABELS}}
    bad = {field: cell for field, cell in cells.items() if _BAD in cell}
    found = [Damaged(columns.get(field, field), shown(cell, cell.index(_BAD))) for field, cell in bad.items()]
    if "request_id" in bad:
        return LeftOut(Message("request_id_damaged"), *found[0]), []
    missing, truncated = call.missing, call.truncated
    for field in bad.keys() & _LABELS.keys():
        missing |= MISSING[_LABELS[field]]
    if "prompt" in bad:
        # As an excerpt, it never replaces a whole prompt.
        missing, truncated = missing & ~MISSING["prompt_truncated"], True
    return call._replace(missing=missing, truncated=truncated), found
