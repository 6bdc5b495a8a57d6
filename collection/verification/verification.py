"""Verifies days: reads them from the source again and compares (docs/decisions/collection.md#verification)."""

from collections.abc import Callable
from datetime import date

from django.db import transaction

from accounts import config
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.models import Run, RunReport
from collection.reading.whole_windows import WholeWindows
from collection.reading.window_reader import Reading
from collection.runs import lease
from collection.runs.run_execution import Result, execute
from collection.runs.run_outcomes import API, CollectionEnded
from collection.runs.run_progress import RunProgress
from collection.sources.source import Page, ReadingStopped, Source
from collection.verification.comparison import Call, Comparison, Line
from collection.verification.run_report import Report
from collection.windows import TimeWindow, windows
from usage import horizon
from usage.data_version import raise_version


def verify(run: Run, token: str, *, actor: str) -> Result:
    """Execute a run that verifies its window and keeps a report, under the lease of `token`."""
    return execute(run, token, _verify, actor=actor)


def compare(
    comparison: Comparison,
    source: Source,
    *,
    emit: Callable[[Line], None],
    tell: Callable[[Message], None],
    took: Callable[[Page], None] = lambda page: None,
) -> None:
    """Read the days of a comparison from the source; `emit` gets each difference, then the sums of each day.

    `tell` gets lines about the reading, `took` each page. Raises CollectionEnded if the days do not come whole.
    """
    end = min(clock.now(), clock.day_end(comparison.last)).replace(microsecond=0)
    for window in windows(clock.day_start(comparison.first), end, source.traits.window_days):
        first, last = clock.local_day(window.start), clock.local_day(window.end)
        reader = _Week(first, last, tell, took)
        unreadable = reader.read(source, window)
        for line in comparison.week(first, last, reader.calls, unreadable):
            emit(line)
        for part, reading in reader.unconfirmed:
            span = clock.local_text(part.start) or "", clock.local_text(part.end) or ""
            emit(comparison.unconfirmed(*span, reading.received, reading.counted if reading.is_counted else None))
    for line in comparison.missing_there():
        emit(line)
    for line in comparison.sums():
        emit(line)


class _Week(WholeWindows):
    """The calls of some days, by request id, as the source gives them now."""

    def __init__(self, first: date, last: date, tell: Callable[[Message], None], took: Callable[[Page], None]) -> None:
        self.first, self.last = first.isoformat(), last.isoformat()
        self.calls: dict[str, Call] = {}
        self.unconfirmed: list[tuple[TimeWindow, Reading]] = []
        self._tell = tell
        self._took = took

    def read(self, source: Source, window: TimeWindow) -> int:
        """Read the window whole; gives how many rows cannot be read."""
        unreadable = 0
        try:
            for part, reading in self.parts(source, window):
                if reading.without_id:
                    raise CollectionEnded(API, Message("days_without_id", count=reading.without_id))
                if reading.is_incomplete:
                    counts = {"total": reading.counted, "count": reading.received}
                    raise CollectionEnded(API, Message("days_incomplete", window=part.words, **counts))
                unreadable += reading.unreadable
                if not reading.is_confirmed:
                    self.unconfirmed.append((part, reading))
        except CollectionEnded as end:
            raise CollectionEnded(end.outcome, _without_storing(end.message)) from None
        return unreadable

    def take(self, page: Page, number: int, window: TimeWindow, *, again: bool) -> set[str]:
        for skipped in page.skipped:
            self.tell(skipped)
        for record in page.records:
            # In a repeated hour the source also gives calls next to the window, which belong to another week.
            if self.first <= record.ts[:10] <= self.last:
                call = Call.of(record)
                # Of several values of one call a collection keeps these, too.
                self.calls[call.request_id] = max(call, self.calls.get(call.request_id, call), key=Call.rank)
        counts = {"number": number, "count": page.received, "total": page.total}
        self.tell(Message("page_compared", window=window.words, **counts))
        self._took(page)
        return set()

    def tell(self, line: Message) -> None:
        self._tell(line)


def _without_storing(message: Message) -> Message:
    """A message about an incomplete reading, in the words of a verification, which stores nothing."""
    if message.code == "pages_without_end":
        return Message("days_without_end", **message.values)
    return message


def _verify(progress: RunProgress) -> Message:
    progress.stopped = Message("verification_stopped")
    run = _Verification(progress)
    with progress.source(config.instance_settings()) as source:
        while (found := run.compared(source)) is None:
            # Days were erased meanwhile.
            continue
    return found


class _Verification:
    """One run: what it compares, and writes."""

    def __init__(self, progress: RunProgress) -> None:
        if progress.run.win_from is None or progress.run.win_to is None:
            raise ValueError("a run has a window")
        self.progress, self.run = progress, progress.run
        self.first, self.last = clock.local_day(progress.run.win_from), clock.local_day(progress.run.win_to)
        self.fetched = 0

    def compared(self, source: Source) -> Message | None:
        """What the days come to whose calls were not erased, with a stored report; None if some were erased meanwhile:
        they would be called missing."""
        kept_from = horizon.first_day(self.run.archive_id)
        first = max(self.first, kept_from or self.first)
        if first > self.last:
            return Message("verification_of_erased")
        self.comparison, report = Comparison(self.run.archive_id, first, self.last), Report()
        compare(self.comparison, source, emit=report.add, tell=self.progress.tell, took=self._took)
        with transaction.atomic():
            self._write()
            if horizon.first_day(self.run.archive_id) != kept_from:
                return None
            RunReport.objects.create(run=self.run, text=report.text())
        return self.comparison.message()

    def _took(self, page: Page) -> None:
        self.fetched += page.received
        with transaction.atomic():
            self._write()
        if self.progress.should_stop():
            raise ReadingStopped

    def _write(self) -> None:
        lease.require(self.progress.token)
        found = self.comparison
        self.progress.journal.write(fetched=self.fetched, dup=found.equal, conflicts=found.differing)
        raise_version(self.run.archive_id)
