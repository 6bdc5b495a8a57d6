"""Bills that come in files of services and of accounts (docs/sources/files.md#bills)."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from django.utils.translation import gettext_lazy

from archive_site.lib import clock
from archive_site.lib.i18n import filled
from usage.importing.staging import Staged
from usage.importing.unreadable_file import UnreadableFile
from usage.measures import What
from usage.models import BillRead
from usage.proofs import day_proofs, stored_bills
from usage.proofs.bill import MOST_NAMES, MOST_OF_SUM, Sum, Sums, end_of
from usage.proofs.stored_bills import counted_by, sums_of

# The services add to a day for some time after its end.
SETTLES = timedelta(hours=72)
# What a row of the file of an account has beside its sums.
COMPLETE = "complete"
# Days and sums that are stored in one transaction.
_DAYS, _SUMS = 31, 3000


@dataclass(frozen=True)
class FiledDay:
    """What a file says of a day; `is_complete`: its calls and tokens change no more, as far as is known."""

    day: date
    sums: Sums
    is_complete: bool


class FiledBills:
    """The sums of a staged file, from its `first` to its `last` day. Only the sums of one day are in memory at once.

    Raises UnreadableFile for a day with more names, or a larger sum, than are kept.
    """

    def __init__(self, found: Staged):
        self._found = found
        self.days = 0
        self.first = self.last = date.max
        # What it counts: of anything else it says nothing.
        self.counted: set[What] = set()
        self._made_at: datetime | None = None
        for day, sums, _ in self._by_day():
            self.days += 1
            self.first, self.last = min(self.first, day), day
            self.counted |= {what for _, what in sums}
            if len({model for model, _ in sums}) > MOST_NAMES:
                words = gettext_lazy("It has sums of more than %(most)s models on %(day)s.")
                raise UnreadableFile(filled(words, most=MOST_NAMES, day=day))
            if any(abs(each.amount) > MOST_OF_SUM for each in sums.values()):
                raise UnreadableFile(filled(gettext_lazy("A sum of %(day)s is too large."), day=day))
            if sums:
                # It was made then, or later: it has something of this day, unless that is one to come.
                self._made_at = min(datetime.combine(day, time.min, UTC), clock.now())

    @property
    def has_counts(self) -> bool:
        """Whether it counts calls or tokens: costs alone say nothing of them."""
        return not self.counted <= {What.AMOUNT}

    def by_day(self, skip: int = 0) -> Iterator[FiledDay]:
        """The days without the first ones, oldest first."""
        for place, (day, sums, is_complete) in enumerate(self._by_day()):
            if place >= skip:
                yield FiledDay(day, sums, self._is_complete(day) if is_complete is None else is_complete)

    def parts(self, skip: int = 0) -> Iterator[list[FiledDay]]:
        """The same in lists of days that are stored together."""
        part: list[FiledDay] = []
        for one in self.by_day(skip):
            if part and (len(part) == _DAYS or sum(len(each.sums) for each in (*part, one)) > _SUMS):
                yield part
                part = []
            part.append(one)
        if part:
            yield part

    def may_change(self, day: date) -> bool:
        """Whether its service may have added to a day since the file was made."""
        return self._made_at is None or self._made_at < end_of(day) + SETTLES

    def _is_complete(self, day: date) -> bool:
        """Whether the day had been over for long enough when the file was made, and all of its rows could be read."""
        return self.has_counts and not self._found.unreadable.count and not self.may_change(day)

    def _by_day(self) -> Iterator[tuple[date, Sums, bool | None]]:
        """Each day with its sums, oldest first, and whether the file says itself that it is complete."""
        for day, rows in groupby(self._found.sums_of_days(), key=itemgetter(0)):
            sums, is_complete = Counter[tuple[str, What]](), None
            for _, model, text in rows:
                counted = json.loads(text)
                is_complete = counted.pop(COMPLETE, is_complete)
                for name, amount in counted.items():
                    sums[model, What(name)] += amount
            yield date.fromisoformat(day), {key: Sum(amount) for key, amount in sums.items()}, is_complete


def unchanged(archive_id: int, bills: FiledBills) -> int:
    """How many days of a file the archive keeps as they are."""
    return sum(not each.is_changed for part in bills.parts() for each in _compared(archive_id, bills, part))


def store(archive_id: int, bills: FiledBills, part: Sequence[FiledDay]) -> int:
    """Keep what a file says of some of its days, in the caller's transaction; gives how many of them have changed.

    A later file counts, also for less, but nothing that is not complete takes the place of calls and tokens that are.
    What may have grown since its end counts for less only where no other file goes on. What it does not count stays.
    Raises AccountFull.
    """
    compared = list(_compared(archive_id, bills, part))
    stored_bills.replace_sums(archive_id, {each.day: each.sums for each in compared if each.is_changed})
    now = clock.now()
    stored_bills.note_read(
        BillRead(archive_id=archive_id, day=each.day.isoformat(), read_at=now, is_complete=each.is_complete)
        for each in compared
    )
    stored_bills.raise_versions(archive_id)
    return sum(each.is_changed for each in compared)


def name_models(archive_id: int, bills: FiledBills) -> None:
    """Let all days be compared again where a file counts a model for the first time, which had no calls on days without
    it. In the caller's transaction, before the file is stored."""
    known = counted_by(archive_id)
    if any(key[1] is not What.AMOUNT and key not in known for one in bills.by_day() for key in one.sums):
        day_proofs.forget_bill(archive_id)


class _Compared(NamedTuple):
    """A day as it is once a file is stored, and whether its sums are others than before."""

    day: date
    sums: Sums
    is_complete: bool
    is_changed: bool


def _compared(archive_id: int, bills: FiledBills, part: Sequence[FiledDay]) -> Iterator[_Compared]:
    days = [one.day for one in part]
    here, read = sums_of(archive_id, days), stored_bills.read_days(archive_id, days)
    goes_on = stored_bills.has_any_after(archive_id, bills.last)
    for one in part:
        known, was_complete = here.get(one.day, {}), read.get(one.day, False)
        grown = _larger(known, one.sums, bills.counted) if goes_on and bills.may_change(one.day) else set()
        is_kept = was_complete and bills.has_counts and not one.is_complete
        taken = set() if is_kept else bills.counted - grown
        others = {key: each for key, each in known.items() if key[1] not in taken}
        sums = {**others, **{key: each for key, each in one.sums.items() if key[1] in taken}}
        is_changed = one.day not in read or sums != known
        yield _Compared(one.day, sums, (one.is_complete and not grown) or was_complete, is_changed)


def _larger(known: Sums, filed: Sums, counted: Iterable[What]) -> set[What]:
    """What comes to more in the known sums of a day than in those of a file."""
    here, there = Counter[What](), Counter[What]()
    for found, sums in ((here, known), (there, filed)):
        for (_, what), each in sums.items():
            found[what] += each.amount
    return {what for what in counted if here[what] > there[what]}
