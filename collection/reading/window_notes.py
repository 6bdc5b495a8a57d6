"""What a run read: it moves the mark, goes to the ledger of days, or is left to a later run
(docs/decisions/collection.md#windows-that-are-read-again)."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from django.db import transaction

from accounts.config import InstanceSettings
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection import watermark
from collection.reading import coverage_notes
from collection.reading.window_failures import may_be_of_window
from collection.reading.window_reader import Reading
from collection.runs import lease
from collection.runs.run_outcomes import API, CollectionEnded
from collection.runs.run_progress import RunProgress
from collection.windows import TimeWindow, whole_days
from usage.coverage import ledger_writes, left_windows
from usage.data_version import raise_version

MOST_NAMED = 5


class WindowNotes:
    """Notes the readings of one run, each in one transaction that checks the lease.

    `unreadable`, `without_id` and `settled` count rows and days for the message of the run. Without `moves_mark` the
    mark and the unfinished span stay as they are. While the account is in doubt nothing is noted: another account's
    empty days would settle the archive's.
    """

    def __init__(self, progress: RunProgress, instance: InstanceSettings, *, moves_mark: bool = True):
        self.progress = progress
        self.archive_id = progress.run.archive_id
        self.token = progress.token
        self.config = instance
        self.moves_mark = moves_mark
        self.unreadable = self.without_id = self.settled = 0
        self._odd: dict[TimeWindow, Message] = {}
        self._incomplete: dict[TimeWindow, Message] = {}
        self._read: list[TimeWindow] = []

    def pass_over(self, spans: Iterable[tuple[datetime, datetime]]) -> None:
        """Let the mark move over what earlier runs have read, and this one leaves out."""
        self._read += [TimeWindow(*span) for span in spans]

    def part(self, part: TimeWindow, reading: Reading, *, tries: int | None = None) -> None:
        """Note a part of a window in the caller's transaction; `tries` if it was left by an earlier run."""
        asked_at = reading.first_asked_at
        if asked_at is None or self.progress.is_in_doubt:
            return
        read = TimeWindow(part.start, max(part.start, min(part.end, asked_at.replace(microsecond=0))))
        if self.moves_mark:
            watermark.shrink_range(self.archive_id, part.start, part.end)
        self.without_id += reading.without_id
        self.unreadable += reading.unreadable
        if reading.without_id or reading.is_incomplete:
            if not reading.without_id:
                self._incomplete[part] = reading.oddness(part)
            left_windows.note(self.archive_id, (part.start, part.end), is_failed=True, tries=tries)
            raise_version(self.archive_id)
            return
        if reading.shows_each_day:
            left_windows.clear(self.archive_id, (part.start, part.end))
        else:
            self._name(part, reading)
            left_windows.note(self.archive_id, (read.start, read.end), is_failed=False, tries=tries)
        raise_version(self.archive_id)
        if self.moves_mark:
            self._move_mark(read)
        if tries:
            self._note_completed(read)

    def _note_completed(self, read: TimeWindow) -> None:
        """Note the days behind the mark that no part is left of, now that this one was read: another was read before,
        perhaps by another run."""
        mark = watermark.mark(self.archive_id)
        if mark is not None:
            day_end = clock.day_end(clock.local_day(read.end))
            coverage_notes.note_passed(self.archive_id, read.start, min(mark, day_end))

    def days(self, window: TimeWindow, whole: Reading, *, is_old: bool = False) -> None:
        """Note the days of a window that was read to its end, in the caller's transaction.

        Where it `is_old` its days wait in turn for their next reading.
        """
        if whole.without_id or whole.is_incomplete or self.progress.is_in_doubt:
            return
        self.settled += coverage_notes.note_reading(self.archive_id, window, whole, self.config)
        if is_old:
            known = whole_days(window.start, window.end)
            ledger_writes.take_turns(self.archive_id, known, clock.now())
            # A day that is only partly in the window is counted by no other reading.
            touched = {clock.local_day(window.start), clock.local_day(window.end)}
            ledger_writes.read_soon(self.archive_id, touched - {*known}, clock.now())
        raise_version(self.archive_id)

    def day(self, window: TimeWindow, whole: Reading) -> None:
        """Note a whole day that was read again, in the caller's transaction."""
        span = window.start, window.end
        if self.progress.is_in_doubt:
            return
        if whole.shows_each_day:
            left_windows.clear(self.archive_id, span)
        else:
            self._name(window, whole)
            left_windows.note(self.archive_id, span, is_failed=False)
        self.days(window, whole)

    def failed(self, window: TimeWindow, failure: Exception, *, tries: int | None = None) -> None:
        """Leave a window that could not be read to later runs, if the failure may be the window's."""
        if not may_be_of_window(failure):
            return
        self.progress.tell(Message("window_left", window=window.words))
        with transaction.atomic():
            lease.require(self.token)
            if self.moves_mark:
                watermark.shrink_range(self.archive_id, window.start, window.end)
            left_windows.note(self.archive_id, (window.start, window.end), is_failed=True, tries=tries)
            raise_version(self.archive_id)

    def left(self, keys: Sequence[int]) -> Iterator[tuple[TimeWindow, int]]:
        """What is to be read again of the windows with these keys, and how often it then was read.

        In halves, so that in the end only the days remain that are at fault; a window that is gone is left out.
        """
        for key in keys:
            left = left_windows.get(self.archive_id, key)
            if left:
                window = TimeWindow(left.win_from, left.win_to)
                self.progress.tell(Message("window_left", window=window.words))
                yield from ((half, left.tries + 1) for half in window.halves_at_midnight())

    @property
    def has_odd(self) -> bool:
        return bool(self._odd or self._incomplete)

    def parts_of_message(self) -> list[Message]:
        """What the message of the run says of unreadable rows and of windows that are read again later.

        Those that earlier runs left come after those of this one.
        """
        parts = [Message("rows_skipped", count=self.unreadable)] if self.unreadable else []
        if self.progress.is_in_doubt:
            parts.append(Message("account_in_doubt"))
        known = [TimeWindow(*span) for span in left_windows.waiting_unconfirmed(self.archive_id)]
        odd = [*self._odd.values(), *(window.words for window in known if not self._is_named(window))]
        if odd:
            parts.append(Message("windows_unconfirmed", windows=_named(odd)))
        waiting = len(left_windows.failed(self.archive_id, is_over=False))
        return [*parts, Message("windows_waiting", count=waiting)] if waiting else parts

    def require_whole(self, rest: Message) -> None:
        """Raises CollectionEnded if rows of the run have no requestId, or too many are missing; `rest` is the rest."""
        if self.without_id:
            raise CollectionEnded(API, Message("rows_without_id", count=self.without_id, rest=rest))
        if self._incomplete:
            raise CollectionEnded(
                API, Message("windows_incomplete", windows=_named([*self._incomplete.values()]), rest=rest)
            )

    def _name(self, part: TimeWindow, reading: Reading) -> None:
        """Keep what is odd about a window for the message; a day of a window that is named already says nothing new."""
        if not self._is_named(part):
            self._odd[part] = reading.oddness(part)

    def _is_named(self, window: TimeWindow) -> bool:
        return any(known.meets(window.start, window.end) for known in self._odd)

    def _move_mark(self, read: TimeWindow) -> None:
        """Move the mark over everything that this run has read and that joins it, and over what is given up."""
        self._read.append(read)
        mark = watermark.mark(self.archive_id)
        if mark is None:
            return
        given_up = [TimeWindow(*span) for span in left_windows.failed(self.archive_id, is_over=True)]
        to = mark
        for window in sorted([*self._read, *given_up], key=lambda window: window.start):
            if window.joins(to):
                to = max(to, window.end)
        if to > mark:
            watermark.move_mark(self.archive_id, min(to, clock.now()))
            coverage_notes.note_passed(self.archive_id, mark, to)


def _named(windows: list[Message]) -> list[Message]:
    more = len(windows) - MOST_NAMED
    return [*windows[:MOST_NAMED], *([Message("windows_more", count=more)] if more > 0 else [])]
