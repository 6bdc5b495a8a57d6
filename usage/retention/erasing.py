"""Erases calls and prompts that accounts do not keep any more, in parts (docs/decisions/records.md#retention).

First the horizon of an archive moves, day by day, with the sums of the days that it passes; then their records go. So
it may break off at any point: no day is without its sums, and the next go erases the rest.
"""

import logging
import time
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import Final

from django.db import DatabaseError, DataError, IntegrityError

from accounts import archives
from accounts.models import Archive, User
from accounts.notices import sent
from archive_site.lib import clock
from archive_site.lib.storage import engine
from archive_site.lib.storage.deletion import ROWS, delete_in_parts, first_rows, parts_by_text
from archive_site.lib.storage.sql import fetch
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.storage.write_parts import Parts
from archive_site.lib.task_turns import turn_of
from usage import horizon
from usage.change_log.writes import last_number
from usage.coverage import ledger_writes
from usage.data_version import raise_version
from usage.erasure import delete_records, lengths_of
from usage.export import kept_files
from usage.horizon import Horizon
from usage.models import DayTotal, Record, RemovedRecord, Retention
from usage.models import Horizon as Row
from usage.retention import choices, erased_prompts, erasure_day
from usage.rollups import erased_sums
from usage.stored_size import ERASED_BYTES, note_other_size

log = logging.getLogger(__name__)

# Seconds that one task erases; another one goes on, behind those that wait.
PATIENCE: Final = 20.0
# Calls that are summed in a part, whole days, at first and at most.
_FIRST, _MOST = 2_000, 200_000
_WITH_PROMPT = f"""
    SELECT r.id, LENGTH(p.text), r.day FROM usage_record r {engine.indexed_by("record_by_group")}
    JOIN usage_prompt p ON p.record_id = r.id
    WHERE r.user_id = %s AND r.day >= %s AND r.day < %s ORDER BY r.day LIMIT {ROWS}"""  # noqa: S608 - constants


def go_on(seconds: float = PATIENCE) -> bool:
    """Erase what accounts do not keep any more, for at most `seconds`; return whether nothing is left to do for this
    one. It may break off at any point."""
    until = time.monotonic() + seconds
    with turn_of("retention-erasure") as is_free:
        return not is_free or all(until >= time.monotonic() for _ in _steps())


def _steps() -> Iterator[None]:
    for row in Retention.objects.order_by("user_id"):
        # That of an account which is being deleted is erased whole.
        if User.objects.filter(pk=row.user_id).exists():
            day = erasure_day.of_choice(row)
            for archive_id in archives.of_account(row.user_id):
                yield from _logged(archive_id, advance(archive_id, partial(_chosen, row.user_id, archive_id, day)))
    for archive_id in Row.objects.order_by("archive_id").values_list("archive_id", flat=True):
        yield from _logged(archive_id, erase_rest(archive_id))


def _logged(archive_id: int, steps: Iterator[None]) -> Iterator[None]:
    """The steps of an archive; what keeps it from going on is logged, and keeps no other archive waiting."""
    try:
        yield from steps
    except Exception as error:
        is_of_rows = isinstance(error, IntegrityError | DataError)
        if isinstance(error, DatabaseError | OSError) and not is_of_rows:
            # Of the store, not of this archive.
            raise
        log.exception("archive %s: what its account does not keep cannot be erased", archive_id)


def _chosen(user_id: int, archive_id: int, day: date, known: Horizon) -> Horizon:
    # An archive that is being deleted is erased whole, also its horizon.
    if not Archive.objects.filter(pk=archive_id, deleted_at=None).exists():
        return known
    return choices.of_account(user_id).moved(known, day)


def advance(archive_id: int, wanted_of: Callable[[Horizon], Horizon]) -> Iterator[None]:
    """Move the horizon of an archive, some days in a part; `wanted_of` gives where to, from where it is."""
    parts = Parts(_FIRST, most=_MOST)
    while (known := horizon.of_archive(archive_id)) != (wanted := wanted_of(known)):
        before, calls = _next_days(archive_id, known.calls_from, wanted.calls_from, parts.size)
        with parts.part(calls):
            lock_archive(archive_id)
            # Another process may have moved it, or the account chosen otherwise.
            if horizon.of_archive(archive_id) == known and wanted_of(known) == wanted:
                move(archive_id, known, Horizon(before, wanted.prompts_from))
        yield


