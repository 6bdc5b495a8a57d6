"""Reads windows of the upstream whole, and stores each page in the archive (docs/decisions.md#windows-and-pages)."""

from collections.abc import Callable, Iterator
from threading import Event

from django.db import transaction

from archive_site.lib.stored_message import Message
from collection import lease, runs
from collection.models import Run
from collection.run_outcomes import API, CollectionEnded
from collection.upstream.client import Page, Upstream, UpstreamStopped
from collection.window_reader import Reading
from collection.windows import TimeWindow, is_capped
from usage import ingest
from usage.data_version import raise_version


class WindowStore:
    """Stores the windows of one run under its lease, and counts what came."""

    def __init__(
        self,
        run: Run,
        token: str,
        journal: runs.Journal,
        stops: list[Event],
        show: Callable[[str], None],
        max_prompt: int,
    ):
        self.run = run
        self.token = token
        self.journal = journal
        self.stops = stops
        self.show = show
        self.max_prompt = max_prompt
        self.counts = {"fetched": 0, "added": 0, "dup": 0, "conflicts": 0}
        self.prompts = 0

    def parts(self, upstream: Upstream, window: TimeWindow) -> Iterator[tuple[TimeWindow, Reading]]:
        """Read a window to its last page, in halves if the upstream caps it; gives each part that was read whole.

        A doubtful reading is repeated, since it may be a passing fault. Raises CollectionEnded if rows are missing.
        """
        reading = self._read(upstream, window)
        # Rows without requestId fail the run anyway, and the next run reads the window again.
        if reading.doubt and not reading.nameless:
            reading = self._read_again(upstream, window, reading, reading.doubt)
        # Two unreadable answers may be two faults; after a third the row itself is at fault.
        if reading.unreadable and reading.doubt and not reading.nameless:
            reading = self._read_again(upstream, window, reading, reading.doubt)
        if is_capped(reading.total, reading.received):
            halves = window.halves()
            if halves:
                self.tell(Message("window_capped", window=window.words, total=reading.total))
                for half in halves:
                    yield from self.parts(upstream, half)
                return
            self.tell(Message("minute_capped", window=window.words, total=reading.total))
        yield window, reading

    def should_stop(self) -> bool:
        if any(stop.is_set() for stop in self.stops):
            return True
        return Run.objects.filter(pk=self.run.pk, stop_requested=True).exists()

    def tell(self, line: Message) -> None:
        self.show(self.journal.note(line))

    def tell_now(self, line: Message) -> None:
        """Note a line and write it at once, so that it shows during a wait."""
        self.tell(line)
        with transaction.atomic():
            lease.require(self.token)
            self.journal.write()
            raise_version(self.run.user_id)

    def _read_again(self, upstream: Upstream, window: TimeWindow, earlier: Reading, why: Message) -> Reading:
        """Read a window again that gave too few rows, none, or unreadable ones.

        This reading must give all rows that existed when it began; rows that appear meanwhile are left to the next run.
        """
        self.tell(Message("window_again", window=window.words, why=why))
        again = self._read(upstream, window, again=True)
        has_vanished = earlier.received and not again.received
        again.add(earlier)
        if has_vanished or again.received < again.first_total:
            counts = {"total": again.first_total, "count": again.received}
            raise CollectionEnded(API, Message("window_incomplete", window=window.words, **counts))
        return again

    def _read(self, upstream: Upstream, window: TimeWindow, *, again: bool = False) -> Reading:
        reading = Reading()
        for number, page in reading.pages(upstream, window):
            reading.changed_days |= self._store(page, number, window, again=again)
        return reading

    def _store(self, page: Page, number: int, window: TimeWindow, *, again: bool) -> set[str]:
        """Store a page with the counters and lines of the run; gives the days that changed."""
        for skipped in page.skipped:
            self.tell(skipped)
        with transaction.atomic():
            lease.require(self.token)
            stored = ingest.take_in(self.run.user_id, page.records, run_id=self.run.pk, max_prompt=self.max_prompt)
            for line in stored.lines:
                self.tell(line)
            counts = {"number": number, "count": page.received, "total": page.total, "added": stored.added}
            self.tell(_page_line(window, again, counts))
            self._count(page, stored)
            self.journal.write(**self.counts)
            raise_version(self.run.user_id)
        if self.should_stop():
            raise UpstreamStopped
        return stored.changed_days

    def _count(self, page: Page, stored: ingest.PageResult) -> None:
        self.counts["fetched"] += page.received
        self.counts["added"] += stored.added
        self.counts["dup"] += stored.dup
        self.counts["conflicts"] += stored.conflicts
        self.prompts += sum(1 for record in page.records if record.prompt)


def _page_line(window: TimeWindow, again: bool, counts: dict[str, int]) -> Message:
    if again:
        return Message("page_read_again", window=window.words, **counts)
    return Message("page_read", window=window.words, **counts)
