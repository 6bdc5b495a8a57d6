"""Reads windows of the source whole, and stores each page in the archive.

The rules: docs/decisions/collection.md#windows-and-pages.
"""

from django.conf import settings
from django.db import transaction

from archive_site.lib.stored_message import Message
from collection.reading.held_changes import HeldChanges
from collection.reading.whole_windows import WholeWindows
from collection.runs import lease
from collection.runs.run_progress import RunProgress
from collection.sources.source import Page, ReadingStopped
from collection.wall_clocks import walls
from collection.windows import TimeWindow
from usage import ingest
from usage.data_version import raise_version
from usage.incoming.record import IncomingRecord
from usage.source_traits import traits_of


class WindowStore(WholeWindows):
    """Stores the windows of one run under its lease, and counts what came."""

    def __init__(self, progress: RunProgress, max_prompt: int):
        self.progress = progress
        self.max_prompt = max_prompt
        self.counts = {"fetched": 0, "added": 0, "dup": 0, "conflicts": 0}
        self.prompts = self.too_old = 0
        traits = traits_of(progress.run.archive_id)
        self._held = HeldChanges(keeps_id_in_retry=traits.keeps_id_in_retry)

    def tell(self, line: Message) -> None:
        self.progress.tell(line)

    def take(self, page: Page, number: int, window: TimeWindow, *, again: bool) -> set[str]:
        """Store a page with the counters and lines of the run; gives the days that changed."""
        for skipped in page.skipped:
            self.tell(skipped)
        self.progress.require_own([each.request_id for each in page.records])
        with transaction.atomic():
            lease.require(self.progress.token)
            stored = self._stored(page.records, holds_changes=True)
            counts = {"number": number, "count": page.received, "total": page.total, "added": stored.added}
            self.tell(_page_line(window, again, counts))
            self.counts["fetched"] += page.received
            self.prompts += sum(1 for record in page.records if record.prompt)
            self._write()
            if stored.added:
                self.progress.confirm_account()
        self._held.add(page.records, stored.held, walls(window.start, window.end, settings.SERVER_ZONE))
        changed_days = self._store_held() if self._held.is_full else set()
        if self.progress.should_stop():
            raise ReadingStopped
        return stored.changed_days | changed_days

    def finish(self) -> set[str]:
        """Store the changes of the reading."""
        changed_days = self._store_held()
        self._held.clear()
        return changed_days

    def _store_held(self) -> set[str]:
        records = self._held.take()
        if not records:
            return set()
        with transaction.atomic():
            lease.require(self.progress.token)
            changed_days = self._stored(records).changed_days
            self._write()
        return changed_days

    def _stored(self, records: list[IncomingRecord], *, holds_changes: bool = False) -> ingest.PageResult:
        run = self.progress.run
        stored = ingest.take_in(
            run.archive_id, records, run_id=run.pk, max_prompt=self.max_prompt, holds_changes=holds_changes
        )
        for line in stored.lines:
            self.tell(line)
        self.counts["added"] += stored.added
        self.counts["dup"] += stored.dup
        self.counts["conflicts"] += stored.conflicts
        self.too_old += stored.too_old
        return stored

    def _write(self) -> None:
        self.progress.journal.write(**self.counts)
        raise_version(self.progress.run.archive_id)

    def summary(self) -> list[Message]:
        """How many records came, for the message of the run."""
        parts = [
            Message("records_new", count=self.counts["added"]),
            Message("records_known", count=self.counts["dup"]),
        ]
        if self.counts["conflicts"]:
            parts.append(Message("records_changed", count=self.counts["conflicts"]))
        if self.too_old:
            parts.append(Message("records_too_old", count=self.too_old))
        return parts


def _page_line(window: TimeWindow, again: bool, counts: dict[str, int]) -> Message:
    if again:
        return Message("page_read_again", window=window.words, **counts)
    return Message("page_read", window=window.words, **counts)
