"""Importing a file of calls into an account's archive, as one run (docs/decisions/files.md).

The file is read and checked before anything is written; then its calls are stored in parts under the lease
(`import_storing`).
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext, gettext_lazy
from msgspec import UNSET, UnsetType, structs

from accounts import archive_changes, archives, config
from accounts.models import Archive, User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.i18n import Words, filled
from archive_site.lib.stored_message import Message
from collection.api_types import ImportedArchive, ImportedFile, RunsInFile
from collection.models import ImportProgress, Run
from collection.runs import import_progress, lease, run_start, runs
from collection.sources.addresses import usable_address
from collection.sources.keyed import private_allowed
from collection.transfer import account_bills, archive_files, breaking_off, dead_imports
from collection.transfer.account_file import archive_form
from collection.transfer.account_import import Account, FiledArchive, account_of
from collection.transfer.account_packages import StagedPackages
from collection.transfer.import_plan import Plan
from collection.transfer.import_storing import Stored, Storing
from collection.transfer.staged_runs import StagedRuns
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import CREDITS, UNITS, Unit
from usage.importing import comparison, filed_bills, replaced_rows, work_folder, zip_members
from usage.importing.file_format import Calls, Options, calls_of
from usage.importing.file_source import Source, require_no_workbook
from usage.importing.filed_bills import FiledBills
from usage.importing.staging import Staged, staged
from usage.importing.unreadable_file import UnreadableFile

_NAME_SHOWN = 80
# The id of no archive.
_NONE = -1


@dataclass(frozen=True)
class Contents:
    """What was read of a file into `folder` for one archive: its calls, and those of an account's file its runs.

    `account` is the file of an account, where this is its first archive; `about` is what a further one is, and `proves`
    the place of the one whose days its bills prove. `is_named`: the request names the archive. `bills` are
    sums of days that it has instead of calls; `packages` is how many packages of credits it has, None without any;
    `rate` is what the file of an account says of its rate.
    """

    archive_id: int
    folder: Path
    calls: Calls
    found: Staged
    unit: Unit
    runs: StagedRuns | None = None
    account: Account | None = None
    about: Archive | None = None
    is_named: bool = False
    bills: FiledBills | None = None
    proves: int | None = None
    packages: int | None = None
    rate: object = None

    @property
    def young_from(self) -> str | None:
        """The wall clock after which calls may be filled in by their service; None where it does that to none."""
        form = self.calls.form
        return replaced_rows.young_from(self.found.span()[1], form.young) if form and form.young else None


@dataclass(frozen=True)
class Importer:
    """Who imports, and from where; `archive_id` is the archive that a file of calls is for, the first one if None."""

    user: User
    trigger: Run.Trigger
    actor: str
    ip: str = ""
    archive_id: int | None = None


def preview(user: User, source: Source, options: Options, archive_id: int | None = None) -> ImportedFile:
    """What an import of the file would do; stores nothing.

    Raises UnreadableFile, and ApiError 400 for the file of an account into one archive, 409 `busy`, 507.
    """
    with _read(user, archive_id, source, options) as archives_read:
        return _payload([(contents, _compared(contents)) for contents in archives_read])


def import_file(importer: Importer, source: Source, options: Options) -> tuple[Run, ImportedFile]:
    """Import the file, after dead imports of the account are finished; gives the run and what it did.

    The file of an account fills one archive after the other, each by a run; the run is that of the first one. Where a
    later one fails, the error says that those before it are filled.

    Raises UnreadableFile, and ApiError 400 for the file of an account into one archive, 409 `busy` and
    `interrupted`, 500 `internal`, 503 `unavailable`, 507 `account_full` and `no_space`.
    """
    user = importer.user
    run_start.require_free_lease(archives.first_of(user.pk))
    for archive_id in archives.of_account(user.pk):
        dead_imports.finish_of(archive_id)
    with _read(user, importer.archive_id, source, options) as (first, *further):
        run, stored = _imported(importer, source, first)
        done, ids = {0: (first, stored)}, {0: run.archive_id}
        # Bills come last: what they prove is there, then.
        for place, contents in sorted(enumerate(further, 1), key=lambda each: each[1].bills is not None):
            with breaking_off.further_archive_named():
                proved = None if contents.proves is None else ids.get(contents.proves)
                further_run, stored = _imported(importer, source, contents, proved)
            done[place], ids[place] = (contents, stored), further_run.archive_id
        return run, _payload([done[place] for place in sorted(done)])


def _compared(contents: Contents) -> Stored:
    if bills := contents.bills:
        known = filed_bills.unchanged(contents.archive_id, bills)
        counted = comparison.Comparison(new=bills.days - known, known=known)
        return Stored(counted, contents.runs.compare() if contents.runs else None)
    most, since = config.instance_settings().max_prompt, contents.young_from
    if since:
        replaced_rows.match(contents.archive_id, contents.found, since)
    counted = comparison.compare(contents.archive_id, contents.found, max_prompt=most, young_from=since)
    return Stored(counted, contents.runs.compare() if contents.runs else None)


def _imported(importer: Importer, source: Source, contents: Contents, proved: int | None = None) -> tuple[Run, Stored]:
    """Store what was read for one archive, which is made where it is not there; gives its run and what it did.

    Its bills prove the archive `proved`, unless they prove another one.
    """
    plan = _plan(importer, contents)
    if plan.young_from:
        replaced_rows.match(contents.archive_id, contents.found, plan.young_from)
    contents.found.keep(contents.folder, asdict(plan))
    run, token = _begin(importer, source, contents, proved)
    with lease.kept(token):
        stored = Storing(run, token, contents.found, plan).store()
    contents.found.give_memory_back()
    return stored


@contextmanager
def _read(user: User, named: int | None, source: Source, options: Options) -> Iterator[list[Contents]]:
    """The file's calls and runs in private files, those of one archive in each, during the block.

    A file of calls is for the archive that was named, or the first one.
    """
    own = archives.first_of(user.pk)
    with work_folder.alone(own), breaking_off.full_disk_refused(), ExitStack() as opened:
        require_no_workbook(source)
        if not zip_members.is_zip(source):
            archive_id = own if named is None else named
            asked = replace(options, unit=unit_of(archive_id), forms=archive_files.forms_of(archive_id))
            contents = opened.enter_context(_staged(archive_id, source, asked))
            _require_calls(contents.found)
            yield [replace(contents, is_named=named is not None)]
            return
        if named is not None:
            words = gettext("The file of an account has its archives: import it without 'archive'.")
            raise ApiError(400, "bad_request", words)
        account = account_of(source)
        options = replace(options, zone=options.zone or account.zone)
        read: list[Contents] = []
        for archive_id, filed in _with_ids(user, account.archives):
            before = sum(one.runs.rows for one in read if one.runs)
            unit = UNITS[filed.about.unit] if filed.about else CREDITS
            asked = replace(options, unit=unit)
            read.append(opened.enter_context(_staged(archive_id, filed.records, asked, account, filed, before)))
        yield read


def _with_ids(user: User, filed: list[FiledArchive]) -> Iterator[tuple[int, FiledArchive]]:
    """The archives of a file, each with the id of the account's archive that it is; several of one label in order.

    Raises UnreadableFile where the account would have too many.
    """
    here = archives.further_of(user.pk)
    room = archives.MOST - 1 - len(here)
    known = _known(filed, here, private_allowed=private_allowed(user.pk))
    for place, one in enumerate(filed):
        if one.about is None:
            yield archives.first_of(user.pk), one
            continue
        same = known.get(place)
        if same is None:
            if room <= 0:
                raise UnreadableFile(_too_many())
            room -= 1
        yield same.pk if same else _NONE, one


def _known(filed: Sequence[FiledArchive], here: Sequence[Archive], *, private_allowed: bool) -> dict[int, Archive]:
    """Which of these archives those of a file are, by their places: first those that are the same in all. One whose
    address may not be used here was stored without it, or has got another one since."""
    further = [(place, one.about) for place, one in enumerate(filed) if one.about]
    left, found = list(here), dict[int, Archive]()
    for place, about in further:
        if same := next((one for one in left if archive_form(one) == archive_form(about)), None):
            left.remove(same)
            found[place] = same
    for place, about in further:
        is_usable = not about.address or usable_address(about.address, private_allowed=private_allowed)
        if place in found or is_usable:
            continue
        alike = [one for one in left if {**archive_form(one), "address": ""} == {**archive_form(about), "address": ""}]
        unaddressed = [one for one in alike if not one.address]
        if same := next(iter(unaddressed or (alike if len(alike) == 1 else [])), None):
            left.remove(same)
            found[place] = same
    return found


def _too_many() -> Words:
    return filled(gettext_lazy("The account would have more than %(most)s archives."), most=archives.MOST)


@contextmanager
def _staged(
    archive_id: int,
    source: Source,
    options: Options,
    account: Account | None = None,
    filed: FiledArchive | None = None,
    runs_before: int = 0,
) -> Iterator[Contents]:
    """What was read for one archive; `runs_before` are the runs that the file has for others."""
    with (
        work_folder.folder(import_progress.kept_folders()) as folder,
        _calls_in(source, options, account, filed) as calls,
        staged(calls.rows, folder, options.unit, are_keyed=calls.are_keyed) as found,
    ):
        if not filed:
            archive_files.require_its_own(archive_id, calls)
            unit = archive_files.unit_for(archive_id, calls.form) if calls.form else options.unit
            # Bills that are not kept are refused before anything is stored.
            bills = FiledBills(found) if calls.form and calls.form.is_bill else None
            yield Contents(archive_id, folder, calls, found, unit, bills=bills)
            return
        bills = FiledBills(found) if filed.bills else None
        history = StagedRuns(found.store, archive_id)
        history.read(filed.runs, runs_before)
        packages = StagedPackages(found.store).read(filed.packages) if filed.packages else None
        found.give_memory_back()
        yield Contents(
            archive_id,
            folder,
            calls,
            found,
            options.unit,
            history,
            None if filed.about else account,
            filed.about,
            bills=bills,
            proves=filed.proves,
            packages=packages,
            rate=filed.rate,
        )


def _plan(importer: Importer, contents: Contents) -> Plan:
    most = config.instance_settings().max_prompt
    kept = contents.account.kept() if contents.account else {} if contents.about else None
    return Plan(importer.actor, importer.ip, most, kept, contents.young_from, contents.bills is not None)


def _begin(importer: Importer, source: Source, contents: Contents, proved: int | None) -> tuple[Run, str]:
    """Take the lease and create the run, with what is known of the file.

    Raises ApiError 409 `busy`, and `interrupted` where the account was deleted while its file was read.
    """
    found = contents.found
    with transaction.atomic():
        if not User.objects.select_for_update().filter(pk=importer.user.pk).exists():
            raise ApiError(409, "interrupted", Message("owner_gone"))
        archive_id = contents.archive_id
        if archive_id == _NONE and contents.about:
            address = usable_address(contents.about.address, private_allowed=private_allowed(importer.user.pk))
            made = archive_changes.add(importer.user.pk, **{**archive_form(contents.about), "address": address})
            if made is None:
                raise ApiError(400, "bad_request", _too_many())
            archive_id = made.pk
        if proved is not None:
            archive_files.let_prove(archive_id, proved)
        archive_files.take_rate(archive_id, contents.rate)
        if contents.calls.form:
            archive_files.settle(archive_id, contents.calls.form)
        run, token = run_start.take_other_run(archive_id, Run.Kind.IMPORT, importer.trigger)
        ImportProgress.objects.create(run=run, folder=contents.folder.name, node=settings.NODE)
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


def _calls_in(
    source: Source, options: Options, account: Account | None, filed: FiledArchive | None
) -> AbstractContextManager[Calls]:
    if filed and filed.bills:
        return nullcontext(Calls("account", {}, account_bills.rows(filed.bills)))
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


def _format(contents: Contents) -> str:
    return "account" if contents.runs else contents.calls.format


def _payload(archives_read: list[tuple[Contents, Stored]]) -> ImportedFile:
    """What a file holds, as the API shows it; that of an account adds its runs, settings and further archives."""
    (first, stored), *further = archives_read
    payload = _payload_of_one(first, stored)
    if not further:
        return payload
    return structs.replace(payload, archives=[_payload_of_further(*one) for one in further])


def _payload_of_further(contents: Contents, stored: Stored) -> ImportedArchive:
    whole = _payload_of_one(contents, stored)
    assert contents.about
    assert whole.runs
    return ImportedArchive(
        kind=contents.about.kind,
        label=contents.about.label,
        rows=whole.rows,
        new=whole.new,
        known=whole.known,
        conflicting=whole.conflicting,
        repeated=whole.repeated,
        prompts=whole.prompts,
        too_old=whole.too_old,
        unreadable=whole.unreadable,
        runs=whole.runs,
        packages=whole.packages,
    )


def _payload_of_one(contents: Contents, stored: Stored) -> ImportedFile:
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
        too_old=counted.too_old,
        unreadable=found.unreadable.count,
        examples=counted.examples(found, calls.damage, contents.unit, measured=contents.is_named),
        damaged=calls.damage.count,
        days=contents.bills.days if contents.bills else UNSET,
        runs=_runs_in(contents, stored),
        packages=UNSET if contents.packages is None else contents.packages,
        settings=account.settings if account else UNSET,
        profile=account.profile if account else UNSET,
    )


def _runs_in(contents: Contents, stored: Stored) -> RunsInFile | UnsetType:
    if contents.runs is None or stored.runs is None:
        return UNSET
    unreadable = contents.runs.unreadable
    return RunsInFile(stored.runs, contents.runs.rows - unreadable - stored.runs, unreadable)
