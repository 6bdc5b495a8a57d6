"""Prompts whose characters another program has lost: question marks or an error of a spreadsheet in their place."""

import re
from enum import StrEnum

# A program that cannot write a character writes one question mark, or several for its bytes.
_LEAST = 2
_ERROR = re.compile(r"(?:#(?:NAME\?|(?:VALUE|REF|DIV/0|NUM|NULL|SPILL|CALC)!|N/A)\s*)+")


class Loss(StrEnum):
    """How much of a prompt was lost."""

    PART = "part"
    WHOLE = "whole"


def loss_in(prompt: str) -> Loss | None:
    """What a prompt has lost; None where nothing shows it. At least half of it must be question marks."""
    if _ERROR.fullmatch(prompt):
        return Loss.WHOLE
    marks = prompt.count("?")
    if marks < _LEAST or marks * 2 < len(prompt) - prompt.count(" "):
        return None
    return Loss.WHOLE if not any(map(str.isalnum, prompt)) else Loss.PART
