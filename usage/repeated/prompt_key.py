"""The number that prompts with the same beginning share (docs/decisions/records.md#what-repeats)."""

import re
from hashlib import blake2b
from string import punctuation

from archive_site.lib.normal_form import normal_form
from usage.prompt_privacy.hashed_words import is_hashed

# The characters of a prompt that are looked at, and those that are compared in normal form.
BEGINNING = 200
_COMPARED = 60
# The key of a record without a prompt; keys of prompts are above it.
NO_PROMPT = 0
# Words with a digit that are hexadecimal or long, such as ids and dates, and all other numbers.
_VARYING = re.compile(r"(?<![0-9a-z_-])(?=[a-z_-]*[0-9])(?:[0-9a-f-]{7,}(?![0-9a-z_-])|[0-9a-z_-]{16,})|\d+")
_DIGIT = re.compile(r"\d")
_AT_ENDS = f"{punctuation}。，、！？；：… "


def prompt_key(prompt: str) -> int:
    """The key of a prompt, of 63 bits; `NO_PROMPT` for one without anything to compare, and for one whose words are
    hashed.

    Prompts with other letter case, blanks, numbers, ids or punctuation at the ends have the same key, and so have those
    that differ only after the first `_COMPARED` characters. The time it takes does not grow with the prompt.
    """
    if is_hashed(prompt):
        return NO_PROMPT
    text = normal_form("NFKC", prompt[:BEGINNING])[:BEGINNING].casefold()
    compared = _compared(text)
    # A prompt may be nothing but "?".
    compared = compared.strip(_AT_ENDS) or compared
    if not compared:
        return NO_PROMPT
    return int.from_bytes(blake2b(compared.encode(), digest_size=8).digest(), "big") >> 1 or 1


def _compared(text: str) -> str:
    """The first `_COMPARED` characters in normal form: word by word, since most words vary in nothing."""
    words: list[str] = []
    length = 0
    for word in text.split(None, _COMPARED):
        # Most words are letters alone: to ask for that takes less than to search.
        if not word.isalpha() and _DIGIT.search(word):
            word = _VARYING.sub("0", word)
        words.append(word)
        length += len(word) + 1
        if length > _COMPARED:
            break
    return " ".join(words)[:_COMPARED]
