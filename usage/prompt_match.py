"""The comparison that decides whether a prompt contains a text."""

import re

from archive_site.lib.storage import engine
from usage.prompt_privacy.hashed_words import MARK, is_hashed, tokens_of
from usage.prompt_privacy.shown_text import IS_HASHED

_ESCAPES = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})
# Shorter ones take LIKE at most a few milliseconds a prompt.
_LONG = 64
_LETTER = re.compile("[A-Za-z]")
_EQUAL_CHARACTERS = re.compile("[\ufffd-\uffff]")


def verified(text: str) -> tuple[str, str]:
    """The condition that a prompt `p` contains the text, with A to Z in either case, and its value.

    SQLite's LIKE ignores the case of exactly these letters, as PostgreSQL's ILIKE does for columns with COLLATE "C".
    ILIKE makes each prompt a lower-case copy, which a text without letters does not need. SQLite's LIKE takes the
    product of both lengths and asks for no time limit meanwhile, so long texts are found by their bytes.
    """
    if is_hashed(text):
        # In their own order, as they are stored.
        return "p.text LIKE %s ESCAPE '\\'", f"{MARK}%{'%'.join(tokens_of(text))}%"
    condition, value = _contains(text)
    # Nobody reads hashes, so nobody finds them by their letters.
    return f"({condition} AND NOT ({IS_HASHED}))", value


def _contains(text: str) -> tuple[str, str]:
    if engine.IS_SQLITE and len(text) > _LONG:
        return f"INSTR({_lower('p.text')}, {_lower('%s')}) > 0", text
    pattern = f"%{text.translate(_ESCAPES)}%"
    if not engine.IS_SQLITE and _EQUAL_CHARACTERS.search(text):
        return f"{_as_sqlite('p.text')} ILIKE {_as_sqlite('%s')}", pattern
    like = engine.LIKE if _LETTER.search(text) else "LIKE"
    return f"p.text {like} %s ESCAPE '\\'", pattern


def _lower(text: str) -> str:
    """A text in SQL as SQLite's LIKE compares it, with small letters for A to Z."""
    return f"REPLACE(REPLACE(LOWER({text}), CHAR(65534), CHAR(65533)), CHAR(65535), CHAR(65533))"


def _as_sqlite(text: str) -> str:
    """A text in SQL as SQLite's LIKE reads it: the noncharacters U+FFFE and U+FFFF are U+FFFD."""
    return f"TRANSLATE({text}, U&'\\FFFE\\FFFF', U&'\\FFFD\\FFFD')"
