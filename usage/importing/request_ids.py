"""Telling the request ids of a file from what programs and spreadsheets put in their place."""

import re

from archive_site.lib.stored_message import Message
from usage.incoming_values import MAX_REQUEST_ID, MissingRequestId, UnreadableRow, request_id

_PLACEHOLDERS = {
    *("n/a", "n.a", "na", "#n/a", "#ref!", "#name?", "#value!", "null", "nil", "none", "undefined", "nan"),
    *("true", "false", "无", "無", ""),
}
_SIGNS = "-–—_.()<>[]\\"
# A spreadsheet shows numbers of many digits so, and stores what it shows.
_ROUNDED = re.compile(r"\d(?:[.,]\d+)?e\+\d+|\d[.,]\d+e\d+", re.IGNORECASE | re.ASCII)
# A longer cell is a prompt.
_LONGEST_TOTAL = 40
_TOTAL = re.compile(
    r"(?:grand |sub-?|sub )?totals?|sum|summe|gesamt(?:summe)?|.*(?:[小合总]计|[小合總]計).*", re.IGNORECASE
)


def id_of(cell: str) -> str:
    """The id in a cell of a file; raises UnreadableRow for what is none."""
    found = cell.strip()
    if not 0 < len(found) <= MAX_REQUEST_ID:
        return request_id(found)
    if found.strip(_SIGNS).lower() in _PLACEHOLDERS:
        raise MissingRequestId(Message("request_id_missing"))
    if _ROUNDED.fullmatch(found):
        raise UnreadableRow(Message("request_id_rounded"))
    if is_total(found):
        raise UnreadableRow(Message("row_is_total"))
    return found


def is_total(cell: str | None) -> bool:
    """Whether a cell names its row as a sum of others."""
    return bool(cell and len(cell) <= _LONGEST_TOTAL and _TOTAL.fullmatch(cell.strip(" :：")))
