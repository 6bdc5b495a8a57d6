"""Compares what the source gives with the records here, week by week (docs/decisions/collection.md#verification)."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from archive_site.lib.stored_message import Message
from usage import stored_calls
from usage.amounts.unit_of_archive import unit_of
from usage.export.csv_file import amount_text
from usage.incoming.record import IncomingRecord
from usage.stored_calls import StoredCall


class Kind(StrEnum):
    """The kinds of differences."""

    MISSING_HERE = "missing_here"
    MISSING_THERE = "missing_there"
    CREDITS = "credits"
    MODEL = "model"
    CLIENT = "client"
    TIME = "time"
    UNREADABLE = "unreadable"
    UNCONFIRMED = "unconfirmed"


class Line(NamedTuple):
    """A line of a report: a difference, a sum of a day, or how many differences are not listed.

    `here` and `upstream` are the two values, for a missing call its credits on the side that has it.
    """

    kind: str
    request_id: str = ""
    time: str = ""
    here: str = ""
    upstream: str = ""

    @property
    def is_sum(self) -> bool:
        return self.kind in ("day_calls", "day_credits")


class Call(NamedTuple):
    """A call as the source gives it."""

    request_id: str
    credits: int
    model: str
    client: str
    ts: str

    @classmethod
    def of(cls, record: IncomingRecord) -> "Call":
        return cls(record.request_id, record.amount, record.model, record.client, record.ts)

    def rank(self) -> tuple[int, str, str, str]:
        """As that of `IncomingRecord`."""
        return self.credits, self.ts, self.model, self.client


@dataclass
class _Sum:
    calls: int = 0
    credits: int = 0

    def add(self, credits: int) -> None:
        self.calls += 1
        self.credits += credits


class Comparison:
    """The differences and sums of a span of days, which is given week by week.

    A call whose time differs may be in another week here than there, so a call is missing only when all weeks were
    given and its request id was in none of them.
    """

    def __init__(self, archive_id: int, first: date, last: date):
        self.archive_id = archive_id
        self._text = partial(amount_text, unit=unit_of(archive_id))
        self.first, self.last = first, last
        self.kinds: Counter[Kind] = Counter()
        self.equal = self.differing = 0
        self._here: defaultdict[str, _Sum] = defaultdict(_Sum)
        self._upstream: defaultdict[str, _Sum] = defaultdict(_Sum)
        # Keys of rows instead of records: the source may give nothing at all.
        self._unmatched = array("q")
        self._matched_elsewhere: set[int] = set()
        self._uncounted: list[tuple[str, str]] = []

    def week(self, first: date, last: date, calls: Mapping[str, Call], unreadable: int = 0) -> Iterator[Line]:
        """The differences of a span of days, oldest first, without calls that may be missing at the source."""
        here = stored_calls.of_days(self.archive_id, first, last)
        elsewhere = stored_calls.with_request_ids(self.archive_id, [key for key in calls if key not in here])
        self._matched_elsewhere.update(stored.pk for stored in elsewhere.values())
        for stored in here.values():
            self._here[stored.ts[:10]].add(stored.credits)
            if stored.request_id not in calls:
                self._unmatched.append(stored.pk)
        for call in sorted(calls.values(), key=lambda call: (call.ts, call.request_id)):
            self._upstream[call.ts[:10]].add(call.credits)
            yield from self._differences(here.get(call.request_id) or elsewhere.get(call.request_id), call)
        if unreadable:
            self.kinds[Kind.UNREADABLE] += unreadable
            yield Line(Kind.UNREADABLE, time=first.isoformat(), here="0", upstream=str(unreadable))

    def unconfirmed(self, first: str, last: str, received: int, counted: int | None) -> Line:
        """A span of wall clocks whose rows do not agree with the source's count; None if it gave none.

        Without a count nothing proves that a call of the span is missing there.
        """
        self.kinds[Kind.UNCONFIRMED] += 1
        if counted is None:
            self._uncounted.append((first, last))
        upstream = "" if counted is None else str(counted)
        return Line(Kind.UNCONFIRMED, time=first[:10], here=str(received), upstream=upstream)

    def missing_there(self) -> Iterator[Line]:
        """The calls that the source gave in no week, though it counted the calls around them."""
        missing = array("q", (key for key in self._unmatched if key not in self._matched_elsewhere))
        for stored in stored_calls.with_keys(self.archive_id, missing):
            if any(first <= stored.ts <= last for first, last in self._uncounted):
                continue
            self.kinds[Kind.MISSING_THERE] += 1
            yield Line(Kind.MISSING_THERE, stored.request_id, stored.ts, here=self._text(stored.credits))

    def sums(self) -> Iterator[Line]:
        """The calls and credits of each day on both sides."""
        for number in range(self.first.toordinal(), self.last.toordinal() + 1):
            day = date.fromordinal(number).isoformat()
            here, upstream = self._here.get(day, _Sum()), self._upstream.get(day, _Sum())
            yield Line("day_calls", time=day, here=str(here.calls), upstream=str(upstream.calls))
            yield Line("day_credits", time=day, here=self._text(here.credits), upstream=self._text(upstream.credits))

    @property
    def is_equal(self) -> bool:
        return not self.kinds

    def message(self) -> Message:
        """One sentence about the result."""
        span = {"first": self.first.isoformat(), "last": self.last.isoformat()}
        if self.is_equal:
            credits = sum(day.credits for day in self._here.values())
            return Message("verified_equal", **span, calls=self.equal, credits=self._text(credits))
        parts = [_WORDS[kind](self.kinds[kind]) for kind in Kind if self.kinds[kind]]
        return Message("verified_different", **span, differences=parts)

    def _differences(self, stored: StoredCall | None, call: Call) -> Iterator[Line]:
        if stored is None:
            self.kinds[Kind.MISSING_HERE] += 1
            yield Line(Kind.MISSING_HERE, call.request_id, call.ts, upstream=self._text(call.credits))
            return
        if stored[1:] == call:
            self.equal += 1
            return
        pairs = {
            Kind.CREDITS: (self._text(stored.credits), self._text(call.credits)),
            Kind.MODEL: (stored.model, call.model),
            Kind.CLIENT: (stored.client, call.client),
            Kind.TIME: (stored.ts, call.ts),
        }
        found = {kind: values for kind, values in pairs.items() if values[0] != values[1]}
        self.kinds.update(found.keys())
        self.differing += 1
        for kind, (here, upstream) in found.items():
            yield Line(kind, call.request_id, stored.ts, here, upstream)


_WORDS = {
    Kind.MISSING_HERE: lambda count: Message("missing_here", count=count),
    Kind.MISSING_THERE: lambda count: Message("missing_there", count=count),
    Kind.CREDITS: lambda count: Message("other_credits", count=count),
    Kind.MODEL: lambda count: Message("other_model", count=count),
    Kind.CLIENT: lambda count: Message("other_client", count=count),
    Kind.TIME: lambda count: Message("other_time", count=count),
    Kind.UNREADABLE: lambda count: Message("unreadable_there", count=count),
    Kind.UNCONFIRMED: lambda count: Message("unconfirmed_there", count=count),
}
