"""Reading a window from the source to its last page; the caller stores the pages."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from archive_site.lib.stored_message import Message
from collection.runs.run_outcomes import API, CollectionEnded
from collection.sources.source import Page, Source
from collection.windows import TimeWindow

# Limits against a `total` that is never reached: it must not keep a run busy for ever, nor fill the memory.
MOST_PAGES = 20_000
MOST_ROWS = 100_000
# As few rows may be missing, or as small a share, without the reading being a failure.
FEW_MISSING, PERCENT_MISSING = 5, 1


class Row(NamedTuple):
    """What counts of a row: its day, and whether the source gave an empty prompt, or left the prompt out."""

    day: str
    is_empty: bool
    is_bare: bool


@dataclass
class Reading:
    """The state of reading one window: its rows by request id.

    `total` is the largest of its pages' totals; `changed_days` are the days in which the archive changed. `repeated`
    rows have an id that their answer has twice, `outside` ones a time out of the window. `missing` is known after a
    second reading: how many rows the source counts that did not come, negative where more came. One that `is_capped`
    ended at its first page, since the source says that it stopped counting. A reading is confirmed if rows and count
    agree. `unread_days` counts the rows that cannot be read by day, empty if it is unknown.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    changed_days: set[str] = field(default_factory=set)
    unread_days: Counter[str] = field(default_factory=Counter)
    unreadable: int = 0
    without_id: int = 0
    repeated: int = 0
    outside: int = 0
    missing: int = 0
    is_capped: bool = False
    is_counted: bool = True
    parts_are_confirmed: bool = True
    parts_are_incomplete: bool = False
    first_total: int = 0
    total: int = 0
    first_asked_at: datetime | None = None

    @property
    def received(self) -> int:
        return len(self.rows) + self.unreadable

    @property
    def is_confirmed(self) -> bool:
        is_odd = self.repeated or self.outside or self.missing or self.is_capped
        return self.is_counted and not is_odd and self.parts_are_confirmed

    @property
    def shows_each_day(self) -> bool:
        """Whether the reading is confirmed, and it is known to which days the rows belong that cannot be read."""
        return self.is_confirmed and not self.unread_days[""]

    @property
    def is_incomplete(self) -> bool:
        """Whether the reading is a failure because too many rows are missing."""
        most = max(self.counted, self.received) * PERCENT_MISSING / 100
        return self.parts_are_incomplete or (self.missing > FEW_MISSING and self.missing > most)

    @property
    def counted(self) -> int:
        """How many calls the source counts, by the reading that has to give them all."""
        return self.first_total if self.missing > 0 else self.total

    def oddness(self, window: TimeWindow) -> Message:
        """What is wrong with a reading that is not confirmed."""
        if self.is_confirmed:
            return Message("window_unclear", window=window.words, count=self.unread_days[""])
        if self.outside:
            return Message("window_exceeded", window=window.words, count=self.received, outside=self.outside)
        if not self.is_counted and not self.total:
            return Message("window_without_count", window=window.words, count=len(self.rows))
        if self.repeated:
            return Message("window_repeats", window=window.words, count=len(self.rows), total=self.counted)
        return Message("window_differs", window=window.words, count=self.received, total=self.counted)

    @property
    def doubt(self) -> Message | None:
        """Why the reading may suffer from a passing fault of the source; None if nothing is odd."""
        if self.outside:
            return Message("rows_outside", count=self.outside, total=self.received)
        if self.repeated:
            return Message("rows_repeated", count=self.repeated)
        if self.received != self.total:
            return Message("rows_missing", count=self.received, total=self.total)
        if self.unreadable:
            return Message("rows_unreadable", count=self.unreadable, total=self.total)
        return None if self.received else Message("no_rows_came")

    def add(self, earlier: "Reading") -> None:
        """Merge an earlier reading of the window; a row counts as readable if one of the two could read it."""
        self.rows = earlier.rows | self.rows
        self.changed_days |= earlier.changed_days
        unreadable = min(self.unreadable, max(0, self.total - len(self.rows)))
        if unreadable < self.unreadable:
            # It is unknown which of them were read in the earlier reading.
            self.unread_days = Counter({"": unreadable} if unreadable else {})
        self.unreadable = unreadable

    def without_confirmation(self, uncounted: "Reading") -> "Reading":
        """This reading after a second one that came without a count: its numbers stay, but nothing confirms them."""
        self.rows = uncounted.rows | self.rows
        self.changed_days |= uncounted.changed_days
        self.missing = max(0, self.first_total - self.received - self.repeated)
        self.is_counted = bool(self.missing or self.repeated)
        return self

    def join(self, part: "Reading") -> None:
        """Merge the reading of another part of the same window."""
        self.rows |= part.rows
        self.changed_days |= part.changed_days
        self.unread_days += part.unread_days
        self.unreadable += part.unreadable
        self.without_id += part.without_id
        self.repeated += part.repeated
        self.outside += part.outside
        self.missing += part.missing
        self.total += part.total
        self.first_total += part.first_total
        self.is_counted &= part.is_counted
        self.parts_are_confirmed &= part.is_confirmed
        self.parts_are_incomplete |= part.is_incomplete
        if part.first_asked_at:
            self.first_asked_at = min(part.first_asked_at, self.first_asked_at or part.first_asked_at)

    def pages(self, source: Source, window: TimeWindow) -> Iterator[tuple[int, Page]]:
        """Each page with its number, after counting it; raises CollectionEnded if the pages do not end."""
        for number, page in enumerate(islice(source.pages(window.start, window.end), MOST_PAGES), 1):
            if self.first_asked_at is None:
                self.first_asked_at, self.first_total = page.asked_at, page.total
            if page.ended or self._is_surplus(page):
                return
            if page.is_capped and window.halves():
                self.is_capped, self.total = True, page.total
                return
            before = self.received
            self._count(page, window)
            yield number, page
            # A page without new rows before the end: more requests would not reach the end either.
            if page.is_last(self.received) or self.received == before:
                return
            if self.received > MOST_ROWS:
                break
        raise CollectionEnded(API, Message("pages_without_end", window=window.words, count=number))

    def _is_surplus(self, page: Page) -> bool:
        """Whether a page behind the count has no new row: the source gives the same page again and again."""
        has_new = any(record.request_id not in self.rows for record in page.records)
        return bool(self.received) and self.received >= self.total and not has_new

    def _count(self, page: Page, window: TimeWindow) -> None:
        self.total = max(self.total, page.total)
        self.repeated += page.repeated
        self.outside += page.outside
        self.is_counted &= page.is_counted
        self.unreadable += len(page.skipped)
        self.unread_days.update(day or window.only_day for day in page.unread_days)
        self.without_id += page.without_id
        for record in page.records:
            self.rows[record.request_id] = Row(
                record.ts[:10], record.prompt_given and not record.prompt, not record.prompt_given
            )
