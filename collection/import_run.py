"""Importing a file of calls into an account's archive, as one run (docs/decisions.md#import).

The file is read and checked before anything is written; then one transaction under the lease stores all of its calls
with the end of the run, so that an import is whole or absent.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, transaction
from django.utils.translation import gettext_lazy

from accounts import config
from accounts.models import User
from accounts.user_changes import Actor
from archive_site.lib.http import store_refusals
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks.instance_lock import Taken, held
from archive_site.lib.storage import disk_space
from archive_site.lib.stored_message import Message
from collection import lease, run_start, runs
from collection.account_import import Account, History, account_of
from collection.models import Run
from collection.run_execution import internal_failure
from collection.run_outcomes import INTERNAL, INTERRUPTED, OK, RunOutcome
from usage.importing import comparison, work_folder, zip_members
from usage.importing.comparison import Comparison
from usage.importing.file_format import Calls, Options, calls_of
from usage.importing.file_source import Source, require_no_workbook
from usage.importing.staging import Staged, staged
from usage.importing.unreadable_file import UnreadableFile

_NAME_SHOWN = 80
# The lease cannot be renewed while one transaction holds the store. A dead holder loses it at once.
_LASTS = timedelta(hours=1)


@dataclass(frozen=True)
class Contents:
    """What was read of a file: its calls, and the account that it holds if it is the file of one."""

    calls: Calls
    found: Staged
    account: Account | None


@dataclass(frozen=True)
class Importer:
    """Who imports, and from where."""

    user: User
    trigger: Run.Trigger
    actor: str
    ip: str = ""


def preview(user: User, source: Source, options: Options) -> dict[str, Any]:
    """What an import of the file would do; stores nothing. Raises UnreadableFile, and ApiError 409 `busy`, 507."""
    with _read(user, source, options) as contents:
        counted = comparison.compare(user.pk, contents.found, max_prompt=config.instance_settings().max_prompt)
        history = contents.account.history(user.pk) if contents.account else None
        if history:
            history.compare()
        return _payload(contents, counted, history)


def import_file(importer: Importer, source: Source, options: Options) -> tuple[Run, dict[str, Any]]:
    """Import the file; gives the run and what it did.

    Raises UnreadableFile, and ApiError 409 `busy` and `interrupted`, 500 `internal`, 503 `unavailable`, 507 `no_space`.
    """
    user = importer.user
    run_start.require_free_lease(user.pk)
    with _read(user, source, options) as contents:
        run, token = run_start.take_other_run(user.pk, Run.Kind.IMPORT, importer.trigger, lasts=_LASTS)
        try:
            return _Import(importer, run, token).store(source, contents)
        finally:
            lease.release(token)


@contextmanager
def _read(user: User, source: Source, options: Options) -> Iterator[Contents]:
    """The file's calls in a private file, during the block."""
    with _alone(user.pk), _full_disk_told(), work_folder.folder() as folder:
        require_no_workbook(source)
        account = account_of(source) if zip_members.is_zip(source) else None
        if account:
            source, options = account.records, replace(options, zone=options.zone or account.zone)
        with _calls_in(source, options, account) as calls, staged(calls.rows, folder) as found:
            if not account:
                _require_calls(found)
            yield Contents(calls, found, account)


def _calls_in(source: Source, options: Options, account: Account | None) -> AbstractContextManager[Calls]:
    # An account may have no records.
    if account and not source.head():
        return nullcontext(Calls("account", {}, iter(())))
    return calls_of(source, options)


def _require_calls(found: Staged) -> None:
    if found.calls:
        return
    if not found.unreadable.count:
        raise UnreadableFile(gettext_lazy("It holds no calls."))
    row, left_out = found.unreadable.examples[0]
    raise UnreadableFile(Message("import_nothing_readable", row=row, why=left_out.reason()))


@contextmanager
def _alone(user_id: int) -> Iterator[None]:
    """Only one file of an account is read at a time. Raises ApiError 409 `busy`."""
    try:
        with held(f"imports/{user_id}.lock"):
            yield
    except Taken:
        raise ApiError(409, "busy", gettext_lazy("Another file is being read for this account.")) from None


@contextmanager
def _full_disk_told() -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error, DatabaseError) as error:
        if not disk_space.is_full(error):
            raise
        raise ApiError(507, "no_space", gettext_lazy("The disk is full: nothing was imported.")) from None


