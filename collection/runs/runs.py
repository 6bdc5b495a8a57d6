"""The rows of runs: beginning, progress and end (docs/api.md#run)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self

from django.db import transaction
from django.db.models import F, QuerySet, Value
from django.db.models.functions import Concat
from msgspec import structs

from accounts import archives, notice_checks
from accounts.credentials import cookie_lifetimes
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from audit import log
from audit.redaction import redacted_message
from collection import api_types, run_detail
from collection.models import Run
from collection.runs import import_progress, run_counts, run_webhooks
from collection.runs.run_outcomes import COOKIE_EXPIRED, INTERRUPTED, OK, RunOutcome
from usage.data_version import raise_version
from usage.filters import RecordFilters
from usage.reads import queries

BY_SCHEDULE = (Run.Trigger.SCHEDULE, Run.Trigger.STARTUP)
DETAIL_LIMIT = 256 * 1024
# Kept free in a full detail, for the line about left out lines and for the message of an abandoned run.
_ROOM = 1024
# Runs that ask the source and store what it gives: only these are attempts, and show whether the cookie works.
_COLLECTING = (Run.Kind.COLLECTION, Run.Kind.OLDER)
_DIED = {
    Run.Kind.COLLECTION: Message("process_died"),
    Run.Kind.OLDER: Message("older_died"),
    Run.Kind.VERIFICATION: Message("verification_died"),
    Run.Kind.IMPORT: Message("import_process_died"),
}
_ACTIONS = {
    Run.Kind.COLLECTION: "collect",
    Run.Kind.OLDER: "collect",
    Run.Kind.VERIFICATION: "verify",
    Run.Kind.IMPORT: "import",
}


class Journal:
    """The detail of a run: time-stamped lines, buffered until the next write, at most 256 KiB in all.

    `is_full`: further lines are left out.
    """

    def __init__(self, run_id: int, written: int = 0):
        self.run_id = run_id
        self._pending = ""
        self._written = written
        self.is_full = written > DETAIL_LIMIT - _ROOM

    @classmethod
    def of(cls, run: Run) -> Self:
        """A journal that goes on with what is stored of the run's detail."""
        detail = Run.objects.values_list("stored_detail", flat=True).get(pk=run.pk)
        return cls(run.pk, len(detail.encode()))

    def note(self, message: Message) -> str:
        """Add a line, without secrets; gives its text."""
        line = run_detail.stored_line(clock.now(), redacted_message(message.mapped(_on_one_line)))
        if not self.is_full:
            self._written += len(line.encode())
            self.is_full = self._written > DETAIL_LIMIT - _ROOM
            self._pending += run_detail.LEFT_OUT if self.is_full else line
        return run_detail.text_of(line)

    def note_if_room(self, message: Message) -> None:
        """Add a line unless the detail is full: that of the end still has room then."""
        if not self.is_full:
            self.note(message)

    def write(self, **changes: Any) -> None:
        """Write the buffered lines together with other changes of the run's row, in the caller's transaction."""
        if self._pending:
            changes["stored_detail"] = Concat(F("stored_detail"), Value(self._pending))
        Run.objects.filter(pk=self.run_id).update(**changes)
        self._pending = ""


def is_waiting(archive_id: int) -> bool:
    """Whether a scheduled run of an archive waits: it reads up to the moment of its start."""
    return Run.objects.filter(archive_id=archive_id, status=Run.Status.QUEUED, trigger__in=BY_SCHEDULE).exists()


def begin(
    archive_id: int,
    trigger: Run.Trigger,
    win_from: datetime | None = None,
    win_to: datetime | None = None,
    *,
    kind: Run.Kind = Run.Kind.COLLECTION,
    is_ranged: bool = False,
    queued: bool = False,
) -> Run:
    """Create a run, `queued` for the workers or `running` from now on; one without window gets it at its start."""
    now = clock.now()
    with transaction.atomic():
        run = Run.objects.create(
            archive_id=archive_id,
            kind=kind,
            trigger=trigger,
            is_ranged=is_ranged,
            status=Run.Status.QUEUED if queued else Run.Status.RUNNING,
            created_at=now,
            started_at=None if queued else now,
            win_from=win_from,
            win_to=win_to,
        )
        raise_version(archive_id)
    return run


def claim(run_id: int) -> bool:
    """Claim a queued run; False if another worker has it, or it is gone."""
    now = clock.now()
    with transaction.atomic():
        queued = Run.objects.filter(pk=run_id, status=Run.Status.QUEUED)
        if not queued.update(status=Run.Status.RUNNING, started_at=now):
            return False
        raise_version(Run.objects.get(pk=run_id).archive_id)
    return True


def set_window(run_id: int, win_from: datetime, win_to: datetime) -> None:
    """Set the window of a run that starts now."""
    Run.objects.filter(pk=run_id).update(win_from=win_from, win_to=win_to)


