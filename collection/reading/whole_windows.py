"""Reads windows of the source whole (docs/decisions/collection.md#windows-and-pages); subclasses take their pages."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from archive_site.lib.stored_message import Message
from collection.reading.window_reader import Reading
from collection.runs.run_outcomes import CollectionEnded
from collection.sources.source import Page, Source, SourceFailure
from collection.windows import TimeWindow


class WholeWindows(ABC):
    """Reads a window to its last page, in halves where it is capped, and once more where the reading is doubtful."""

    @abstractmethod
    def take(self, page: Page, number: int, window: TimeWindow, *, again: bool) -> set[str]:
        """Take a page; gives the days in which the archive changed."""

    def finish(self) -> set[str]:
        """Take what waited for the last page of a reading; gives the days in which the archive changed."""
        return set()

    @abstractmethod
    def tell(self, line: Message) -> None:
        """Note a line about the reading."""

    def parts(self, source: Source, window: TimeWindow) -> Iterator[tuple[TimeWindow, Reading]]:
        """Read a window to its last page, in halves if the source caps it; gives each part with its reading.

        A doubtful reading is repeated, since it may be a passing fault; the caller looks whether it is confirmed.
        Raises SourceFailure, and CollectionEnded if the pages do not end.
        """
        reading = self._read(source, window)
        halves = window.halves() if reading.is_capped else None
        if halves:
            yield from self._halves(source, window, halves, reading.total)
            return
        # Rows without requestId fail the run anyway, and the next run reads the window again.
        if reading.doubt and not reading.without_id:
            reading = self._read_again(source, window, reading, reading.doubt)
        # Two unreadable answers may be two faults; after a third the row itself is at fault.
        if reading.unreadable and reading.doubt and not reading.without_id:
            reading = self._read_again(source, window, reading, reading.doubt)
        is_odd = not reading.is_confirmed and not reading.is_incomplete
        if source.traits.is_capped(reading.total, reading.total if is_odd else reading.received):
            halves = window.halves()
            if halves:
                yield from self._halves(source, window, halves, reading.total)
                return
            self.tell(Message("minute_capped", window=window.words, total=reading.total))
        if not reading.is_confirmed and not reading.without_id:
            self.tell(reading.oddness(window))
        yield window, reading

    def _halves(
        self, source: Source, window: TimeWindow, halves: tuple[TimeWindow, TimeWindow], total: int
    ) -> Iterator[tuple[TimeWindow, Reading]]:
        self.tell(Message("window_capped", window=window.words, total=total))
        for half in halves:
            yield from self.parts(source, half)

    def _read_again(self, source: Source, window: TimeWindow, earlier: Reading, why: Message) -> Reading:
        """Read a window again that gave too few rows, none, or unreadable ones.

        This reading must give all rows that existed when it began; rows that appear meanwhile are left to the next run.
        """
        self.tell(Message("window_again", window=window.words, why=why))
        again = self._read(source, window, again=True)
        if not again.is_counted and earlier.is_counted:
            return earlier.without_confirmation(again)
        surplus = again.received - again.total
        has_vanished = earlier.received and not again.received
        again.add(earlier)
        missing = again.received if has_vanished else max(0, again.first_total - again.received - again.repeated)
        again.missing = missing or -max(0, surplus)
        return again

    def _read(self, source: Source, window: TimeWindow, *, again: bool = False) -> Reading:
        reading = Reading()
        try:
            for number, page in reading.pages(source, window):
                reading.changed_days |= self.take(page, number, window, again=again)
        except (SourceFailure, CollectionEnded):
            self.finish()
            raise
        reading.changed_days |= self.finish()
        return reading
