"""Moves the archive of a deleted account to another account, in parts.

The rules: docs/decisions/accounts.md#adopting-an-archive.
"""

from collections.abc import Callable, Iterator

from archive_site.lib.storage.deletion import ROWS, first_rows, parts_by_text
from archive_site.lib.storage.sql import fetch, marks
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.storage.write_parts import Parts
from usage.budgets import stored_budgets
from usage.change_log.writes import note_moved, note_removed
from usage.coverage import imported_days, ledger_writes, left_windows
from usage.data_version import raise_version
from usage.erasure import delete_records, erase_removals, erase_statements, erase_sums, lengths_of
from usage.filter_sql import records_of_ids
from usage.models import Record, SavedView
from usage.packages import taken_over
from usage.rollups import day_measures
from usage.rollups import recompute as rollup
from usage.search import engine_index as search_index
from usage.stored_size import note_moved as note_size_moved
from usage.stored_size import note_removed as note_size_removed

# Of two records of one call, the one that was updated first.
_OLDER_TWINS = """
    SELECT CASE WHEN theirs.updated_at > own.updated_at THEN own.id ELSE theirs.id END
    FROM usage_record theirs JOIN usage_record own ON own.user_id = %s AND own.request_id = theirs.request_id
    WHERE theirs.id IN ({marks})"""


def move_records(old_id: int, heir_id: int, note: Callable[[int], None]) -> None:
    """Move the records of an old account id to the heir, oldest first, each part with the heir's sums.

    Where both have the same call, the record that was updated last stays. `note` gets the number of records that a part
    moved, within it, and may raise to end the move there. An interrupted move can be started again, and two may work at
    once.
    """
    parts, left = parts_by_text(), Record.objects.filter(archive_id=old_id).order_by("ts")
    while True:
        ids, amount = first_rows(lengths_of(left)[:ROWS], parts.size)
        if not ids:
            return
        with parts.part(amount):
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
    ledger_writes.move(old_id, heir_id)
    left_windows.move(old_id, heir_id)
    stored_budgets.take_over(old_id, heir_id)
    raise_version(heir_id)


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
    moved = sorted(set(ids) - set(older))
    search_index.remove(search_index.stored(moved))
    note_size_removed(moved)
    Record.objects.filter(pk__in=moved).update(archive_id=heir_id)
    raise_version(heir_id)
    note_size_moved(moved)
    note_moved(heir_id, moved)
    search_index.add(search_index.stored(moved))
    rollup.compute_again(
        heir_id, {row[:3] for row in touched}, {(row[0], row[3]) for row in touched}, measured=measured
    )
    return len(moved)
