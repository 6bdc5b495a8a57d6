"""Storing a staged file under its run, in parts, by its first process or by one that goes on after a death.

Each part is a transaction that checks the lease, stores calls with their sums, and notes how far the import is; so it
can go on after any of them (docs/decisions/files.md#imports-go-in-parts).
"""

import logging
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from django.db import DatabaseError

from accounts import archives
from accounts.actor import Actor
from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.http import store_refusals
from archive_site.lib.http.answer_types import LoggedFailure
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import store_damage
from archive_site.lib.storage.write_parts import Parts, next_part
from archive_site.lib.stored_message import Message
from collection.models import ImportProgress, Run
from collection.reading.bill_readings import compare
from collection.runs import import_progress, lease, runs
from collection.runs.run_execution import internal_failure
from collection.runs.run_outcomes import ACCOUNT_FULL, INTERNAL, INTERRUPTED, OK, RunOutcome
from collection.transfer import account_import, account_packages, imported_run
from collection.transfer.account_packages import StagedPackages
from collection.transfer.import_plan import Plan
from collection.transfer.staged_runs import StagedRuns
from usage import data_version, stored_size
from usage.amounts.words_of_archive import words_of
from usage.bulk_ingest import Bulk
from usage.importing import filed_bills
from usage.importing.comparison import Comparison, batched
from usage.importing.filed_bills import FiledBills
from usage.importing.replaced_rows import Placed, placed
from usage.importing.staging import Staged
from usage.incoming.record import IncomingRecord
from usage.proofs import day_proofs
from usage.stored_size import AccountFull, HistoryFull

log = logging.getLogger(__name__)

# The sizes of parts are characters. A call without a prompt costs about as much as that many characters of one, and a
# run as that many characters of its texts. The least is 2,000 calls: the sums of a day with very many calls take as
# long for a part of a few, so smaller ones would be no quicker.
_CALL, _RUN = 250, 1000
_FIRST, _LEAST, _MOST = 500_000, 500_000, 10_000_000
# Packages of a part at most, each with its course.
_PACKAGES = 50


class ImportStopped(KeyboardInterrupt):
    """The import was broken off at the terminal; `message` says what is stored."""

    def __init__(self, message: Message):
        super().__init__()
        self.message = message


class _StopRequested(Exception):
    """The owner asked the run to stop."""


@dataclass
class Stored:
    """What an import stored: counts of calls with examples, and new runs of the history, None without one."""

    calls: Comparison = field(default_factory=Comparison)
    runs: int | None = None


