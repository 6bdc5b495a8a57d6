"""Reading whole days again at the end of a run: the last ones, and those that may have changed
(docs/decisions/collection.md#the-ledger-of-days)."""

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial

from django.db import transaction

from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.stored_message import Message
from collection.reading.window_notes import WindowNotes
from collection.reading.window_reader import Reading
from collection.reading.window_store import WindowStore
from collection.runs import lease
from collection.runs.run_outcomes import CollectionEnded
from collection.runs.run_progress import RunProgress
from collection.sources.source import Source, SourceFailure
from collection.windows import TimeWindow, days_window, last_closed_days
from usage import horizon
from usage.coverage import ledger_writes, left_windows
from usage.data_version import raise_version
from usage.filters import RecordFilters
from usage.reads import queries

# How many days a run reads again at most, to see whether they have settled.
MOST_READ_AGAIN = 7


class DayReadings:
    """The readings of whole days of one run; `late` counts what those of earlier days changed."""

    def __init__(self, progress: RunProgress, store: WindowStore, notes: WindowNotes):
        self.progress = progress
        self.run = progress.run
        self.archive_id = progress.run.archive_id
        self.store = store
        self.notes = notes
        self.late = {"added": 0, "conflicts": 0}

    def readings(self, source: Source) -> Iterator[Callable[[], None]]:
        """The last days to be verified, and in a run without dates those to be read again that are due.

        Days that could not be read are left out: their window is read again later. So are days that were erased.
        """
        kept_from = horizon.first_day(self.archive_id) or date.min
        most = self.notes.config.verify_days
        unread = left_windows.failed_days(self.archive_id)
        for day in last_closed_days(most if source.traits.counts else 0):
            if day.isoformat() not in unread and day >= kept_from:
                yield partial(self._verify, source, day)
        if not most or self.run.is_ranged:
            return
        unread = left_windows.failed_days(self.archive_id)
        for day in ledger_writes.due(self.archive_id, clock.now(), MOST_READ_AGAIN, besides=unread):
            if day >= kept_from:
                yield partial(self._read_due, source, day)

    def _verify(self, source: Source, day: date) -> None:
        """Compare a day's count with the source's, and read the day again where they differ.

        A difference that the last count had too is known, and not read again: a surplus, or that of a day which the
        source does not confirm.
        """
        window = days_window(day, day)
        try:
            counted = source.count(window.start, window.end)
        except SourceFailure as failure:
            self.notes.failed(window, failure)
            raise
        if not counted.is_counted or counted.outside:
            return
        own = queries.count_records(self.archive_id, RecordFilters(Days(day, day)))
        is_odd = own > counted.total or day.isoformat() in left_windows.unconfirmed_days(self.archive_id, day, day)
        is_known = is_odd and counted.total == ledger_writes.known_count(self.archive_id, day)
        # A count that the source caps is no count.
        is_capped = counted.is_capped or source.traits.is_capped(counted.total, counted.total)
        reading: Reading | None = Reading()
        if own != counted.total and not is_known:
            self.progress.tell(Message("day_incomplete", window=str(day), count=own, total=counted.total))
            # It is compared with the count of an earlier run: this one may be a passing fault.
            reading = self._read_day(source, window)
            if reading is not None and reading.is_counted:
                return
        if (own == counted.total or not is_capped) and not self.progress.is_in_doubt:
            with transaction.atomic():
                lease.require(self.progress.token)
                ledger_writes.note_count(self.archive_id, day, counted.total, counted.asked_at)
                if reading is None:
                    ledger_writes.postpone(self.archive_id, day, clock.now())
                raise_version(self.archive_id)

    def _read_due(self, source: Source, day: date) -> None:
        """Read a day whose calls or credits may have changed since, until a reading changes nothing."""
        self.progress.tell(Message("day_read_again", window=str(day)))
        before = dict(self.store.counts)
        is_known = self._read_day(source, days_window(day, day)) is not None
        for name in self.late:
            self.late[name] += self.store.counts[name] - before[name]
        if not (is_known or self.progress.is_in_doubt):
            with transaction.atomic():
                lease.require(self.progress.token)
                ledger_writes.postpone(self.archive_id, day, clock.now())

    def _read_day(self, source: Source, window: TimeWindow) -> Reading | None:
        """Read a day whole and note it in the ledger; None where too few of its rows came to call it known."""
        whole = Reading()
        try:
            for _, reading in self.store.parts(source, window):
                whole.join(reading)
        except CollectionEnded as end:
            self.progress.tell(end.message)
            return None
        except Exception as failure:
            self.notes.failed(window, failure)
            raise
        # Rows without requestId were already counted with their window, unless they are new.
        self.notes.without_id = max(self.notes.without_id, whole.without_id)
        if whole.without_id or whole.is_incomplete:
            # The ledger has what the source counts, so the day stays short; the run goes on.
            return None
        with transaction.atomic():
            lease.require(self.progress.token)
            self.notes.day(window, whole)
        return whole
