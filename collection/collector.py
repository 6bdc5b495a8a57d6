"""One collection run: reads an account's windows from the upstream into its archive (docs/decisions.md#collection).

Each page is one short transaction, so a run that dies loses at most the page in flight; windows are read from old to
new, and the mark follows them.
"""

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from django.db import transaction

from accounts import config
from archive_site.lib import clock
from archive_site.lib.http.parameters import Days
from archive_site.lib.storage import disk_space
from archive_site.lib.stored_message import Message
from collection import lease, runs, watermark
from collection.models import Run
from collection.run_outcomes import API, BY_UPSTREAM_FAILURE, INTERNAL, INTERRUPTED, OK, CollectionEnded, RunOutcome
from collection.upstream.client import Page, Upstream, UpstreamFailure, UpstreamStopped
from collection.window_reader import Reading, upstream_settings
from collection.windows import TimeWindow, days, is_capped, windows
from usage import ingest, queries
from usage.data_version import raise_version
from usage.filters import RecordFilters

log = logging.getLogger(__name__)

CHECK_SIZE = 10


@dataclass(frozen=True)
class Result:
    """How a run ended; `event` is the id of an internal error in the log, else empty."""

    run: Run
    outcome: RunOutcome
    event: str = ""


def collect(
    run: Run,
    token: str,
    *,
    actor: str,
    ip: str = "",
    stop: Event | None = None,
    show: Callable[[str], None] = lambda line: None,
) -> Result:
    """Execute a run under the lease of `token`, record its outcome, and release the lease.

    `stop` ends it after the current page, like the flag in its row; `show` gets each line of its detail.
    """
    journal = runs.Journal(run.pk)
    event = ""
    with lease.kept(token) as lost:
        message: Message
        try:
            stops = [lost, *([stop] if stop else [])]
            outcome, message = OK, Collector(run, token, journal, stops, show).collect()
        except CollectionEnded as end:
            outcome, message = end.outcome, end.message
        except UpstreamFailure as failure:
            outcome, message = BY_UPSTREAM_FAILURE[failure.outcome], failure.message
        except lease.LeaseLost:
            outcome, message = INTERRUPTED, Message("run_taken_over")
        except UpstreamStopped:
            outcome = INTERRUPTED
            message = Message("run_taken_over") if lost.is_set() else Message("stopped")
        except Exception as error:  # noqa: BLE001 - any error ends the run properly; the log has the cause
            event = secrets.token_hex(4)
            is_full = disk_space.is_full(error)
            log.error("event %s: run %s failed", event, run.pk, exc_info=not is_full)
            outcome = INTERNAL
            message = Message("disk_full", event=event) if is_full else Message("internal_error", event=event)
        return Result(runs.finish(run, outcome, message, journal, actor=actor, ip=ip), outcome, event)


