"""Importing a file of calls into an account's archive, as one run (docs/decisions/files.md).

The file is read and checked before anything is written; then its calls are stored in parts under the lease
(`import_storing`).
"""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from django.db import DatabaseError, transaction
from django.utils.translation import gettext_lazy
from msgspec import UNSET, UnsetType

from accounts import config
from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import disk_space
from archive_site.lib.stored_message import Message
from collection.api_types import ImportedFile, RunsInFile
from collection.models import ImportProgress, Run
from collection.runs import import_progress, lease, run_start, runs
from collection.transfer import dead_imports
from collection.transfer.account_import import Account, account_of
from collection.transfer.import_plan import Plan
from collection.transfer.import_storing import Stored, Storing
from collection.transfer.staged_runs import StagedRuns
from usage.importing import comparison, work_folder, zip_members
from usage.importing.file_format import Calls, Options, calls_of
from usage.importing.file_source import Source, require_no_workbook
from usage.importing.staging import Staged, staged
from usage.importing.unreadable_file import UnreadableFile

_NAME_SHOWN = 80


@dataclass(frozen=True)
class Contents:
    """What was read of a file into `folder`: its calls, and the account with its runs if it is the file of one."""

    folder: Path
    calls: Calls
    found: Staged
    account: Account | None
    runs: StagedRuns | None


@dataclass(frozen=True)
class Importer:
    """Who imports, and from where."""

    user: User
    trigger: Run.Trigger
    actor: str
    ip: str = ""


def preview(user: User, source: Source, options: Options) -> ImportedFile:
    """What an import of the file would do; stores nothing. Raises UnreadableFile, and ApiError 409 `busy`, 507."""
    with _read(user, source, options) as contents:
        counted = comparison.compare(user.pk, contents.found, max_prompt=config.instance_settings().max_prompt)
        new_runs = contents.runs.compare() if contents.runs else None
        return _payload(contents, Stored(counted, new_runs))


def import_file(importer: Importer, source: Source, options: Options) -> tuple[Run, ImportedFile]:
    """Import the file, after a dead import of the account is finished; gives the run and what it did.

    Raises UnreadableFile, and ApiError 409 `busy` and `interrupted`, 500 `internal`, 503 `unavailable`, 507
    `account_full` and `no_space`.
    """
    user = importer.user
    run_start.require_free_lease(user.pk)
    dead_imports.finish_of(user.pk)
    with _read(user, source, options) as contents:
        plan = _plan(importer, contents)
        contents.found.keep(contents.folder, asdict(plan))
        run, token = _begin(importer, source, contents)
        with lease.kept(token):
            ended, stored = Storing(run, token, contents.found, plan).store()
        return ended, _payload(contents, stored)


@contextmanager
def _read(user: User, source: Source, options: Options) -> Iterator[Contents]:
    """The file's calls and runs in a private file, during the block."""
    with work_folder.alone(user.pk), _full_disk_told(), work_folder.folder(import_progress.kept_folders()) as folder:
        require_no_workbook(source)
        account = account_of(source) if zip_members.is_zip(source) else None
        if account:
            source, options = account.records, replace(options, zone=options.zone or account.zone)
        with _calls_in(source, options, account) as calls, staged(calls.rows, folder) as found:
            history = None
            if account:
                history = StagedRuns(found.store, user.pk)
                history.read(account.runs)
            else:
                _require_calls(found)
            yield Contents(folder, calls, found, account, history)


def _plan(importer: Importer, contents: Contents) -> Plan:
    most = config.instance_settings().max_prompt
    return Plan(importer.actor, importer.ip, most, contents.account.kept() if contents.account else None)


def _begin(importer: Importer, source: Source, contents: Contents) -> tuple[Run, str]:
    """Take the lease and create the run, with what is known of the file. Raises ApiError 409 `busy`."""
    found = contents.found
    with transaction.atomic():
        run, token = run_start.take_other_run(importer.user.pk, Run.Kind.IMPORT, importer.trigger)
        ImportProgress.objects.create(run=run, folder=contents.folder.name)
        journal = runs.Journal(run.pk)
        for line in _lines_about(source, contents):
            journal.note_if_room(line)
        rows = found.rows + found.unreadable.count
        journal.write(fetched=rows, dup=found.repeated, conflicts=found.conflicting)
    run.refresh_from_db()
    return run, token


def _lines_about(source: Source, contents: Contents) -> Iterator[Message]:
    found = contents.found
    count = found.rows + found.unreadable.count
    yield Message("import_read", name=source.name[:_NAME_SHOWN], format=_format(contents), count=count)
    for row, left_out in found.unreadable.examples:
        yield Message("import_row_skipped", row=row, why=left_out.reason())
    for request, differences in found.conflicts:
        yield Message("conflict", request=request, differences=differences)
    for row, cell in contents.calls.damage.examples:
        yield Message("import_cell_damaged", row=row, column=cell.column)


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
    rows = [Message("import_row_why", row=row, why=each.reason()) for row, each in found.unreadable.examples]
    raise UnreadableFile(Message("import_none_readable", rows=rows))


@contextmanager
def _full_disk_told() -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error, DatabaseError) as error:
        if not disk_space.is_full(error):
            raise
        raise ApiError(507, "no_space", gettext_lazy("The disk is full: nothing was imported.")) from None


def _format(contents: Contents) -> str:
    return "account" if contents.account else contents.calls.format


def _payload(contents: Contents, stored: Stored) -> ImportedFile:
    """What a file holds, as the API shows it; the file of an account adds its runs and settings."""
    calls, found, counted, account = contents.calls, contents.found, stored.calls, contents.account
    return ImportedFile(
        format=_format(contents),
        encoding=calls.encoding,
        columns=dict(calls.columns),
        rows=found.rows,
        new=counted.new,
        known=counted.known,
        conflicting=counted.conflicting + found.conflicting,
        repeated=found.repeated,
        prompts=counted.prompts,
        unreadable=found.unreadable.count,
        examples=counted.examples(found, calls.damage),
        damaged=calls.damage.count,
        runs=_runs_in(contents, stored),
        settings=account.settings if account else UNSET,
        profile=account.profile if account else UNSET,
    )


def _runs_in(contents: Contents, stored: Stored) -> RunsInFile | UnsetType:
    if contents.runs is None or stored.runs is None:
        return UNSET
    unreadable = contents.runs.unreadable
    return RunsInFile(stored.runs, contents.runs.rows - unreadable - stored.runs, unreadable)
