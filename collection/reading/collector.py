"""One collection run: reads an account's windows from the source into its archive (docs/decisions/collection.md).

Each page is one short transaction, so a run that dies loses at most the page in flight; windows are read from old to
new, and the mark follows them.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from threading import Event

from django.db import transaction

from accounts import config
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection import watermark
from collection.models import Run
from collection.reading import given_up, package_readings
from collection.reading.bill_readings import BillReadings
from collection.reading.day_readings import DayReadings
from collection.reading.window_failures import read_each, saying_what_is_stored
from collection.reading.window_notes import WindowNotes
from collection.reading.window_reader import Reading
from collection.reading.window_store import WindowStore
from collection.runs import lease, runs
from collection.runs.run_execution import Result, execute
from collection.runs.run_progress import RunProgress
from collection.sources.source import Source
from collection.windows import SECOND, TimeWindow, windows
from usage import horizon
from usage.coverage import left_windows
from usage.prompt_privacy import policy as privacy
from usage.source_traits import traits_of


def collect(
    run: Run,
    token: str,
    *,
    actor: str,
    ip: str = "",
    stop: Event | None = None,
    show: Callable[[str], None] = lambda line: None,
) -> Result:
    """Execute a run under the lease of `token`: `run_execution.execute` describes the parameters."""
    return execute(run, token, lambda progress: Collector(progress).collect(), actor=actor, ip=ip, stop=stop, show=show)


class Collector:
    def __init__(self, progress: RunProgress):
        self.progress = progress
        self.run = progress.run
        self.archive_id = progress.run.archive_id
        self.config = config.instance_settings()
        self.traits = traits_of(self.archive_id)
        self.store = WindowStore(progress, self.config.max_prompt)
        self.notes = WindowNotes(progress, self.config)
        self.days = DayReadings(progress, self.store, self.notes)
        self.bills = BillReadings(progress)

    def collect(self) -> Message:
        """Read every window, verify the last days, and read again what may have changed; gives the run's message."""
        start, end = self.run.win_from, self.run.win_to
        if start is None or end is None:
            raise ValueError("a run has a window")
        start = self._give_up(start)
        # Only what earlier runs left: what this one leaves is for the next.
        left = [] if self.run.is_ranged else left_windows.due(self.archive_id)
        with saying_what_is_stored(self._stored), self.progress.source(self.config) as source:
            if self.progress.begins_anew and not self.run.is_ranged:
                start = self._give_up(self._begin_anew(end))
            read_each(self._readings(source, TimeWindow(start, max(start, end)), left), self.progress.tell)
        self.notes.require_whole(self._summary())
        return self._summary()

    def _begin_anew(self, end: datetime) -> datetime:
        """Give the run the span of a first one: what earlier ones read is forgotten."""
        start = watermark.default_start(
            self.archive_id, rewind_minutes=self.config.rewind_minutes, range_days=self.config.collect_max_range_days
        )
        with transaction.atomic():
            lease.require(self.progress.token)
            watermark.ensure_mark(self.archive_id, start)
            runs.set_window(self.run.pk, start, end)
        return start

    def _give_up(self, start: datetime) -> datetime:
        """Leave alone what earlier runs left of days that the source does not give any more, or that were erased. Gives
        where the run starts, if it was to start at `start`."""
        given_up.leave_early_days(self.archive_id, self.progress.token)
        kept_from = horizon.first_day(self.archive_id)
        if kept_from is None or start >= clock.day_start(kept_from):
            return start
        self.progress.tell(Message("erased_days_left_out", day=kept_from.isoformat()))
        return clock.day_start(kept_from)

    def _readings(self, source: Source, span: TimeWindow, left: list[int]) -> Iterator[Callable[[], None]]:
        """What the run reads, in turn; the windows that could not be read are noted, so their span is finished, too."""
        if self.traits.bills_others:
            self._finish_range(span.start, span.end)
            yield from self.bills.readings(source)
            return
        for window in self._windows(span):
            yield partial(self._read, source, window)
        self._finish_range(span.start, span.end)
        yield from self.days.readings(source)
        yield from self._leftover(source)
        for window, tries in self.notes.left(left):
            yield partial(self._read, source, window, tries)
        yield from self.bills.readings(source)
        yield from package_readings.readings(self.progress, source)

    def _windows(self, span: TimeWindow) -> Iterator[TimeWindow]:
        """The windows of the run; those that could not be read come last, if at all, or they would keep it from others.

        A run of days that somebody chose reads all of them.
        """
        for rest in [(span.start, span.end)] if self.run.is_ranged else self._unread(span):
            yield from windows(*rest, self.traits.window_days)

    def _unread(self, span: TimeWindow) -> list[tuple[datetime, datetime]]:
        """What is left of a span without what earlier runs read, or could not read, while the mark was held.

        The day of today and those that every run reads once more are read whole.
        """
        again_from = clock.local_day(span.end - timedelta(minutes=self.config.rewind_minutes))
        read = watermark.read_behind(self.archive_id, clock.day_start(again_from) - SECOND)
        self.notes.pass_over(read)
        rest = left_windows.without_failed(self.archive_id, (span.start, span.end))
        return [part for each in rest for part in left_windows.without(each, read)]

    def _read(self, source: Source, window: TimeWindow, tries: int | None = None) -> None:
        """Read a window to its last page, move the mark, and note its days in the ledger."""
        whole = Reading()
        rest = window
        try:
            for part, reading in self.store.parts(source, window):
                whole.join(reading)
                rest = TimeWindow(part.start, window.end)
                with transaction.atomic():
                    lease.require(self.progress.token)
                    self.notes.part(part, reading, tries=tries)
                    if part.end == window.end:
                        self.notes.days(window, whole, is_old=tries is not None)
                rest = TimeWindow(part.end + SECOND, window.end)
        except Exception as failure:
            if rest.start <= rest.end:
                self.notes.failed(rest, failure, tries=tries)
            raise

    def _leftover(self, source: Source) -> Iterator[Callable[[], None]]:
        """The span that ranged runs or fillings left."""
        left = watermark.unfinished(self.archive_id)
        if left is None:
            return
        self.progress.tell(Message("window_left", window=TimeWindow(*left).words))
        for span in left_windows.without_failed(self.archive_id, left):
            for window in windows(*span, self.traits.window_days):
                yield partial(self._read, source, window)
        self._finish_range(*left)

    def _finish_range(self, start: datetime, end: datetime) -> None:
        if self.progress.is_in_doubt:
            return
        with transaction.atomic():
            lease.require(self.progress.token)
            watermark.finish_range(self.archive_id, start, end)

    def _stored(self) -> Message | None:
        return self._summary() if self.store.counts["fetched"] or self.notes.has_odd else None

    def _summary(self) -> Message:
        parts = [*self.store.summary(), *self.notes.parts_of_message()]
        if self.traits.bills_others:
            parts = [Message("bills_read", count=self.bills.read)]
        if self.notes.settled:
            parts.append(Message("days_settled", count=self.notes.settled))
        if self.bills.differing:
            parts.append(Message("days_differ_from_bill", count=self.bills.differing))
        if any(self.days.late.values()):
            parts.append(Message("late_changes", added=self.days.late["added"], changed=self.days.late["conflicts"]))
        wants_texts = self.traits.gives_texts and privacy.most_kept(self.run.archive_id, self.config.max_prompt)
        if self.store.counts["fetched"] and not self.store.prompts and wants_texts:
            return Message("collected_without_prompts", counts=parts)
        return Message("collected", counts=parts)
