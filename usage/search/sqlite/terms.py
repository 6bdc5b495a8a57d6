"""The terms of a prompt in the search index, and the FTS5 queries for a needle.

There are two indexes. The narrow one holds the trigrams of a prompt in which one mark replaces each run of non-Latin
characters. The wide one holds the characters and character pairs of those runs: most Chinese words have one or two
characters. Every prompt that contains the needle satisfies the queries, and so do some others: candidates are verified.

A prompt's place in both consists of archive, period and record. So the candidates of an archive, or of some days, are
one span of the index, in the order of their periods. Shorter periods would take more disk, because each period starts
with a long step in every list of the index (docs/decisions/search.md#the-place-of-a-prompt).
"""

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from accounts.models import Archive
from archive_site.lib.http.parameter_parsing import Days
from usage.prompt_privacy.hashed_words import is_hashed, tokens_of

NARROW, WIDE = "usage_search_narrow", "usage_search_wide"

_MARK = "\u0250"
_RUN = re.compile("[^\0-\u024f]+")
_NO_CHARACTERS = str.maketrans("\ufffe\uffff", "\ufffd\ufffd")
# Each term of a query costs an index lookup: with enough terms the last trigram is left out, and there is a maximum.
_ENOUGH_TERMS, _MOST_TERMS = 3, 16

_PERIOD_DAYS = 91
_RECORD_BITS, _PERIOD_BITS, _ARCHIVE_BITS = 33, 10, 20
_LAST_PERIOD = (1 << _PERIOD_BITS) - 1
_FIRST_DAY = date(2000, 1, 3).toordinal()
RECORD_OF_PLACE = (1 << _RECORD_BITS) - 1


@dataclass(frozen=True)
class Span:
    """The places of whole periods, first and last included; false if empty."""

    first: int
    last: int

    def __bool__(self) -> bool:
        return self.first <= self.last

    def parted(self, periods: int, *, from_the_end: bool) -> tuple["Span", "Span"]:
        """Up to `periods` periods from one end, and the rest."""
        if from_the_end:
            edge = max(self.first, self.last + 1 - (periods << _RECORD_BITS))
            return Span(edge, self.last), Span(self.first, edge - 1)
        edge = min(self.last, self.first - 1 + (periods << _RECORD_BITS))
        return Span(self.first, edge), Span(edge + 1, self.last)


def narrow_text(text: str) -> str:
    """The text of a prompt for the narrow index; empty if it is too short for a trigram."""
    narrow = text if text.isascii() else _RUN.sub(_MARK, text)
    return narrow if len(narrow) >= 3 else ""


def wide_text(text: str) -> str:
    """The text of a prompt for the wide index: its non-Latin characters and pairs, each once, separated by blanks."""
    if text.isascii():
        return ""
    terms: set[str] = set()
    for run in set(_RUN.findall(_as_compared(text))):
        terms.update(run)
        terms.update(map("".join, zip(run, run[1:], strict=False)))
    return " ".join(sorted(terms))


def questions(needle: str) -> dict[str, str]:
    """The FTS5 query for a needle, by index. There is none for a needle of only one or two Latin characters."""
    if is_hashed(needle):
        terms = {NARROW: [part for token in tokens_of(needle) for part in _trigrams(token)]}
    else:
        terms = {NARROW: _trigrams(_RUN.sub(_MARK, needle)), WIDE: _wide_terms(needle)}
    return {table: _all_of(found) for table, found in terms.items() if found}


def _trigrams(narrow: str) -> list[str]:
    """Adjacent trigrams, and the last one only if these are few: more terms exclude hardly any candidates."""
    last = len(narrow) - 3
    if last < 0:
        return []
    starts = [0, *range(3, last - 1, 3)]
    return [narrow[at : at + 3] for at in dict.fromkeys(starts if len(starts) >= _ENOUGH_TERMS else [*starts, last])]


def _wide_terms(needle: str) -> list[str]:
    terms = []
    for run in _RUN.findall(_as_compared(needle)):
        terms += [run[at : at + 2] for at in range(len(run) - 1)] or [run]
    return terms


def _as_compared(text: str) -> str:
    """The text as SQLite's LIKE compares it: LIKE reads the noncharacters U+FFFE and U+FFFF as U+FFFD."""
    # Searching the two is a hundred times faster than translating, and almost no text has them.
    return text.translate(_NO_CHARACTERS) if "\ufffe" in text or "\uffff" in text else text


def _all_of(terms: list[str]) -> str:
    different = list(dict.fromkeys(terms))
    apart = different[:: -(-len(different) // _MOST_TERMS)]
    return " AND ".join('"' + term.replace('"', '""') + '"' for term in apart)


def place(archive_id: int, day: str, record_id: int) -> int:
    """The place of a record's prompt in the index.

    Raises OverflowError from account id 2^19, the 2^19th further archive or record id 2^33 on.
    """
    number = _number(archive_id)
    if not 0 <= number < 1 << _ARCHIVE_BITS or not 0 <= record_id <= RECORD_OF_PLACE:
        raise OverflowError(
            f"Record {record_id} of archive {archive_id} is beyond what the search index of SQLite holds."
        )
    return ((number << _PERIOD_BITS | _period(day)) << _RECORD_BITS) | record_id


def _number(archive_id: int) -> int:
    """The number of an archive in the index: first archives have the lower half, further ones the upper half.

    It is out of bounds for ids that have no place.
    """
    half = 1 << _ARCHIVE_BITS - 1
    if archive_id < Archive.FIRST_OF_FURTHER:
        return archive_id if archive_id < half else -1
    return archive_id - Archive.FIRST_OF_FURTHER + half


def span_of(archive_id: int, days: Days) -> Span:
    """The places of an account in the periods that contain these days."""
    first = _period(days.first.isoformat()) if days.first else 0
    last = _period(days.last.isoformat()) if days.last else _LAST_PERIOD
    archive = _number(archive_id) << _PERIOD_BITS
    return Span((archive | first) << _RECORD_BITS, (archive | last) << _RECORD_BITS | RECORD_OF_PLACE)


@lru_cache(maxsize=4096)
def _period(day: str) -> int:
    """The number of a day's period; days outside of all periods belong to the first or the last."""
    return min(max((date.fromisoformat(day).toordinal() - _FIRST_DAY) // _PERIOD_DAYS, 0), _LAST_PERIOD)