class _Import:
    def __init__(self, importer: Importer, run: Run, token: str):
        self.importer = importer
        self.run = run
        self.token = token
        self.journal = runs.Journal(run.pk)

    def store(self, source: Source, contents: Contents) -> tuple[Run, dict[str, Any]]:
        """Store the contents; gives the run as it ended, and what it did."""
        try:
            return self._store_whole(source, contents)
        except lease.LeaseLost:
            self._fail(INTERRUPTED, Message("import_taken_over"))
            raise ApiError(409, "interrupted", Message("import_taken_over")) from None
        except KeyboardInterrupt:
            self._fail(INTERRUPTED, Message("import_stopped"))
            raise
        except Exception as error:  # noqa: BLE001 - any error ends the run properly; the log has the cause
            event, message = internal_failure(self.run, error)
            self._fail(INTERNAL, message)
            refusal = store_refusals.refusal_of(error)
            raise refusal or ApiError(500, "internal", message, event=event) from None

    def _store_whole(self, source: Source, contents: Contents) -> tuple[Run, dict[str, Any]]:
        """Store everything and end the run, in one transaction."""
        found, account, importer = contents.found, contents.account, self.importer
        history = account.history(self.run.user_id) if account else None
        self._note_file(source, contents)
        max_prompt = config.instance_settings().max_prompt
        with transaction.atomic():
            lease.require(self.token)
            counted = comparison.store(
                self.run.user_id, found, run_id=self.run.pk, max_prompt=max_prompt, note=self._note
            )
            self.journal.write(
                fetched=found.rows + found.unreadable.count,
                added=counted.new,
                dup=counted.known + found.repeated,
                conflicts=counted.conflicting + found.conflicting,
            )
            if account and history:
                history.store()
                account.take_profile(importer.user, Actor(importer.actor, importer.user.pk, importer.ip))
                account.take_views(importer.user.pk)
            run = self._finish(OK, _summary(counted, found, history))
            # The transaction may last longer than the lease.
            if not lease.renew(self.token):
                raise lease.LeaseLost
        return run, _payload(contents, counted, history)

    def _note_file(self, source: Source, contents: Contents) -> None:
        found = contents.found
        name = source.name[:_NAME_SHOWN]
        count = found.rows + found.unreadable.count
        self._note(Message("import_read", name=name, format=_format(contents), count=count))
        for row, left_out in found.unreadable.examples:
            self._note(Message("import_row_skipped", row=row, why=left_out.reason()))
        for request, differences in found.conflicts:
            self._note(Message("conflict", request=request, differences=differences))
        for row, cell in contents.calls.damage.examples:
            self._note(Message("import_cell_damaged", row=row, column=cell.column))

    def _note(self, line: Message) -> None:
        if not self.journal.is_full:
            self.journal.note(line)

    def _fail(self, outcome: RunOutcome, message: Message) -> None:
        # The lines and counts of what was rolled back would be wrong.
        self.journal = runs.Journal(self.run.pk)
        self._finish(outcome, message)

    def _finish(self, outcome: RunOutcome, message: Message) -> Run:
        importer = self.importer
        return runs.finish(self.run, outcome, message, self.journal, actor=importer.actor, ip=importer.ip)


def _format(contents: Contents) -> str:
    return "account" if contents.account else contents.calls.format


def _payload(contents: Contents, counted: Comparison, history: History | None) -> dict[str, Any]:
    """What a file holds, as the API shows it; the file of an account adds its runs and settings."""
    calls, damage = contents.calls, contents.calls.damage
    about = {
        "format": _format(contents),
        "encoding": calls.encoding,
        "columns": dict(calls.columns),
        **counted.payload(contents.found),
        "damaged": damage.count,
    }
    about["examples"]["damaged"] = [{"row": row, **cell._asdict()} for row, cell in damage.examples]
    if contents.account is None or history is None:
        return about
    return {**about, "runs": history.payload(), **contents.account.settings}


def _summary(counted: Comparison, found: Staged, history: History | None) -> Message:
    parts = [
        Message("records_new", count=counted.new),
        Message("records_known", count=counted.known + found.repeated),
    ]
    if counted.conflicting:
        parts.append(Message("import_records_changed", count=counted.conflicting))
    if found.conflicting:
        parts.append(Message("import_rows_differ", count=found.conflicting))
    if counted.prompts:
        parts.append(Message("import_prompts", count=counted.prompts))
    if found.unreadable.count:
        parts.append(Message("rows_skipped", count=found.unreadable.count))
    if history:
        parts.append(Message("import_runs", count=history.new))
    return Message("imported", counts=parts)
