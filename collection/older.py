"""Fetches the calls from before the first day that was asked for (docs/decisions.md#reaching-back).

The ledger of days is the only state: a run that was stopped or killed continues where its last window ended.
"""

from collections.abc import Callable
from datetime import date, datetime
from threading import Event

from django.db import transaction

from accounts import config
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection import coverage_notes, lease, runs
from collection.models import Run
from collection.run_execution import Result, execute
from collection.run_outcomes import API, CollectionEnded
from collection.run_progress import RunProgress
from collection.upstream.client import Upstream
from collection.window_reader import Reading, upstream_settings
from collection.window_store import WindowStore
from collection.windows import DAYS, days_window, whole_days
from usage.coverage import ledger, unasked
from usage.coverage.unasked import ONE_DAY
from usage.data_version import raise_version

# The upstream has nothing older after this number of empty days in a row.
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
        self.user_id = progress.run.user_id
        self.config = config.instance_settings()
        self.store = WindowStore(progress, self.config.max_prompt)
        self.unreadable = 0
        progress.stopped = Message("older_stopped_early")

    def walk(self) -> Message:
        """Fill the gaps between days that were asked for, then go back to the end; gives the run's message."""
        asked = upstream_settings(self.user_id, self.config)
        with self.progress.upstream(asked) as upstream:
            for first, last in unasked.gaps(self.user_id, DAYS):
                self._read(upstream, first, last)
            oldest = unasked.first_asked(self.user_id) or clock.today()
            for first, last in unasked.spans_back(oldest - ONE_DAY, clock.EARLIEST, DAYS):
                if unasked.empty_days_at_the_bottom(self.user_id, EMPTY_DAYS) == EMPTY_DAYS:
                    break
                self._read(upstream, first, last)
        return self._end()

    def _read(self, upstream: Upstream, first: date, last: date) -> None:
        """Read a window whole and note its days in the ledger."""
        window = days_window(first, last)
        if self.run.win_to is None:
            self._show_window(window.end, window.end)
        whole = Reading()
        for _, reading in self.store.parts(upstream, window):
            whole.join(reading)
        self.unreadable += whole.unreadable
        if whole.nameless:
            raise CollectionEnded(API, Message("rows_without_id", count=whole.nameless, rest=self._counted()))
        with transaction.atomic():
            lease.require(self.progress.token)
            coverage_notes.note_reading(self.user_id, window, whole, self.config)
            ledger.take_turns(self.user_id, whole_days(window.start, window.end), clock.now())
            self._show_window(window.start, self.run.win_to or window.end)
        self.progress.stopped = Message("older_stopped", day=first.isoformat())

    def _show_window(self, start: datetime, end: datetime) -> None:
        """Show in the run's row how far it came."""
        with transaction.atomic():
            lease.require(self.progress.token)
            runs.set_window(self.run.pk, start, end)
            self.run.win_from, self.run.win_to = start, end
            raise_version(self.user_id)

    def _end(self) -> Message:
        """Note how far back the upstream gives calls."""
        oldest, first = unasked.first_asked(self.user_id) or clock.today(), unasked.first_given(self.user_id)
        if first is None:
            return Message("older_none", counts=self._counted(), last=oldest.isoformat())
        with transaction.atomic():
            lease.require(self.progress.token)
            ledger.raise_reach(self.user_id, first)
            raise_version(self.user_id)
        return Message("older_fetched", counts=self._counted(), first=first.isoformat(), last=oldest.isoformat())

    def _counted(self) -> list[Message]:
        skipped = [Message("rows_skipped", count=self.unreadable)] if self.unreadable else []
        return self.store.summary() + skipped
