"""Erases an archive in small steps, so that other readers and writers do not wait long."""

import time
from collections.abc import Iterator

from django.db import transaction

from archive_site.lib.storage.sql import execute, marks
from archive_site.lib.storage.turns import take_turn_of_archive
from usage.change_log.writes import forget_records
from usage.models import LEDGER, ROLLUPS, ROLLUPS_OF_MONTHS, Budget, DataVersion, Record, RemovedRecord, SavedView
from usage.search import index as search_index

# How many records a step erases, and how many rows of a rollup.
STEP, STEP_OF_SUMS = 1000, 5000
_LONGEST_PAUSE = 0.2


def erase_archive(user_id: int, *, seconds: float | None = None) -> bool:
    """Erase an account's records with their prompts and sums, its saved views and its budgets, for at most `seconds`.

    Return whether all are gone.

    An interrupted erasure can be started again at any point.
    """
    until = None if seconds is None else time.monotonic() + seconds
    for model in (*LEDGER, DataVersion, SavedView, Budget, RemovedRecord):
        model.objects.filter(user_id=user_id).delete()
    begun = time.monotonic()
    for is_full in _steps(user_id):
        if until is not None and time.monotonic() > until:
            return False
        if is_full:
            # Waiting writers poll for SQLite's lock: leave it free half of the time, so that they get it.
            time.sleep(min(time.monotonic() - begun, _LONGEST_PAUSE))
        begun = time.monotonic()
    return True


def delete_records(ids: list[int]) -> None:
    """Delete records with their prompts and search index entries, in the caller's transaction."""
    if ids:
        search_index.remove(search_index.stored(ids))
        forget_records(ids)
        execute(f"DELETE FROM usage_prompt WHERE record_id IN ({marks(ids)})", ids)  # noqa: S608 - placeholders only, bound values
        execute(f"DELETE FROM usage_record WHERE id IN ({marks(ids)})", ids)  # noqa: S608 - placeholders only, bound values


def _steps(user_id: int) -> Iterator[bool]:
    """Erase step by step, first the sums; each step gives whether it was a full one."""
    for rollup in ROLLUPS:
        sums = rollup.objects.filter(user_id=user_id)
        days = sums.order_by("day").values_list("day", flat=True)
        while day := days[STEP_OF_SUMS : STEP_OF_SUMS + 1].first():
            sums.filter(day__lte=day).delete()
            yield True
        sums.delete()
    # After the daily sums: while these exist, the housekeeping may compute the sums of months again.
    for model in ROLLUPS_OF_MONTHS:
        model.objects.filter(user_id=user_id).delete()
    while step := _erase_some(user_id):
        yield step == STEP


def _erase_some(user_id: int) -> int:
    with transaction.atomic():
        take_turn_of_archive(user_id)
        ids = list(Record.objects.filter(user_id=user_id).values_list("pk", flat=True)[:STEP])
        delete_records(ids)
    return len(ids)
