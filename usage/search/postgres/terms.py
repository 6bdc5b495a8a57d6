"""The conditions for a needle that the indexes of PostgreSQL answer.

pg_trgm finds needles of three letters or digits on. For others, an index holds the non-Latin characters of each
prompt: most Chinese words have one or two. It also holds those that stand beside a letter or digit of ASCII, with it.
The characters of a needle need not be adjacent in what this index finds, so every candidate is compared.
"""

import re
from typing import Any, NamedTuple

from usage.prompt_privacy.hashed_words import MARK

# The function of the terms of a prompt: its characters that are neither Latin nor compared as others
# (`usage/prompt_match.py`), and their pairs with a letter or digit, between which a blank may stand.
FUNCTION = "usage_search_characters"
PASSED_OVER = r"\u0001-\u024f\ufffd-\uffff"

# The account in an index, whose operator class for arrays PostgreSQL has without an extension.
ACCOUNT = "ARRAY[{}]"

# The same in the regular expressions of PostgreSQL; a prompt is in lower case there.
PAIRS = (f"[0-9a-z] ?[^{PASSED_OVER}]", f"[^{PASSED_OVER}] ?[0-9a-z]")

CHARACTER = "[^\0-\u024f\ufffd-\uffff]"
_CHARACTER = re.compile(CHARACTER)
_PAIRS = (re.compile(f"[0-9a-z] ?{CHARACTER}"), re.compile(f"{CHARACTER} ?[0-9a-z]"))
_CAPITALS = re.compile("[A-Z]+")
_WORD = re.compile("[0-9A-Za-z]+")


class Condition(NamedTuple):
    """A condition on a prompt `p` beside the comparison, and its values; neither if it needs none."""

    sql: str
    values: list[Any]


def by_account(archive_id: int) -> Condition:
    """The condition that a prompt is the account's."""
    return Condition(f"{ACCOUNT.format('p.account_id')} @> {ACCOUNT.format('%s')}::bigint[] AND ", [archive_id])


def by_characters(needle: str) -> Condition:
    """The condition that a prompt has all non-Latin characters of the needle, and all of its pairs."""
    found = sorted({*_CHARACTER.findall(lowered(needle)), *pairs(needle)})
    return Condition(f"{FUNCTION}(p.text) @> %s::text[] AND ", [found]) if found else Condition("", [])


def pairs(needle: str) -> list[str]:
    """The pairs of a needle, in lower case."""
    return [pair for pattern in _PAIRS for pair in pattern.findall(lowered(needle))]


def lowered(needle: str) -> str:
    """The needle with A to Z in lower case; other letters have no other case where texts are compared. Of hashes of
    words without their mark, beside which other hashes stand in what is stored."""
    return _CAPITALS.sub(lambda capitals: capitals[0].lower(), needle.removeprefix(MARK))


def is_indexed(needle: str) -> bool:
    """Whether an index leads to the prompts with the needle: it has a trigram or a non-Latin character."""
    return bool(_CHARACTER.search(lowered(needle))) or any(map(_has_trigram, _WORD.finditer(needle)))


def is_best_by_pairs(needle: str) -> bool:
    """Whether the pairs of the needle lead to fewer prompts than its trigrams, which PostgreSQL takes for rare."""
    return bool(pairs(needle)) and not any(map(_has_trigram, _WORD.finditer(needle)))


def _has_trigram(word: re.Match[str]) -> bool:
    """pg_trgm puts two blanks before a word and one after it, where the needle shows that it begins or ends there."""
    begins, ends = word.start() > 0, word.end() < len(word.string)
    return len(word[0]) + 2 * begins + ends >= 3
