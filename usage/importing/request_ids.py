"""Telling the request ids of a file from what programs and spreadsheets put in their place."""

import re
import unicodedata
from collections.abc import Iterable

from archive_site.lib.stored_message import Message
from usage.incoming_values import MAX_REQUEST_ID, MissingRequestId, UnreadableRow, request_id

# Compared without the signs around them, so also (null), #N/A and [object Object].
_PLACEHOLDERS = frozenset({
    *("", "n/a", "n.a", "na", "nat", "n/d", "n/v", "nv", "k.a", "null", "nil", "none", "undefined", "nan"),
    *("true", "false", "yes", "no", "wahr", "falsch", "vrai", "faux", "verdadero", "falso", "真", "假", "是", "否"),
    *("unknown", "empty", "blank", "object object", "ref", "name", "value", "wert", "bezug", "div/0", "num"),
    *("inf", "infinity", "无", "無", "空", "未知", "暂无", "不适用", "なし", "없음"),
})  # fmt: skip
_SIGNS = "-–—−‐－_.,;:…?!*/#'\"()<>[]{}\\ "
_NULL_OF_DATABASES = "\\N"
# The forms of the upstream, which need no further look.
_OF_UPSTREAM = re.compile(r"[0-9a-f]{32}|crb-[0-9A-Za-z-]{1,64}")
_INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
# A spreadsheet shows numbers of many digits so, and stores what it shows; of others it keeps 15 digits. A single zero
# behind them may be chance.
_ROUNDED = re.compile(
    r"[+-]?\d{1,2}(?:[.,]\d*)?(?:e\+\d+|×10\^\d+)|[+-]?\d{1,2}[.,]\d*e\d+|\d{1,2}(?-i:E)(?:1[5-9]|[23]\d)|[1-9]\d{14}0{4,}|\d{16,}\.0",
    re.IGNORECASE | re.ASCII,
)
# All ids of a column that end so were rounded, if so many zeros cannot be chance.
_MAYBE_ROUNDED = re.compile(r"[1-9]\d{14}(0+)", re.ASCII)
_ZEROS = 4
_TOTAL = re.compile(
    r"(?:.*\s)?(?:(?:grand|sub|sous)[ -]?)?"
    r"(?:totals?|totale|summe|sum|suma|zwischensumme|gesamt(?:summe|ergebnis)?|итого|합계)(?: général)?(?:[\s(].*)?"
    r"|.*(?:[小合总總] ?[计計]|汇总|匯總|总和|总额|总数|共计|累计).*|[Σ∑].*|=(?:sum|subtotal)\(.*",
    re.IGNORECASE,
)
# A longer cell is a text.
_LONGEST_TOTAL = 40


def are_rounded(cells: Iterable[str]) -> bool:
    """Whether a spreadsheet has rounded the ids of a column, all of which are numbers."""
    found: set[str] = set()
    zeros = 0
    for cell in map(str.strip, cells):
        if cell in found or not any(map(str.isdigit, cell[:MAX_REQUEST_ID])) or _ROUNDED.fullmatch(cell):
            continue
        rounded = _MAYBE_ROUNDED.fullmatch(cell)
        if rounded is None:
            return False
        if zeros < _ZEROS:
            found.add(cell)
            zeros += len(rounded[1])
    return zeros >= _ZEROS


def id_of(cell: str, *, are_rounded: bool = False) -> str:
    """The id in a cell of a file, whose column `are_rounded` tells of; raises UnreadableRow for what is none."""
    if _OF_UPSTREAM.fullmatch(cell) and not cell.isdigit():
        return cell
    found = request_id(cell.strip().strip(_INVISIBLE))
    if is_placeholder(found):
        raise MissingRequestId(Message("request_id_missing"))
    if _ROUNDED.fullmatch(unicodedata.normalize("NFKC", found)) or (are_rounded and _MAYBE_ROUNDED.fullmatch(found)):
        raise UnreadableRow(Message("request_id_rounded"))
    if is_total(found):
        raise UnreadableRow(Message("row_is_total"))
    return found


def is_placeholder(cell: str) -> bool:
    """Whether a cell says that there is nothing in it."""
    return cell == _NULL_OF_DATABASES or cell.strip(_SIGNS).casefold() in _PLACEHOLDERS


def is_total(cell: str | None) -> bool:
    """Whether a cell names its row as a sum of others."""
    return bool(cell and len(cell) <= _LONGEST_TOTAL and _TOTAL.fullmatch(cell.strip(" :：.*[]_")))
