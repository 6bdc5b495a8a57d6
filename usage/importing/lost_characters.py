"""Prompts whose characters another program has lost: question marks or an error of a spreadsheet in their place."""

import re
from enum import StrEnum

# A program that cannot write a character writes one question mark, or several for its bytes.
_LEAST = 2
_ERROR = re.compile(r"(?:#(?:NAME\?|(?:VALUE|REF|DIV/0|NUM|NULL|SPILL|CALC)!|N/A)\s*)+")
# The errors of spreadsheets in all languages, in capitals: #NOM?, #¿NOMBRE?, #ÜBERLAUF!, #N/D, #NV.
_ERROR_OF_ANY = re.compile(r"#(?:[¡¿]?[^\W\d_][\w/ ]{1,30}[!?]|[NН]/?[ADVД]|N/DISP\.?|GETTING_DATA)\s*")
_NUMBERED_ERROR = re.compile(r"Err:\d{3}")


class Loss(StrEnum):
    """How much of a prompt was lost."""

    PART = "part"
    WHOLE = "whole"


def is_error(cell: str) -> bool:
    """Whether a spreadsheet wrote an error into a cell."""
    is_named = _ERROR_OF_ANY.fullmatch(cell) and cell == cell.upper()
    return bool(is_named or _NUMBERED_ERROR.fullmatch(cell))


def loss_in(prompt: str) -> Loss | None:
    """What a prompt has lost; None where nothing shows it. At least half of it must be question marks."""
    if _ERROR.fullmatch(prompt):
        return Loss.WHOLE
    if is_error(prompt):
        # Somebody may have written it.
        return Loss.PART
    marks = prompt.count("?")
    if marks < _LEAST or marks * 2 < len(prompt) - prompt.count(" "):
        return None
    return Loss.WHOLE if not any(map(str.isalnum, prompt)) else Loss.PART
