"""One collection run: reads an account's windows from the upstream into its archive (docs/decisions.md#collection).

Each page is one short transaction, so a run that dies loses at most the page in flight; windows are read from old to
new, and the mark follows them.
"""

from collections.abc import Callable
from datetime import date
from threading import Event

from django.db import transaction

from accounts import config
from archive_site.lib import clock
from archive_site.lib.http.parameters import Days
from archive_site.lib.stored_message import Message
from collection import coverage_notes, lease, watermark
from collection.models import Run
from collection.run_execution import Result, execute
from collection.run_outcomes import API, BY_UPSTREAM_FAILURE, CollectionEnded
from collection.run_progress import RunProgress
from collection.upstream.client import UpstreamFailure
from collection.window_reader import Reading, upstream_settings
from collection.window_store import WindowStore
from collection.windows import TimeWindow, days_window, is_capped, last_closed_days, windows
from usage import queries
from usage.coverage import ledger
from usage.data_version import raise_version
from usage.filters import RecordFilters

CHECK_SIZE = 10
# How many days a run reads again at most, to see whether they have settled.
MOST_READ_AGAIN = 7


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
        self.user_id = progress.run.user_id
        self.token = progress.token
        self.config = config.instance_settings()
        self.store = WindowStore(progress, self.config.max_prompt)
        self.unreadable = 0
        self.nameless = 0
        self.settled = 0
        # What readings of earlier days changed: new records, and conflicts.
        self.late = {"added": 0, "conflicts": 0}

    def collect(self) -> Message:
        """Read every window, verify the last days, and read again what may have changed; gives the run's message."""
        start, end = self.run.win_from, self.run.win_to
        if start is None or end is None:
            raise ValueError("a run has a window")
        asked = upstream_settings(self.user_id, self.config)
        with self.progress.upstream(asked) as self.upstream:
            for window in windows(start, end):
                self._complete(window)
            if not self.nameless:
                with transaction.atomic():
                    lease.require(self.token)
                    watermark.finish_range(self.user_id, start, end)
            for day in last_closed_days(self.config.verify_days):
                self._verify(day)
            if self.config.verify_days and not self.run.is_ranged:
                self._read_due_days()
            if not self.nameless:
                self._complete_leftover()
        if self.nameless:
            raise CollectionEnded(API, Message("rows_without_id", count=self.nameless, rest=self._summary()))
        return self._summary()

    def _complete_leftover(self) -> None:
        """Read the span that runs or fillings left, but only once: an unreadable one must not fail every later run."""
        left = watermark.unfinished(self.user_id)
        if left is None:
            return
        whole = TimeWindow(*left)
        self.progress.tell(Message("window_left", window=whole.words))
        try:
            for window in windows(*left):
                self._complete(window)
        except (UpstreamFailure, CollectionEnded) as failure:
            if isinstance(failure, UpstreamFailure) and BY_UPSTREAM_FAILURE[failure.outcome] is not API:
                raise
            self._forget(whole)
            message = Message("leftover_unreadable", window=whole.words, why=failure.message, rest=self._summary())
            raise CollectionEnded(API, message) from None
        self._forget(whole)

    def _forget(self, leftover: TimeWindow) -> None:
        with transaction.atomic():
            lease.require(self.token)
            watermark.finish_range(self.user_id, leftover.start, leftover.end)

    def _complete(self, window: TimeWindow) -> None:
        """Read a window to its last page, move the mark, and note its days in the ledger."""
        whole = Reading()
        for part, reading in self.store.parts(self.upstream, window):
            self.unreadable += reading.unreadable
            self.nameless += reading.nameless
            whole.join(reading)
            if reading.nameless:
                # Their requestId may come later, so nothing counts as complete from here on.
                continue
            with transaction.atomic():
                lease.require(self.token)
                self._move_mark(part, reading)
                if part.end == window.end and not whole.nameless:
                    self._note(window, whole)

    def _move_mark(self, window: TimeWindow, reading: Reading) -> None:
        watermark.shrink_range(self.user_id, window.start, window.end)
        complete = watermark.mark(self.user_id)
        if complete and window.joins(complete) and reading.first_asked_at:
            to = min(window.end, reading.first_asked_at)
            watermark.move_mark(self.user_id, to)
            coverage_notes.note_passed(self.user_id, complete, to)
            raise_version(self.user_id)

    def _note(self, window: TimeWindow, reading: Reading) -> None:
        """Note the days of a window that was read whole, in the caller's transaction."""
        self.settled += coverage_notes.note_reading(self.user_id, window, reading, self.config)
        raise_version(self.user_id)

    def _verify(self, day: date) -> None:
        """Compare a day's count with the upstream's, and read the day again where they differ.

        A surplus that the last count had too is known, and not read again.
        """
        window = days_window(day, day)
        counted = self.upstream.page(window.start, window.end, 1, CHECK_SIZE)
        own = queries.count_records(self.user_id, RecordFilters(Days(day, day)))
        is_known = own > counted.total == ledger.known_count(self.user_id, day)
        # A count that the upstream caps is no count.
        if own == counted.total or not is_capped(counted.total, counted.total):
            with transaction.atomic():
                lease.require(self.token)
                ledger.note_count(self.user_id, day, counted.total, counted.asked_at)
                raise_version(self.user_id)
        if own != counted.total and not is_known:
            self.progress.tell(Message("day_incomplete", window=str(day), count=own, total=counted.total))
            self._read_day(window)

    def _read_due_days(self) -> None:
        """Read days again whose calls or credits may have changed since, until a reading changes nothing."""
        now = clock.now()
        before = dict(self.store.counts)
        for day in ledger.due(self.user_id, now, MOST_READ_AGAIN):
            self.progress.tell(Message("day_read_again", window=str(day)))
            if not self._read_day(days_window(day, day)):
                with transaction.atomic():
                    lease.require(self.token)
                    ledger.postpone(self.user_id, day, now)
        self.late = {name: self.store.counts[name] - before[name] for name in self.late}

    def _read_day(self, window: TimeWindow) -> bool:
        """Read a day whole and note it in the ledger; gives whether all its rows came."""
        whole = Reading()
        try:
            for _, reading in self.store.parts(self.upstream, window):
                whole.join(reading)
        except CollectionEnded as end:
            # The ledger has what the upstream counts, so the day stays short; the run goes on.
            self.progress.tell(end.message)
            return False
        # Rows without requestId were already counted with their window, unless they are new.
        self.nameless = max(self.nameless, whole.nameless)
        if whole.nameless:
            return False
        with transaction.atomic():
            lease.require(self.token)
            self._note(window, whole)
        return True

    def _summary(self) -> Message:
        parts = self.store.summary()
        if self.unreadable:
            parts.append(Message("rows_skipped", count=self.unreadable))
        if self.settled:
            parts.append(Message("days_settled", count=self.settled))
        if any(self.late.values()):
            parts.append(Message("late_changes", added=self.late["added"], changed=self.late["conflicts"]))
        if self.store.counts["fetched"] and not self.store.prompts and self.config.max_prompt:
            return Message("collected_without_prompts", counts=parts)
        return Message("collected", counts=parts)
