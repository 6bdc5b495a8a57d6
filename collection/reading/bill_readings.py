"""Reading the bills of days at the end of a run, and comparing the archive with them
(docs/decisions/collection.md#proofs)."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import partial

from django.db import transaction

from accounts import archives, config
from accounts.models import Archive
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection import watermark
from collection.runs import lease
from collection.runs.run_progress import RunProgress
from collection.sources.kinds import KINDS
from collection.sources.source import ReadingStopped, Source, SourceFailure, UnusableAnswer
from usage import data_version, horizon
from usage.coverage import left_windows, unasked
from usage.proofs import day_proofs, spent_counter, stored_bills
from usage.proofs.bill import Bill
from usage.proofs.wall_clock_sums import touches_repeated_hour
from usage.rollups import read_sums
from usage.source_traits import Traits, traits_of
from usage.stored_size import AccountFull

# Days that are stored or compared in one transaction.
DAYS_OF_PART = 7
# Spans that one run asks for at most: after an answer of no use, or where the kind gives nothing but bills.
MOST_QUESTIONS = 3


class BillReadings:
    """The bills of one run, and what they prove; `read` counts the days whose bill came, `differing` those that
    it found to differ."""

    def __init__(self, progress: RunProgress) -> None:
        self.progress = progress
        self.archive_id = progress.run.archive_id
        self.read = self.differing = 0

    def readings(self, source: Source) -> Iterator[Callable[[], None]]:
        """What is to be read of a source that gives bills, then the comparisons."""
        reached = source.traits.reached(clock.today())
        asked = reached if source.traits.bills_others else unasked.first_asked(self.archive_id)
        if asked is None:
            return
        # The setting may change during the run.
        is_wanted = not source.traits.packages or config.wants_packages()
        if source.traits.bills and is_wanted and self.progress.is_account_known:
            yield partial(self._read, source, max(asked, reached or asked))
            yield partial(self._read_spent, source)
        for archive_id, bill_id in self._compared(source.traits):
            yield partial(self._compare, archive_id, bill_id)

    def _compared(self, traits: Traits) -> list[tuple[int, int]]:
        """The archives of calls, each with one whose bills it is compared with."""
        if traits.bills_others:
            proved = archives.proved_by(self.archive_id)
            return [(proved, self.archive_id)] if proved else []
        own = [self.archive_id] if traits.bills_itself else []
        return [(self.archive_id, bill_id) for bill_id in (*own, *archives.bills_of(self.archive_id))]

    def _read(self, source: Source, since: date) -> None:
        """Read the bills that are due. Without them no day is proved, and all that the run has read stays.

        Raises SourceFailure and AccountFull where the source gives nothing else.
        """
        tried = set[date]()
        for _ in range(MOST_QUESTIONS):
            days = stored_bills.due(self.archive_id, since, source.traits, besides=tried)
            try:
                self._read_days(source, days)
            except SourceFailure as failure:
                if source.traits.bills_others and not tried:
                    # It gives nothing else.
                    raise
                self.progress.tell(Message("bills_unread", why=failure.beside_calls))
                if not _says_nothing_of_others(self.archive_id, failure):
                    return
                tried.update(days)
            except AccountFull as full:
                if source.traits.bills_others:
                    raise
                # The calls are stored, and what is read after the bills needs no room.
                self.progress.tell(Message("bills_unread", why=full.message))
                return
            else:
                if not (days and source.traits.bills_others):
                    return
                # New days are due in each run: older ones have their turn beside them.
                tried.update(days)

    def _read_spent(self, source: Source) -> None:
        """Read the counter of all that was spent, where the source has one. Without it nothing is lost."""
        found = None
        try:
            found = source.spent()
        except SourceFailure as failure:
            self.progress.tell(Message("bills_unread", why=failure.beside_calls))
        with transaction.atomic():
            lease.require(self.progress.token)
            if found is not None:
                spent_counter.note(self.archive_id, found)
            if spent_counter.judge(self.archive_id, _read_until(self.archive_id)):
                data_version.raise_version(self.archive_id)

    def _read_days(self, source: Source, days: list[date]) -> None:
        if not days:
            return
        left = set(days)
        for bills in _in_parts(bill for bill in source.bills(days[0], days[-1]) if bill.day in left):
            with transaction.atomic():
                lease.require(self.progress.token)
                stored_bills.store(self.archive_id, bills, source.traits)
                stored_bills.raise_versions(self.archive_id)
            self.read += len(bills)
            left -= {bill.day for bill in bills}
        with transaction.atomic():
            lease.require(self.progress.token)
            stored_bills.note_left_out(self.archive_id, left)

    def _compare(self, archive_id: int, bill_id: int) -> None:
        self.differing += compare(archive_id, bill_id, self.progress.token)


def _read_until(archive_id: int) -> datetime | None:
    """Until when all windows were read, but those that no run reads again; None where nothing was."""
    waiting = left_windows.failed(archive_id, is_over=False)
    return min((at for at in (watermark.mark(archive_id), *(start for start, _ in waiting[:1])) if at), default=None)


def _says_nothing_of_others(archive_id: int, failure: SourceFailure) -> bool:
    """Whether other days may have bills all the same: a refusal is one of all of them, unless some came before."""
    if not isinstance(failure, UnusableAnswer):
        return False
    return failure.cause == "api_moved" or stored_bills.days_of(archive_id) > 0


def _in_parts(bills: Iterable[Bill]) -> Iterator[list[Bill]]:
    """The bills in parts of a transaction each, also those that came before a failure."""
    part: list[Bill] = []
    try:
        for bill in bills:
            part.append(bill)
            if len(part) == DAYS_OF_PART:
                yield part
                part = []
    except (SourceFailure, ReadingStopped):
        if part:
            yield part
        raise
    if part:
        yield part


def compare_files() -> None:
    """Compare archives that nobody collects with bills that nobody collects: their owner may have named what these
    prove after both were imported. Where another run of the account is under way, it is left to the next time."""
    for bill in Archive.objects.filter(proves_id__isnull=False, deleted_at=None):
        proved = archives.proved_by(bill.pk)
        if proved is None or any(KINDS[archives.holding_of(one).kind].way for one in (bill.pk, proved)):
            continue
        if not _uncompared(proved, bill.pk) or (token := lease.take(archive_id=proved)) is None:
            continue
        # What was compared stays; the rest is left to the next time, too.
        with lease.kept(token), suppress(lease.LeaseLost):
            compare(proved, bill.pk, token)


def compare(archive_id: int, bill_id: int, token: str) -> int:
    """Compare an archive with the complete bills that it was not compared with, under the lease of this token; gives
    how many days differ."""
    version = data_version.state(bill_id)
    counted = None if bill_id == archive_id else stored_bills.counted_by(bill_id)
    differing = 0
    for some in stored_bills.spans(_uncompared(archive_id, bill_id), DAYS_OF_PART):
        before = data_version.state(archive_id)
        rows = day_proofs.compared(archive_id, bill_id, some, counted)
        with transaction.atomic():
            lease.require(token)
            if counted is not None and data_version.state(bill_id) != version:
                # The bills have changed: another run compares them.
                return differing
            # Calls may have been erased meanwhile.
            kept_from = horizon.calls_from(archive_id)
            rows = [row for row in rows if row.day > kept_from]
            if day_proofs.store(archive_id, rows, before):
                differing += sum(row.differences != stored_bills.AGREED for row in rows)
    return differing


def _uncompared(archive_id: int, bill_id: int) -> list[date]:
    days = day_proofs.uncompared(archive_id, bill_id)
    if kept_from := horizon.first_day(archive_id):
        # The first day that is kept may be half a day of a bill.
        days = [day for day in days if day > kept_from]
    if bill_id == archive_id:
        waiting = spent_counter.unjudged(archive_id)
        days = [day for day in days if day not in waiting]
        # Where calls have no instants, some days cannot be told apart.
        zone = traits_of(bill_id).bill_zone
        return days if zone is UTC else [day for day in days if not touches_repeated_hour(day, zone)]
    # Bills of others reach back before an archive; its own first day may not be whole.
    first = unasked.first_asked(archive_id) or read_sums.recorded_days(archive_id).first
    return [day for day in days if first and day > first]
