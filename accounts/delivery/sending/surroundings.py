"""What people copy together with an address: quotes, brackets, the end of a sentence, the name of a mailbox."""

import re

_IN_BRACKETS = re.compile(r"[^<>]*<([^<>\s]+)>")
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", "（": "）", "(": ")"}
_UNSEEN = " \t\r\n\u00a0\u3000\u200b\u2060\ufeff"
_ENDS = f"{_UNSEEN}.,;。，；、"


def without_surroundings(text: str) -> str:
    """The text without them. A quote alone stays: it may begin the name of a mailbox."""
    text = text.strip(_UNSEEN).rstrip(_ENDS)
    # Few, since each takes a copy.
    for _ in range(3):
        if len(text) < 2 or _QUOTES.get(text[0]) != text[-1]:
            break
        text = text[1:-1].strip(_UNSEEN).rstrip(_ENDS)
    found = _IN_BRACKETS.fullmatch(text)
    return found[1].rstrip(_ENDS) if found else text