def move(archive_id: int, known: Horizon, wanted: Horizon) -> None:
    """Move the horizon of an archive, which is `known`, in the caller's transaction and in the archive's turn. The sums
    of the days that it passes stay."""
    rows = 0
    if wanted.calls_from > known.calls_from:
        rows = erased_sums.count_days(archive_id, known.calls_from, wanted.calls_from)
        ledger_writes.give_up(archive_id, date.fromisoformat(wanted.calls_from))
    Row.objects.update_or_create(archive_id=archive_id, defaults=wanted._asdict())
    # The data version, too: answers about these days are others.
    note_other_size(archive_id, rows * ERASED_BYTES)


def _next_days(archive_id: int, first: str, last: str, most: int) -> tuple[str, int]:
    """Where the horizon moves next, from `first` to `last` at most, and how many calls it passes: at most so many, or
    those of one day."""
    days = DayTotal.objects.filter(archive_id=archive_id, day__gte=first, day__lt=last).order_by("day")
    passed = 0
    for day, calls in days.values_list("day", "calls").iterator():
        if passed and passed + calls > most:
            return day, passed
        passed += calls
    return last, passed


def erase_rest(archive_id: int) -> Iterator[None]:
    """Erase what an archive has of the days before its horizon, part by part, and then what others keep of it."""
    row = Row.objects.filter(archive_id=archive_id).first()
    if row is None or (row.calls_gone == row.calls_from and row.prompts_gone == row.prompts_from):
        return
    if archives.is_further(archive_id) and not Archive.objects.filter(pk=archive_id).exists():
        # It was deleted while its horizon moved.
        row.delete()
        return
    yield from _erase_calls(row)
    yield from _erase_prompts(row)
    for _ in delete_in_parts(RemovedRecord.objects.filter(archive_id=archive_id, day__lt=row.calls_from)):
        yield
    if Row.objects.filter(archive_id=archive_id, is_unfinished=True).exists():
        kept_files.remove_exports(archive_id)
        owner = archives.owner_of(archive_id)
        sent.forget_prompts(owner, before=max(row.calls_from, row.prompts_from))
        sent.forget_calls(owner, before=row.calls_from)
        log.info("archive %s: erased calls before %r, prompts before %r", archive_id, row.calls_from, row.prompts_from)
    gone = Row.objects.filter(archive_id=archive_id, calls_from=row.calls_from, prompts_from=row.prompts_from)
    gone.update(calls_gone=row.calls_from, prompts_gone=row.prompts_from, is_unfinished=False)


def _erase_calls(row: Row) -> Iterator[None]:
    parts, records = parts_by_text(), Record.objects.filter(archive_id=row.archive_id, day__lt=row.calls_from)
    while True:
        ids, amount = first_rows(lengths_of(records)[:ROWS], parts.size)
        if not ids:
            return
        with parts.part(amount):
            lock_archive(row.archive_id)
            _note_erased(row, last_change=last_number(row.archive_id))
            delete_records(ids)
            raise_version(row.archive_id)
        yield


def _erase_prompts(row: Row) -> Iterator[None]:
    """Erase the prompts in the order of days, and note how far that is."""
    parts, first = parts_by_text(), row.prompts_gone
    while found := fetch(_WITH_PROMPT, [row.archive_id, first, row.prompts_from]):
        ids, amount = first_rows(((record_id, length) for record_id, length, _ in found), parts.size)
        with parts.part(amount):
            lock_archive(row.archive_id)
            erased_prompts.erase(row.archive_id, ids)
            # The rest of this day is still there.
            first = found[len(ids) - 1][2]
            _note_erased(row, prompts_gone=first)
        yield


def _note_erased(row: Row, **more: object) -> None:
    """Note that something is erased, in the transaction that erases it."""
    found = Row.objects.filter(archive_id=row.archive_id)
    found.update(erased_at=clock.now(), is_unfinished=True, **more)
