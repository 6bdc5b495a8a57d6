"""Fetches the calls from before the first day that was asked for (docs/decisions/collection.md#reaching-back).

The ledger of days is the only state: a run that was stopped or killed continues where its last window ended.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from threading import Event

from django.db import transaction

from accounts import config
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection import watermark
from collection.models import Run
from collection.reading import given_up
from collection.reading.window_failures import read_each, saying_what_is_stored
from collection.reading.window_notes import WindowNotes
from collection.reading.window_reader import Reading
from collection.reading.window_store import WindowStore
from collection.runs import lease, runs
from collection.runs.run_execution import Result, execute
from collection.runs.run_outcomes import CollectionEnded
from collection.runs.run_progress import RunProgress
from collection.sources.source import Source, UnusableAnswer
from collection.windows import TimeWindow, days_window, whole_days
from usage import horizon
from usage.coverage import ledger_writes, left_windows, unasked
from usage.coverage.unasked import ONE_DAY
from usage.data_version import raise_version
from usage.source_traits import traits_of

# The source has nothing older after this number of empty days in a row.
EMPTY_DAYS = 90


def fetch_older(
    run: Run,
    token: str,
    *,
    actor: str,
    stop: Event | None = None,
    show: Callable[[str], None] = lambda line: None,
) -> Result:
    """Execute a run that reaches back, under the lease of `token`: see `run_execution.execute`."""
    return execute(run, token, lambda progress: _WalkBack(progress).walk(), actor=actor, stop=stop, show=show)


class _WalkBack:
    """Reads the days that no run has asked for, newest first; the mark stays where it is."""

    def __init__(self, progress: RunProgress):
        self.progress = progress
        self.run = progress.run
        self.archive_id = progress.run.archive_id
        self.config = config.instance_settings()
        self.store = WindowStore(progress, self.config.max_prompt)
        self.notes = WindowNotes(progress, self.config, moves_mark=False)
        # What is wrong with these does not fail the run.
        self.notes_of_given_up = WindowNotes(progress, self.config, moves_mark=False)
        traits = traits_of(self.archive_id)
        first = horizon.first_read(self.archive_id, traits.reached(clock.today()))
        self.window_days, self.first = traits.window_days, first or clock.EARLIEST
        self.days_without_rows = 0
        progress.stopped = Message("older_stopped_early")

    def walk(self) -> Message:
        """Fill the gaps between days that were asked for, then go back to the end; gives the run's message."""
        given_up.leave_early_days(self.archive_id, self.progress.token)
        left = left_windows.due(self.archive_id, before=watermark.mark(self.archive_id))
        with saying_what_is_stored(self._stored), self.progress.source(self.config) as source:
            read_each(self._readings(source, left), self.progress.tell)
        self.notes.require_whole(Message("collected", counts=self._counted()))
        return self._end()

    def _readings(self, source: Source, left: list[int]) -> Iterator[Callable[[], None]]:
        """What the run reads, in turn: the gaps, the days back to the end, and what earlier runs left."""
        for first, last in unasked.gaps(self.archive_id, self.window_days):
            if last >= self.first:
                yield from self._unread(source, days_window(max(first, self.first), last))
        self.days_without_rows = 0
        oldest = unasked.first_asked(self.archive_id) or clock.today()
        for first, last in unasked.spans_back(oldest - ONE_DAY, self.first, self.window_days):
            if self._is_at_the_end():
                break
            yield from self._unread(source, days_window(first, last))
        for key in left:
            read = self._read_given_up if left_windows.is_given_up(self.archive_id, key) else self._read
            for window, tries in self.notes.left([key]):
                yield partial(read, source, window, tries)

    def _unread(self, source: Source, window: TimeWindow) -> Iterator[Callable[[], None]]:
        """The parts of a window that wait for no turn of their own since they could not be read."""
        for part in left_windows.without_failed(self.archive_id, (window.start, window.end)):
            yield partial(self._read, source, TimeWindow(*part))

    def _is_at_the_end(self) -> bool:
        """Whether the source surely has nothing older, or gives nothing, though without a count that proves it."""
        if self.days_without_rows >= EMPTY_DAYS:
            return True
        return unasked.empty_days_at_the_bottom(self.archive_id, EMPTY_DAYS) == EMPTY_DAYS

    def _read_given_up(self, source: Source, window: TimeWindow, tries: int) -> None:
        """Read a window that was given up: it is no failure if it still cannot be read."""
        try:
            self._read(source, window, tries, self.notes_of_given_up)
        except (UnusableAnswer, CollectionEnded) as failure:
            self.progress.tell(failure.message)

    def _read(
        self, source: Source, window: TimeWindow, tries: int | None = None, notes: WindowNotes | None = None
    ) -> None:
        """Read a window whole and note its days in the ledger."""
        notes = notes or self.notes
        if self.run.win_to is None:
            self._show_window(window.end, window.end)
        try:
            parts = list(self.store.parts(source, window))
        except Exception as failure:
            notes.failed(window, failure, tries=tries)
            raise
        whole = Reading()
        with transaction.atomic():
            lease.require(self.progress.token)
            for part, reading in parts:
                whole.join(reading)
                notes.part(part, reading, tries=tries)
            notes.days(window, whole, is_old=True)
            self._show_window(window.start, self.run.win_to or window.end)
        days = whole_days(window.start, window.end)
        self.days_without_rows = 0 if whole.received > whole.outside else self.days_without_rows + len(days)
        self.progress.stopped = Message("older_stopped", day=clock.local_day(window.start).isoformat())

    def _show_window(self, start: datetime, end: datetime) -> None:
        """Show in the run's row how far it came."""
        with transaction.atomic():
            lease.require(self.progress.token)
            runs.set_window(self.run.pk, start, end)
            self.run.win_from, self.run.win_to = start, end
            raise_version(self.archive_id)

    def _end(self) -> Message:
        """Note how far back the source gives calls, if it proved that there are none before."""
        oldest, first = unasked.first_asked(self.archive_id) or clock.today(), unasked.first_given(self.archive_id)
        if oldest > clock.EARLIEST and unasked.empty_days_at_the_bottom(self.archive_id, EMPTY_DAYS) < EMPTY_DAYS:
            return Message("collected", counts=self._counted())
        with transaction.atomic():
            lease.require(self.progress.token)
            ledger_writes.raise_reach(self.archive_id, first or oldest)
            raise_version(self.archive_id)
        if first is None:
            return Message("older_none", counts=self._counted(), last=oldest.isoformat())
        return Message("older_fetched", counts=self._counted(), first=first.isoformat(), last=oldest.isoformat())

    def _stored(self) -> Message | None:
        has_any = self.store.counts["fetched"] or self.notes.has_odd
        return Message("collected", counts=self._counted()) if has_any else None

    def _counted(self) -> list[Message]:
        return self.store.summary() + self.notes.parts_of_message()
