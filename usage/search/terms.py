"""What of a prompt the search index holds, and what a needle asks of it.

Two indexes share the work. The narrow one holds the trigrams of a prompt in which each run of characters beyond Latin
is one mark. The wide one holds the characters and the pairs of those runs: a Chinese word has one or two of them. What
a needle asks of either is true of every prompt that contains the needle, and of some others: candidates are verified.

A prompt's place in both tells its account and period, and last its record. So an account's candidates, or those of some
days, are one span of the index, and come period by period in the order of time. Shorter periods would take more disk:
each begins with a long step in every list of the index.
"""

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from archive_site.lib.http.parameters import Days

NARROW, WIDE = "usage_search_narrow", "usage_search_wide"

_MARK = "\u0250"
_RUN = re.compile("[^\0-\u024f]+")
_NO_CHARACTERS = str.maketrans("\ufffe\uffff", "\ufffd\ufffd")
# So many terms single out a needle well, and no more are asked for; each costs a look into the index.
_ENOUGH_TERMS, _MOST_TERMS = 3, 16

_PERIOD_DAYS = 91
_RECORD_BITS, _PERIOD_BITS, _ACCOUNT_BITS = 33, 10, 20
_LAST_PERIOD = (1 << _PERIOD_BITS) - 1
_FIRST_DAY = date(2000, 1, 3).toordinal()
RECORD_OF_PLACE = (1 << _RECORD_BITS) - 1


@dataclass(frozen=True)
class Span:
    """Whole periods of places from first to last, both included; false where there are none."""

    first: int
    last: int

    def __bool__(self) -> bool:
        return self.first <= self.last

    def parted(self, periods: int, *, from_the_end: bool) -> tuple["Span", "Span"]:
        """So many periods of one end, as far as there are, and what is left."""
        if from_the_end:
            edge = max(self.first, self.last + 1 - (periods << _RECORD_BITS))
            return Span(edge, self.last), Span(self.first, edge - 1)
        edge = min(self.last, self.first - 1 + (periods << _RECORD_BITS))
        return Span(self.first, edge), Span(edge + 1, self.last)


def narrow_text(text: str) -> str:
    """What the narrow index is given of a prompt: nothing where it is too short for a trigram."""
    narrow = text if text.isascii() else _RUN.sub(_MARK, text)
    return narrow if len(narrow) >= 3 else ""


def wide_text(text: str) -> str:
    """What the wide index is given of a prompt: its wide characters and pairs, each once, parted by blanks."""
    if text.isascii():
        return ""
    terms: set[str] = set()
    for run in _RUN.findall(_as_compared(text)):
        terms.update(run)
        terms.update(map("".join, zip(run, run[1:], strict=False)))
    return " ".join(sorted(terms))


def questions(needle: str) -> dict[str, str]:
    """What each index is asked for a needle, as FTS5 queries; none where it has one or two Latin characters only."""
    narrow = _RUN.sub(_MARK, needle)
    terms = {NARROW: _trigrams(narrow), WIDE: _wide_terms(needle)}
    return {table: _all_of(found) for table, found in terms.items() if found}


def _trigrams(narrow: str) -> list[str]:
    """Those that follow one another; the last one only where these are few: more find hardly less, and take longer."""
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
    """SQLite's LIKE reads two characters that are none as the one that stands for such."""
    return text.translate(_NO_CHARACTERS)


def _all_of(terms: list[str]) -> str:
    different = list(dict.fromkeys(terms))
    apart = different[:: -(-len(different) // _MOST_TERMS)]
    return " AND ".join('"' + term.replace('"', '""') + '"' for term in apart)


def place(user_id: int, day: str, record_id: int) -> int:
    """Where a record's prompt stands in the index. Raises OverflowError from 2^20 accounts or 2^33 records on."""
    if not 0 <= user_id < 1 << _ACCOUNT_BITS or not 0 <= record_id <= RECORD_OF_PLACE:
        raise OverflowError(f"Record {record_id} of account {user_id} is beyond what the search index of SQLite holds.")
    return ((user_id << _PERIOD_BITS | _period(day)) << _RECORD_BITS) | record_id


def span_of(user_id: int, days: Days) -> Span:
    """The places of an account in the periods of some days."""
    first = _period(days.first.isoformat()) if days.first else 0
    last = _period(days.last.isoformat()) if days.last else _LAST_PERIOD
    account = user_id << _PERIOD_BITS
    return Span((account | first) << _RECORD_BITS, (account | last) << _RECORD_BITS | RECORD_OF_PLACE)


@lru_cache(maxsize=4096)
def _period(day: str) -> int:
    """The number of a day's period; all before the first or after the last number count as those."""
    return min(max((date.fromisoformat(day).toordinal() - _FIRST_DAY) // _PERIOD_DAYS, 0), _LAST_PERIOD)
