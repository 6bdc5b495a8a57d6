"""Storing many pages of records in one transaction, and comparing them with an archive without storing them."""

from collections.abc import Mapping, Sequence

from archive_site.lib import clock
from archive_site.lib.storage.transaction_locks import lock_archive
from usage.coverage import imported_days
from usage.data_version import raise_version
from usage.incoming.record import IncomingRecord
from usage.ingest import NO_NEW_IDS, Page, PageResult
from usage.rollups import recompute as rollup


class Bulk:
    """Stores many pages in the caller's one transaction; `finish` computes the touched sums, once for all pages."""

    def __init__(self, archive_id: int, *, run_id: int | None, max_prompt: int):
        lock_archive(archive_id)
        self.archive_id = archive_id
        self.run_id = run_id
        self.max_prompt = max_prompt
        self._now = clock.now()
        self._groups: set[rollup.Group] = set()
        self._hours: set[str] = set()
        self._days: set[str] = set()
        self._measured: set[str] = set()
        self._amounts = 0
        self._only_added = True

    def take_in(self, records: Sequence[IncomingRecord], renamed: Mapping[str, str] = NO_NEW_IDS) -> PageResult:
        """Store a page without its sums; `renamed` as of `Page`."""
        page = Page(self.archive_id, records, self.max_prompt, renamed=renamed)
        page.write_rows(self.run_id, self._now, before=self._amounts)
        self._amounts += page.amounts
        self._groups |= page.groups
        self._hours |= page.hours
        self._days |= page.days
        self._measured |= page.measured_days
        self._only_added &= not page.sums_change
        return page.result

    def finish(self) -> None:
        """Compute the sums of all pages, and raise the data version."""
        hours = {(hour[:10], int(hour[11:])) for hour in self._hours}
        rollup.compute_again(
            self.archive_id,
            self._groups,
            hours,
            self._days,
            measured=self._measured,
            only_added=self._only_added,
        )
        imported_days.note_import(self.archive_id, {day for day, *_ in self._groups})
        raise_version(self.archive_id)


def compare(
    archive_id: int, records: Sequence[IncomingRecord], renamed: Mapping[str, str], *, max_prompt: int
) -> PageResult:
    """The result that storing the records would have; `renamed` as of `Page`."""
    return Page(archive_id, records, max_prompt, renamed=renamed).result
