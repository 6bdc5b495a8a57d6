"""Moves the archive of a deleted account to another account, in parts.

The rules: docs/decisions/accounts.md#adopting-an-archive.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from archive_site.lib.storage.deletion import ROWS, first_rows, parts_by_text
from archive_site.lib.storage.sql import execute, fetch, marks
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.storage.write_parts import Parts
from usage import horizon
from usage.budgets import stored_budgets
from usage.change_log.writes import note_moved, note_removed
from usage.coverage import imported_days, ledger_writes, left_windows
from usage.data_version import raise_version
from usage.erasure import delete_records, erase_removals, erase_statements, erase_sums, lengths_of
from usage.filter_sql import records_of_ids
from usage.horizon import Horizon
from usage.models import ROLLUPS, DayMeasures, DayTotal, ErasedSums, Record, SavedView
from usage.models import Horizon as HorizonRow
from usage.packages import taken_over
from usage.retention import erased_prompts, erasing
from usage.rollups import day_measures, month_sums
from usage.rollups import recompute as rollup
from usage.search import engine_index as search_index
from usage.stored_size import ERASED_BYTES, note_other_size
from usage.stored_size import note_moved as note_size_moved
from usage.stored_size import note_removed as note_size_removed

# Of two records of one call, the one that was updated first.
_OLDER_TWINS = """
    SELECT CASE WHEN theirs.updated_at > own.updated_at THEN own.id ELSE theirs.id END
    FROM usage_record theirs JOIN usage_record own ON own.user_id = %s AND own.request_id = theirs.request_id
    WHERE theirs.id IN ({marks})"""
# The days whose sums are moved in a part, at first and at most.
_DAYS, _MOST_DAYS = 5, 100
_SUMS = [model._meta.db_table for model in (*ROLLUPS, DayMeasures, ErasedSums)]
_GIVE = "UPDATE {table} SET user_id = %s WHERE user_id = %s AND day IN ({days})"
_DROP = "DELETE FROM {table} WHERE user_id = %s AND day IN ({days})"


def move_erased_days(old_id: int, heir_id: int, note: Callable[..., None]) -> Iterator[None]:
    """Give the heir the sums of the old archive's erased days, except those of days on which it has calls itself, part
    by part. Where the heir has no calls before the old archive's horizon, it takes that horizon.

    First the old archive erases what the heir has erased: no call comes back. `note` gets 0 and the number of days that
    a part left out, and may raise. It can be started again at any point.
    """
    yield from erasing.advance(old_id, lambda known: _latest(known, horizon.of_archive(heir_id)))
    yield from erasing.erase_rest(old_id)
    yield from erasing.advance(heir_id, partial(_free_days, old_id, heir_id))
    parts, days = Parts(_DAYS, most=_MOST_DAYS), DayTotal.objects.filter(archive_id=old_id).order_by("day")
    erased = days.filter(day__lt=horizon.calls_from(old_id)).values_list("day", flat=True)
    while found := list(erased[: parts.size]):
        with parts.part(len(found)):
            note(0)
            lock_archive(heir_id)
            note(0, _move_days(old_id, heir_id, found))
        yield


def move_records(old_id: int, heir_id: int, note: Callable[[int], None]) -> None:
    """Move the records of an old account id to the heir, oldest first, each part with the heir's sums.

    Where both have the same call, the record that was updated last stays. `note` gets 0 before each part, then the
    number of records that it moved, within it, and may raise to end the move there. An interrupted move can be started
    again, and two may work at once.
    """
    parts, left = parts_by_text(), Record.objects.filter(archive_id=old_id).order_by("ts")
    while True:
        ids, amount = first_rows(lengths_of(left)[:ROWS], parts.size)
        if not ids:
            return
        with parts.part(amount):
            # First the account, as an import of the heir does.
            note(0)
            lock_archive(heir_id)
            note(_move(old_id, heir_id, ids))


def move_packages(old_id: int, heir_id: int, note: Callable[[int], None]) -> Iterator[None]:
    """Give the heir the packages and orders that it does not have, part by part; `note(0)` is called in each, and may
    raise. What it has of its own stays, and the old rows stay until `erase_rest`."""
    parts = Parts(1, most=1)
    for take in taken_over.steps(old_id, heir_id):
        with parts.part():
            note(0)
            take()
            raise_version(heir_id)
        yield


def erase_rest(old_id: int) -> Iterator[object]:
    """Delete the sums of the moved records, what is known of removed ones, and packages, orders and bills of the old
    account, part by part."""
    yield from erase_sums(old_id)
    yield from erase_removals(old_id)
    yield from erase_statements(old_id)


def finish(old_id: int, heir_id: int) -> None:
    """Move the ledger and the budgets of the moved records and raise the heir's data version, in the caller's
    transaction. The heir keeps its own views, as it keeps its own settings."""
    SavedView.objects.filter(user_id=old_id).delete()
    HorizonRow.objects.filter(archive_id=old_id).delete()
    ledger_writes.move(old_id, heir_id)
    left_windows.move(old_id, heir_id)
    stored_budgets.take_over(old_id, heir_id)
    raise_version(heir_id)


def _latest(one: Horizon, other: Horizon) -> Horizon:
    return Horizon(max(one.calls_from, other.calls_from), max(one.prompts_from, other.prompts_from))


def _free_days(old_id: int, heir_id: int, known: Horizon) -> Horizon:
    """The horizon of an heir after the adoption: that of the old archive, where the heir has no calls before it."""
    later, days = _latest(known, horizon.of_archive(old_id)), DayTotal.objects.filter(archive_id=heir_id)
    return Horizon(
        *(
            first if days.filter(day__gte=first, day__lt=before).exists() else before
            for first, before in zip(known, later, strict=True)
        )
    )


def _move_days(old_id: int, heir_id: int, days: Sequence[str]) -> int:
    """Give the heir the sums of those of these days that it has erased and has nothing of, and delete the others; gives
    how many these are."""
    # Another process may have moved some.
    there, own = (
        set(DayTotal.objects.filter(archive_id=archive_id, day__in=days).values_list("day", flat=True))
        for archive_id in (old_id, heir_id)
    )
    kept_from = horizon.calls_from(heir_id)
    moved = sorted(day for day in there - own if day < kept_from)
    left = sorted(there - {*moved})
    rows = ErasedSums.objects.filter(archive_id=old_id, day__in=moved).count()
    for table in _SUMS:
        if moved:
            execute(_GIVE.format(table=table, days=marks(moved)), [heir_id, old_id, *moved])
        if left:
            execute(_DROP.format(table=table, days=marks(left)), [old_id, *left])
    note_other_size(heir_id, rows * ERASED_BYTES)
    month_sums.forget(heir_id, moved)
    return len(left)


def _move(old_id: int, heir_id: int, ids: list[int]) -> int:
    """Move those of these records that are still under the old id, in the caller's transaction; gives how many."""
    there = records_of_ids(old_id, ids)
    ids = [row[0] for row in fetch(f"SELECT id FROM usage_record WHERE {there.conditions}", there.values)]  # noqa: S608 - placeholders only
    if not ids:
        return 0
    older = [row[0] for row in fetch(_OLDER_TWINS.format(marks=marks(ids)), [heir_id, *ids])]
    rows = Record.objects.filter(pk__in={*ids, *older}).values_list("day", "model", "client", "hour")
    touched, measured = list(rows.distinct()), day_measures.days_of({*ids, *older})
    # Before the data version, as collections of the heir do: PostgreSQL locks rows in this order.
    imported_days.note_import(heir_id, {row[0] for row in touched})
    note_removed(heir_id, older)
    delete_records(older)
    kept, left = horizon.of_archive(heir_id), Record.objects.filter(pk__in=set(ids) - set(older))
    # The heir's horizon may have moved since the adoption began.
    delete_records(list(left.filter(day__lt=kept.calls_from).values_list("pk", flat=True)))
    moved = sorted(left.values_list("pk", flat=True))
    search_index.remove(search_index.stored(moved))
    note_size_removed(moved)
    Record.objects.filter(pk__in=moved).update(archive_id=heir_id)
    raise_version(heir_id)
    note_size_moved(moved)
    note_moved(heir_id, moved)
    search_index.add(search_index.stored(moved))
    bare = Record.objects.filter(pk__in=moved, day__lt=kept.prompts_from)
    erased_prompts.erase(heir_id, list(bare.values_list("pk", flat=True)))
    rollup.compute_again(
        heir_id, {row[:3] for row in touched}, {(row[0], row[3]) for row in touched}, measured=measured
    )
    return len(moved)
