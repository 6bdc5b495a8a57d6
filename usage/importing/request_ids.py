"""Telling the request ids of a file from what programs and spreadsheets put in their place."""

import json
import re
from collections.abc import Iterable, Sequence
from hashlib import sha256

from archive_site.lib.normal_form import normal_form
from archive_site.lib.stored_message import Message
from usage.importing.letters import letters_of, normal
from usage.importing.lost_characters import is_error
from usage.incoming.values import MAX_REQUEST_ID, MissingRequestId, UnreadableRow, request_id
from usage.source_traits import has_form_of_request_id

# Compared by their letters, so also (null), N/A, #REF! and [object Object].
_PLACEHOLDERS = frozenset({
    *("", "na", "nat", "nd", "nv", "ka", "null", "nil", "none", "undefined", "nan", "notavailable", "notapplicable"),
    *("true", "false", "yes", "no", "wahr", "falsch", "vrai", "faux", "verdadero", "falso", "真", "假", "是", "否"),
    *("unknown", "empty", "blank", "missing", "tbd", "objectobject", "ref", "name", "value", "wert", "bezug", "div0"),
    *("tba", "nvt", "não", "error", "num", "inf", "infinity", "нет", "нд", "无", "空", "空白", "未知", "暂无"),
    *("无数据", "无资料", "没有", "不适用", "不明", "なし", "ナシ", "该当なし", "없음", "해당없음"),
    *("dbnull", "systemdbnull", "unset", "notset"),
})  # fmt: skip
# Go writes %!s(<nil>) for a value of another type.
_OF_PROGRAMS = re.compile(r"\\N|-1|%!\w?\(.*\)", re.DOTALL)
# Such as 0000, xxx, and the UUIDs of nothing; 11 and aaa may be ids that somebody gave.
_RUN = re.compile(r"0{2,}|[1-9]{8,}|x{3,}|f{8,}")
# A UUID needs no further look, as the ids of a source, unless all of its digits are the same.
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ALL_THE_SAME = re.compile(r"([0-9a-f])(?:\1|-)*")
# Signs that are not seen, at the ends of a cell.
_INVISIBLE = (
    "\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u2800\u3164\ufeff\uffa0"
)
_AROUND = re.compile(rf"\A[\s{_INVISIBLE}]+|[\s{_INVISIBLE}]+\Z")
# A spreadsheet shows numbers of many digits so, and stores what it shows; of others it keeps 15 digits. A single zero
# behind them may be chance.
_ROUNDED = re.compile(
    r"[+-]?\d{1,3}(?:[.,·٫]\d*)?(?:e\+\d+|×10\^?\+?\d+|[x*]10\^\+?\d+)|[+-]?\d{1,3}[.,·٫]\d*e-?\d+"
    r"|\d{1,2}(?-i:E)(?:1[5-9]|[23]\d)|[1-9]\d{14}0{4,}|\d{16,}\.0",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"[+-]?\d")
# All ids of a column that end like this were rounded, if the number of zeros cannot be chance.
_MAYBE_ROUNDED = re.compile(r"[1-9]\d{14}(0+)", re.ASCII)
_ZEROS = 4
_TOTALS = frozenset({
    *("total", "totals", "totale", "totaal", "totalt", "totaux", "totales", "subtotal", "subtotals", "subtotale"),
    *("soustotal", "grandtotal", "totalgeneral", "totalgénéral", "sum", "sums", "summe", "suma", "somme", "soma"),
    *("zwischensumme", "endsumme", "gesamt", "insgesamt", "gesamtsumme", "gesamtergebnis", "gesamttotal", "всего"),
    *("итого", "итог", "합계", "소계", "총계", "총합", "총합계", "计"),
})  # fmt: skip
_TOTAL = re.compile(
    r"(?:.*\s)?(?:(?:grand|sub|sous)[ -]?)?"
    r"(?:totals?|totale|summe|sum|suma|zwischensumme|gesamt(?:summe|ergebnis)?|итого|합계)(?: général)?(?:[\s(].*)?"
    r"|[Σσς∑].*|=(?:sum|subtotal)\(.*"
    # What pivot tables and subtotals write before and behind a name in German, Japanese and Korean.
    r"|anzahl von .*|.*\s(?:ergebnis|集計|요약)|個数 / .*|개수 : .*",
)
_CHINESE_TOTAL = re.compile("[小合总累共]计|汇总|总和|总额|总数|加总|求和项|计数项|平均值项|^计数")
# Characters of the hash in a key.
_HASH = 32
# A longer cell is a text.
_LONGEST_TOTAL = 40


def are_rounded(cells: Iterable[str]) -> bool:
    """Whether a spreadsheet has rounded the ids of a column whose ids are all numbers."""
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
    """The id in a cell; `are_rounded` where its column has rounded ids. Raises UnreadableRow for what is no id."""
    if _is_sure(cell):
        return cell
    found = request_id(_AROUND.sub("", cell))
    if is_placeholder(found):
        raise MissingRequestId(Message("request_id_placeholder"))
    if _is_rounded(found) or (are_rounded and _MAYBE_ROUNDED.fullmatch(found)):
        raise UnreadableRow(Message("request_id_rounded"))
    if is_total(found):
        raise UnreadableRow(Message("row_is_total"))
    return found


def _is_sure(cell: str) -> bool:
    if cell.isdigit() or _ALL_THE_SAME.fullmatch(cell):
        return False
    return has_form_of_request_id(cell) or _UUID.fullmatch(cell) is not None


def key_of(mark: str, held: Sequence[object]) -> str:
    """The key of what a row holds, which begins with `mark`."""
    return f"{mark}:{sha256(json.dumps(held).encode()).hexdigest()[:_HASH]}"


def is_placeholder(cell: str) -> bool:
    """Whether a cell says that there is nothing in it. One with a damaged character said something."""
    if "\N{REPLACEMENT CHARACTER}" in cell:
        return False
    letters = letters_of(cell)
    is_run = len(set(letters)) == 1 and _RUN.fullmatch(letters)
    return bool(letters in _PLACEHOLDERS or is_run or is_error(cell) or _OF_PROGRAMS.fullmatch(cell))


def is_total(cell: str | None) -> bool:
    """Whether a cell names its row as a sum of others."""
    if not cell or len(cell) > _LONGEST_TOTAL:
        return False
    if (letters := letters_of(cell)) in _TOTALS:
        return True
    return bool(_CHINESE_TOTAL.search(letters) or _TOTAL.fullmatch(normal(cell).strip(" :：.*[]_")))


def _is_rounded(found: str) -> bool:
    if not _DIGITS.match(found) and found.isascii():
        return False
    # Raised digits become others, and blanks may stand around the sign of the power.
    return bool(_ROUNDED.fullmatch("".join(normal_form("NFKC", found).split())))