class Collector:
    def __init__(self, run: Run, token: str, journal: runs.Journal, stops: list[Event], show: Callable[[str], None]):
        self.run = run
        self.user_id = run.user_id
        self.token = token
        self.journal = journal
        self.stops = stops
        self.show = show
        self.config = config.instance_settings()
        self.counts = {"fetched": 0, "added": 0, "dup": 0, "conflicts": 0}
        self.prompts = 0
        self.unreadable = 0
        self.nameless = 0

    def collect(self) -> Message:
        """Read every window, then verify the last days; gives the run's message."""
        start, end = self.run.win_from, self.run.win_to
        if start is None or end is None:
            raise ValueError("a run has a window")
        asked = upstream_settings(self.user_id, self.config)
        with Upstream(asked, should_stop=self._should_stop, note=self._tell_now, now=clock.now) as self.upstream:
            for window in windows(start, end):
                self._complete(window)
            if not self.nameless:
                with transaction.atomic():
                    lease.require(self.token)
                    watermark.finish_range(self.user_id, start, end)
            for day in days(start, end, self.config.verify_days):
                self._verify(day)
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
        self._tell(Message("window_left", window=whole.words))
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
        """Read a window to its last page, in halves if the upstream caps it, and move the mark.

        A doubtful reading is repeated, since it may be a passing fault and no run reads behind the mark again.
        """
        reading = self._read(window)
        # Rows without requestId fail the run anyway, and the next run reads the window again.
        if reading.doubt and not reading.nameless:
            reading = self._read_again(window, reading, reading.doubt)
        # Two unreadable answers may be two faults; after a third the row itself is at fault.
        if reading.unreadable and reading.doubt and not reading.nameless:
            reading = self._read_again(window, reading, reading.doubt)
        if is_capped(reading.total, reading.received):
            halves = window.halves()
            if halves:
                self._tell(Message("window_capped", window=window.words, total=reading.total))
                for half in halves:
                    self._complete(half)
                return
            self._tell(Message("minute_capped", window=window.words, total=reading.total))
        self.unreadable += reading.unreadable
        self.nameless += reading.nameless
        if reading.nameless:
            # Their requestId may come later, so nothing counts as complete from here on.
            return
        with transaction.atomic():
            lease.require(self.token)
            watermark.shrink_range(self.user_id, window.start, window.end)
            complete = watermark.mark(self.user_id)
            if complete and window.joins(complete) and reading.first_asked_at:
                watermark.move_mark(self.user_id, min(window.end, reading.first_asked_at))

    def _read_again(self, window: TimeWindow, earlier: Reading, why: Message) -> Reading:
        """Read a window again that gave too few rows, none, or unreadable ones.

        This reading must give all rows that existed when it began; rows that appear meanwhile are left to the next run.
        """
        self._tell(Message("window_again", window=window.words, why=why))
        again = self._read(window, again=True)
        has_vanished = earlier.received and not again.received
        again.add(earlier)
        if has_vanished or again.received < again.first_total:
            counts = {"total": again.first_total, "count": again.received}
            raise CollectionEnded(API, Message("window_incomplete", window=window.words, **counts))
        return again

    def _read(self, window: TimeWindow, *, again: bool = False) -> Reading:
        reading = Reading()
        for number, page in reading.pages(self.upstream, window):
            self._store(page, number, window, again=again)
        return reading

    def _store(self, page: Page, number: int, window: TimeWindow, *, again: bool) -> None:
        for skipped in page.skipped:
            self._tell(skipped)
        with transaction.atomic():
            lease.require(self.token)
            stored = ingest.take_in(self.user_id, page.records, run_id=self.run.pk, max_prompt=self.config.max_prompt)
            for line in stored.lines:
                self._tell(line)
            counts = {"number": number, "count": page.received, "total": page.total, "added": stored.added}
            self._tell(_page_line(window, again, counts))
            self._count(page, stored)
            self.journal.write(**self.counts)
            raise_version(self.user_id)
        if self._should_stop():
            raise UpstreamStopped

    def _count(self, page: Page, stored: ingest.PageResult) -> None:
        self.counts["fetched"] += page.received
        self.counts["added"] += stored.added
        self.counts["dup"] += stored.dup
        self.counts["conflicts"] += stored.conflicts
        self.prompts += sum(1 for record in page.records if record.prompt)

    def _verify(self, window: TimeWindow) -> None:
        """Compare a day's count with the upstream's, and read the day again if the archive has fewer records."""
        counted = self.upstream.page(window.start, window.end, 1, CHECK_SIZE)
        day = clock.local_day(window.start)
        own = queries.count_records(self.user_id, RecordFilters(Days(day, day)))
        if own >= counted.total:
            return
        self._tell(Message("day_incomplete", window=str(day), count=own, total=counted.total))
        # Rows without requestId were already counted with their window, unless they are new.
        self.nameless = max(self.nameless, self._read(window).nameless)

    def _summary(self) -> Message:
        counts = self.counts
        parts = [Message("records_new", count=counts["added"]), Message("records_known", count=counts["dup"])]
        if counts["conflicts"]:
            parts.append(Message("records_changed", count=counts["conflicts"]))
        if self.unreadable:
            parts.append(Message("rows_skipped", count=self.unreadable))
        if counts["fetched"] and not self.prompts and self.config.max_prompt:
            return Message("collected_without_prompts", counts=parts)
        return Message("collected", counts=parts)

    def _should_stop(self) -> bool:
        if any(stop.is_set() for stop in self.stops):
            return True
        return Run.objects.filter(pk=self.run.pk, stop_requested=True).exists()

    def _tell(self, line: Message) -> None:
        self.show(self.journal.note(line))

    def _tell_now(self, line: Message) -> None:
        """Note a line and write it at once, so that it shows during a wait."""
        self._tell(line)
        with transaction.atomic():
            lease.require(self.token)
            self.journal.write()
            raise_version(self.user_id)


def _page_line(window: TimeWindow, again: bool, counts: dict[str, int]) -> Message:
    if again:
        return Message("page_read_again", window=window.words, **counts)
    return Message("page_read", window=window.words, **counts)
