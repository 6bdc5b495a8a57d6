"""Reading the bills of days at the end of a run, and comparing the archive with them
(docs/decisions/collection.md#proofs)."""

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial

from django.db import transaction

from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.runs import lease
from collection.runs.run_progress import RunProgress
from collection.sources.source import Source, SourceFailure
from usage import data_version
from usage.coverage import unasked
from usage.proofs import day_proofs, stored_bills

# Days that are compared in one transaction.
DAYS_OF_PART = 7


class BillReadings:
    """The bills of one run, and what they prove; `differing` counts the days that it found to differ."""

    def __init__(self, progress: RunProgress) -> None:
        self.progress = progress
        self.archive_id = progress.run.archive_id
        self.differing = 0

    def readings(self, source: Source) -> Iterator[Callable[[], None]]:
        """What is to be read of a source that gives bills, then the comparison."""
        asked = unasked.first_asked(self.archive_id) if source.traits.bills else None
        if asked is None:
            return
        yield partial(self._read, source, max(asked, source.traits.reached(clock.today()) or asked))
        yield self._compare

    def _read(self, source: Source, since: date) -> None:
        """Read the bills that are due. Without them no day is proved, and all that the run has read stays."""
        try:
            for days in stored_bills.due(self.archive_id, since, source.traits.bill_settles):
                for bill in source.bills(days[0], days[-1]):
                    with transaction.atomic():
                        lease.require(self.progress.token)
                        stored_bills.store(self.archive_id, bill, source.traits.bill_settles)
                        data_version.raise_version(self.archive_id)
        except SourceFailure as failure:
            self.progress.tell(Message("bills_unread", why=failure.message))

    def _compare(self) -> None:
        for days in stored_bills.spans(day_proofs.uncompared(self.archive_id, self.archive_id), DAYS_OF_PART):
            self._compare_part(days)

    def _compare_part(self, days: list[date]) -> None:
        version = data_version.state(self.archive_id)
        rows = day_proofs.compared(self.archive_id, self.archive_id, days)
        with transaction.atomic():
            lease.require(self.progress.token)
            if day_proofs.store(self.archive_id, rows, version):
                self.differing += sum(row.differences != stored_bills.AGREED for row in rows)
