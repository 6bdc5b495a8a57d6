"""Credits as files write them: with a decimal point or a decimal comma, thousands apart, and signs of a currency."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from archive_site.lib.normal_form import normal_form
from archive_site.lib.stored_message import Message
from usage.importing.call_row import shown
from usage.importing.unreadable_file import UnreadableFile
from usage.incoming.values import UnreadableRow

DecimalSign = Literal[".", ","]
_PLAIN = re.compile(r"\d{1,9}(?:\.\d{0,6})?", re.ASCII)
_FREE = re.compile(
    r"free|gratis|gratuit|kostenlos|(?:限时|限時)?免[费費](?:[额額]度)?|無料|无料|무료"
    r"|included(?: in [\w +()-]+| ?\([\w +-]+\))?|inklusive|inclus|已?包含(?:在[\w]{1,10})?|套餐[内內]",
    re.IGNORECASE,
)
_CURRENCY = r"(?:us|hk|nt|cn|a|c|r)?[$¥]|[€£₩₹₽]|usd|cny|rmb|eur|gbp|jpy|chf|kr|zł"
_UNIT = rf"{_CURRENCY}|元|积分|積分|点|點|クレジット|크레딧|cr[eé]dit[os]?s?|points?"
_CELL = re.compile(
    rf"(?P<sign>[+-]?) ?(?:{_CURRENCY})? ?(?P<inner>[+-]?)(?P<number>[\d.,'’ ]*\d[.,]?(?:e[+-]?\d+)?) ?(?:{_UNIT})?",
    re.ASCII,
)
_LONGEST = 64
# Thousands stand apart in one way, and never begin with a zero.
_WRITTEN = (
    r"(?:\d+|[1-9]\d{{0,2}}([{apart} '’])\d{{3}}(?:\1\d{{3}})*)(?:{decimal}\d*)?(?:e[+-]?\d{{1,4}})?|{decimal}\d+"
)
_FORMS = {
    ".": re.compile(_WRITTEN.format(apart=",", decimal=r"\."), re.ASCII),
    ",": re.compile(_WRITTEN.format(apart=r"\.", decimal=","), re.ASCII),
}


@dataclass
class _Seen:
    row: int
    cell: str


def decimal_sign(cells: Iterable[tuple[int, str]], column: str) -> DecimalSign:
    """The decimal sign of a column, from all of its cells and the numbers of their rows; the point where both fit.

    Raises UnreadableFile where some cells have a comma that others contradict
    (docs/decisions/files.md#writings-of-a-column).
    """
    only: dict[str, _Seen] = {}
    for row, cell in cells:
        # Once a cell with a point is found, only such cells can contradict it.
        if ("," in cell or ("." in cell and ("." not in only or cell.count(".") > 1))) and (sign := _only_sign(cell)):
            only.setdefault(sign, _Seen(row, shown(cell)))
            if len(only) > 1:
                raise UnreadableFile(_both(column, only["."], only[","]))
    return "," if "," in only else "."


def credits_text(cell: str, sign: DecimalSign) -> str:
    """The number of a cell as `amount` reads it. Raises UnreadableRow."""
    if sign == "." and _PLAIN.fullmatch(cell):
        return cell
    if _FREE.fullmatch(cell.strip()):
        return "0"
    found = _parts(cell)
    if found is None or not _FORMS[sign].fullmatch(found[1]):
        raise UnreadableRow(Message("credit_not_number"))
    kept = "".join(each for each in found[1] if each in f"0123456789e+-{sign}")
    return found[0] + kept.replace(",", ".")


def _only_sign(cell: str) -> str | None:
    """The decimal sign of a cell that fits only one; None for all others."""
    found = _parts(cell)
    fitting = [sign for sign, form in _FORMS.items() if found and form.fullmatch(found[1])]
    return fitting[0] if len(fitting) == 1 else None


def _parts(cell: str) -> tuple[str, str] | None:
    """The sign of a number and its digits with what stands between them."""
    plain = cell if cell.isascii() else _normal(cell)
    found = _CELL.fullmatch(plain.strip().lower())
    if found is None or (found["sign"] and found["inner"]):
        return None
    return found["sign"] + found["inner"], found["number"]


def _normal(cell: str) -> str:
    # One character may become eighteen, so a long cell is none. Exponents and numbers in circles would become digits.
    if len(cell) > _LONGEST or any(unicodedata.category(sign) == "No" for sign in cell):
        return ""
    return normal_form("NFKC", cell).replace("\u2212", "-")


def _both(column: str, point: _Seen, comma: _Seen) -> Message:
    return Message(
        "import_both_writings", column=column, point=point.cell, point_row=point.row, comma=comma.cell,
        comma_row=comma.row,
    )  # fmt: skip