class Storing:
    """One run that stores a staged file; `token` is that of its lease."""

    def __init__(self, run: Run, token: str, found: Staged, plan: Plan):
        self.run, self.token, self.found, self.plan = run, token, found, plan
        self.progress = ImportProgress.objects.get(run_id=run.pk)
        self.journal = runs.Journal.of(run)
        known, conflicting = run.dup - found.repeated, run.conflicts - found.conflicting
        self.stored = Stored(Comparison(run.added, known, conflicting, self.progress.prompts, self.progress.too_old))
        # Archives of bills with the number of days that these found to differ.
        self.differing: list[tuple[int, int]] = []

    def store(self) -> tuple[Run, Stored]:
        """Store the rest of the file; gives the run as it ended, and what it did.

        Raises ApiError 409 `interrupted`, 500 `internal`, 503 `unavailable`, 507 `account_full` and `no_space`, and
        ImportStopped: the run has ended then, too, with the number of calls that are stored.
        """
        try:
            return self._store_rest()
        except lease.LeaseLost as gone:
            message = self._break_off(INTERRUPTED, gone.message)
            raise ApiError(409, "interrupted", message) from None
        except AccountFull as full:
            message = self._break_off(ACCOUNT_FULL, full.message)
            raise ApiError(507, "account_full", message) from None
        except _StopRequested:
            message = self._break_off(INTERRUPTED, Message("stopped_at_once"))
            raise ApiError(409, "interrupted", message) from None
        except KeyboardInterrupt:
            raise ImportStopped(self._break_off(INTERRUPTED, Message("stopped_at_once"))) from None
        except Exception as error:
            if store_damage.is_damage(error):
                # The answer is that of every request while the store is damaged.
                self._break_off(INTERNAL, Message("store_unusable"))
                raise
            raise self._refusal(error) from None

    def _store_rest(self) -> tuple[Run, Stored]:
        own = self.run.archive_id
        # Days whose calls differ from a bill are no failure of the file.
        if self.plan.are_bills:
            bills = self._store_bills()
            if proved := archives.proved_by(own):
                compare(proved, own, self.token)
                self.differing = [(own, day_proofs.differing(proved, own, bills.first, bills.last))]
        else:
            self._store_records()
            self.differing = [(bill_id, compare(own, bill_id, self.token)) for bill_id in archives.bills_of(own)]
        if self.plan.account is not None:
            self._store_runs()
            self._store_packages()
        with Parts(1, most=1).part():
            self._require()
            if self.plan.account:
                user = User.objects.get(pk=archives.owner_of(self.run.archive_id))
                account_import.take_over(user, self.plan.account, Actor(self.plan.actor, user.pk, self.plan.ip))
            return self._finish(OK, self._summary()), self.stored

    def _store_records(self) -> None:
        parts = _parts()
        with closing(self.found.records(skip=self.progress.stored)) as records:
            while part := next_part(records, parts.size, _weight):
                with parts.part(sum(map(_weight, part))):
                    self._store_calls(part)

    def _store_bills(self) -> FiledBills:
        """Store the sums of days; gives them."""
        bills, calls, parts = FiledBills(self.found), self.stored.calls, Parts(1, most=1)
        with parts.part():
            self._require()
            filed_bills.name_models(self.run.archive_id, bills)
        for part in bills.parts(skip=self.progress.stored):
            with parts.part():
                self._require()
                changed = filed_bills.store(self.run.archive_id, bills, part)
                calls.new += changed
                calls.known += len(part) - changed
                self.progress.stored += len(part)
                self._save_progress()
                self.journal.write(added=calls.new, dup=calls.known, conflicts=0)
        return bills

    def _store_calls(self, records: list[IncomingRecord]) -> None:
        self._require()
        calls = self.stored.calls
        bulk = Bulk(self.run.archive_id, run_id=self.run.pk, max_prompt=self.plan.max_prompt)
        since = self.plan.young_from
        for some in batched(records):
            page = placed(self.found, some, since) if since else Placed(some, {}, 0)
            result = bulk.take_in(page.records, page.renamed)
            calls.known += page.earlier
            calls.add(result)
            for line in result.lines if self._may_have_lines else ():
                self.journal.note_if_room(line)
        bulk.finish()
        self.progress.stored += len(records)
        self.progress.prompts, self.progress.too_old = calls.prompts, calls.too_old
        self._save_progress()
        self.journal.write(
            added=calls.new,
            dup=calls.known + self.found.repeated,
            conflicts=calls.conflicting + self.found.conflicting,
        )

    @cached_property
    def _may_have_lines(self) -> bool:
        """Whether the account may store more texts of imports: the same file again and again would fill the disk."""
        most = stored_size.limit()
        return most is None or self._texts() < most

    def _texts(self) -> int:
        return imported_run.texts_of(archives.owner_of(self.run.archive_id))

    def _store_runs(self) -> None:
        parts, most = _parts(), stored_size.limit()
        # The sum reads all of these texts.
        used = 0 if most is None else self._texts()
        with closing(StagedRuns(self.found.store, self.run.archive_id).new()) as new:
            while part := next_part(new, parts.size, _weight_of_run):
                growth = sum(imported_run.text_bytes(run) for run, _ in part)
                if most is not None and used + growth > most:
                    raise HistoryFull(used, most)
                used += growth
                with parts.part(sum(map(_weight_of_run, part))):
                    self._require()
                    Run.objects.bulk_create([run for run, _ in part], batch_size=100)
                    self.progress.runs += len(part)
                    self._save_progress()
        self.stored.runs = self.progress.runs

    def _store_packages(self) -> None:
        """Store packages and orders that the archive does not have; again from the first one after a death."""
        parts = Parts(1, most=_PACKAGES)
        with closing(StagedPackages(self.found.store).lines()) as lines:
            while part := list(islice(lines, parts.size)):
                with parts.part(len(part)):
                    self._require()
                    for line in part:
                        account_packages.take(self.run.archive_id, line)
                    data_version.raise_version(self.run.archive_id)

    def _save_progress(self) -> None:
        self.progress.moved_at = clock.now()
        self.progress.save()

    def _require(self) -> None:
        lease.require(self.token)
        if Run.objects.filter(pk=self.run.pk, stop_requested=True).exists():
            raise _StopRequested

    def _summary(self) -> Message:
        calls, found = self.stored.calls, self.found
        if self.plan.are_bills:
            return Message("imported", counts=self._summary_of_bills())
        parts = [
            Message("records_new", count=calls.new),
            Message("records_known", count=calls.known + found.repeated),
        ]
        if calls.conflicting:
            parts.append(Message("import_records_changed", count=calls.conflicting))
        if found.conflicting:
            parts.append(Message("import_rows_differ", count=found.conflicting))
        if calls.prompts:
            parts.append(Message("import_prompts", count=calls.prompts))
        if calls.too_old:
            parts.append(Message("records_too_old", count=calls.too_old))
        if found.unreadable.count:
            parts.append(Message("rows_skipped", count=found.unreadable.count))
        return Message("imported", counts=[*parts, *self._runs_and_differing_days()])

    def _summary_of_bills(self) -> list[Message]:
        calls, left_out = self.stored.calls, self.found.unreadable.count
        parts = [Message("bills_new", count=calls.new), Message("bills_known", count=calls.known)]
        if left_out:
            parts.append(Message("rows_skipped", count=left_out))
        return [*parts, *self._runs_and_differing_days()]

    def _runs_and_differing_days(self) -> list[Message]:
        parts = []
        if self.stored.runs is not None:
            parts.append(Message("import_runs", count=self.stored.runs))
        return parts + [
            Message("days_differ_from_bill", count=count, **words_of(bill_id))
            for bill_id, count in self.differing
            if count
        ]

    def _refusal(self, error: Exception) -> ApiError:
        """End the run after an unexpected error; gives what its request is answered."""
        event, why = internal_failure(self.run, error)
        message = self._break_off(INTERNAL, why)
        refusal = store_refusals.refusal_of(error)
        if refusal:
            return ApiError(refusal.status, refusal.error, message, retry_after=refusal.retry_after)
        return ApiError(500, "internal", message, more=LoggedFailure(event))

    def _break_off(self, outcome: RunOutcome, why: Message) -> Message:
        """End the run before its end. Where the store takes no write, the next look for dead runs ends it."""
        message = why
        try:
            message = import_progress.cut_off(self.run.pk, why, are_bills=self.plan.are_bills)
            # The lines of a part that was rolled back would be wrong.
            self.journal = runs.Journal.of(self.run)
            self._finish(outcome, message)
        except DatabaseError as error:
            # The request or command of the import reports a damaged store.
            level = logging.INFO if store_damage.is_damage(error) else logging.WARNING
            log.log(level, "the end of run %s could not be stored", self.run.pk, exc_info=True)
        return message

    def _finish(self, outcome: RunOutcome, message: Message) -> Run:
        return runs.finish(self.run, outcome, message, self.journal, actor=self.plan.actor, ip=self.plan.ip)


def _parts() -> Parts:
    return Parts(_FIRST, least=_LEAST, most=_MOST)


def _weight(record: IncomingRecord) -> int:
    return _CALL + len(record.prompt)


def _weight_of_run(run: tuple[Run, int]) -> int:
    return _RUN + run[1]