def finish(run: Run, outcome: RunOutcome, message: Message, journal: Journal, *, actor: str, ip: str = "") -> Run:
    """End a run, with its audit entry, in one transaction; a run that another process ended stays unchanged."""
    now = clock.now()
    journal.note(message)
    with transaction.atomic():
        if not Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING).update(status=outcome.status):
            run.stored_message = message.stored()
            return Run.objects.filter(pk=run.pk).first() or run
        journal.write(
            exit_code=outcome.exit_code,
            stored_message=_stored(redacted_message(message)),
            finished_at=now,
            duration_ms=_milliseconds(run.started_at, now),
            total=queries.count_records(run.archive_id, RecordFilters()),
        )
        if run.kind == Run.Kind.IMPORT:
            import_progress.forget(run.pk)
        run_counts.count(run.kind, outcome.exit_code)
        if outcome is COOKIE_EXPIRED:
            note_refusal(run)
        raise_version(run.archive_id)
        notice_checks.ask(archives.owner_of(run.archive_id))
        run_webhooks.announce(run.pk)
        log.record(
            _ACTIONS[Run.Kind(run.kind)] + ("" if outcome is OK else "_failed"),
            actor=actor,
            user_id=archives.owner_of(run.archive_id),
            ip=ip,
            detail=Message("run_ended", run=run.pk, trigger=run.trigger, end=message),
        )
    return Run.objects.get(pk=run.pk)


def note_refusal(run: Run) -> None:
    """Note the end of a cookie, in the caller's transaction; it is one if a run since it was set read the source."""

    def was_accepted(since: datetime) -> bool:
        read = Run.objects.filter(archive_id=run.archive_id, exit_code=OK.exit_code, started_at__gte=since)
        return read.exclude(kind=Run.Kind.IMPORT).exists()

    if run.started_at:
        cookie_lifetimes.end(run.archive_id, run.started_at, was_accepted)


def interrupt_abandoned(*, working: Sequence[int] = (), never_taken: Sequence[int] = ()) -> None:
    """End abandoned runs, in the caller's transaction: running ones except `working`, and `never_taken` if queued.

    Imports that can be finished here stay as they are (`dead_imports`).
    """
    for run in Run.objects.filter(status=Run.Status.RUNNING).exclude(pk__in=working):
        died = _DIED[Run.Kind(run.kind)]
        if run.kind != Run.Kind.IMPORT:
            interrupt(run, died)
        elif not import_progress.can_be_finished(run.pk):
            interrupt(run, import_progress.cut_off(run.pk, died))
    for run in Run.objects.filter(pk__in=never_taken, status=Run.Status.QUEUED):
        interrupt(run, Message("no_worker"))


def interrupt(run: Run, message: Message) -> None:
    """End a run that has no worker, in the caller's transaction; one that has ended meanwhile stays unchanged."""
    unfinished = Run.objects.filter(pk=run.pk, status__in=[Run.Status.QUEUED, Run.Status.RUNNING])
    if not unfinished.update(status=INTERRUPTED.status):
        return
    now = clock.now()
    journal = Journal(run.pk)
    journal.note(message)
    journal.write(
        exit_code=INTERRUPTED.exit_code,
        stored_message=message.stored(),
        finished_at=now,
        duration_ms=_milliseconds(run.started_at, now),
        total=queries.count_records(run.archive_id, RecordFilters()),
    )
    if run.kind == Run.Kind.IMPORT:
        import_progress.forget(run.pk)
    run_counts.count(run.kind, INTERRUPTED.exit_code)
    raise_version(run.archive_id)
    run_webhooks.announce(run.pk)


def request_stop(run_ids: Sequence[int]) -> int:
    """Ask these runs to end after their page; gives the number of those that run.

    Imports are not asked: their owners would have to begin them again, while the next start finishes a dead one.
    """
    running = Run.objects.filter(pk__in=run_ids, status=Run.Status.RUNNING).exclude(kind=Run.Kind.IMPORT)
    return running.update(stop_requested=True)


def of_account(archive_id: int) -> QuerySet[Run]:
    """The account's runs, newest first."""
    return Run.objects.filter(archive_id=archive_id).order_by("-pk")


def newest(archive_id: int, limit: int) -> list[Run]:
    """The account's newest runs without their details; after its own those that came with an import."""
    runs = of_account(archive_id).defer("stored_detail")
    own = list(runs.exclude(trigger=Run.Trigger.IMPORTED)[:limit])
    imported = runs.filter(trigger=Run.Trigger.IMPORTED).order_by("-created_at", "-pk")
    return [*own, *imported[: limit - len(own)]] if len(own) < limit else own


def collections(archive_id: int) -> QuerySet[Run]:
    """The account's runs that collect, newest first: without verifications, imports, and runs that were imported."""
    return of_account(archive_id).filter(kind__in=_COLLECTING).exclude(trigger=Run.Trigger.IMPORTED)


def payload(run: Run) -> api_types.Run:
    """A run as the API shows it."""
    return api_types.Run(
        id=run.pk,
        kind=run.kind,
        trigger=run.trigger,
        status=run.status,
        started_at=clock.local_text(run.started_at or run.created_at),
        finished_at=clock.local_text(run.finished_at),
        duration_ms=run.duration_ms,
        win_from=clock.local_text(run.win_from),
        win_to=clock.local_text(run.win_to),
        fetched=run.fetched,
        added=run.added,
        dup=run.dup,
        total=run.total,
        conflicts=run.conflicts,
        exit_code=run.exit_code,
        message=run.message,
        cause=run.cause,
    )


def whole_payload(run: Run) -> api_types.WholeRun:
    """A run with its log."""
    return api_types.WholeRun(**structs.asdict(payload(run)), detail=run.detail)


def _on_one_line(text: str) -> str:
    return " ".join(text.splitlines())


def _stored(message: Message | str) -> str:
    return message.stored() if isinstance(message, Message) else message


def _milliseconds(start: datetime | None, end: datetime) -> int:
    # Negative where the clock was set back meanwhile.
    return max(0, round((end - start).total_seconds() * 1000)) if start else 0
