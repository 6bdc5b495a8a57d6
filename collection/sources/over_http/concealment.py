"""Keeping the credential of a request out of what is shown of its answer. Pure functions."""

import re
from collections.abc import Iterable

MAX_WORDS = 200
# A shorter part of a credential is no secret, and may be a word of the answer.
SHORTEST = 6
# Stands for a letter of a secret until the text is cut.
_HIDDEN = "\0"


def concealed(words: str, secrets: Iterable[str]) -> str:
    """Give the text on one line, its first 200 characters, all printable, with each secret of some length as `…`."""
    parts = sorted({secret for secret in secrets if len(secret) >= SHORTEST}, key=len, reverse=True)
    # As far as a value can reach that begins in what is shown: the rest may be megabytes.
    most = MAX_WORDS + len(parts[0]) if parts else MAX_WORDS
    words = " ".join(words.replace(_HIDDEN, " ").split(maxsplit=most))[:most]
    for part in parts:
        # As long as the value, so that the cut does not move.
        words = re.sub(re.escape(part), lambda found: _HIDDEN * len(found[0]), words, flags=re.IGNORECASE)
    words = re.sub(f"{_HIDDEN}+", "…", words[:MAX_WORDS])
    # A terminal would obey some of the others, and halves of characters cannot be stored.
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in words)
