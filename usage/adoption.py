"""Moves the archive of a deleted account to another account, in small steps."""

from django.db import transaction

from archive_site.lib.storage.sql import fetch
from archive_site.lib.storage.turns import take_turn_of_archive
from usage.budgets import stored_budgets
from usage.change_log.writes import note_moved, note_removed
from usage.coverage import ledger, left_windows
from usage.data_version import raise_version
from usage.erasure import delete_records
from usage.models import ROLLUPS, ROLLUPS_OF_MONTHS, Record, RemovedRecord, SavedView
from usage.rollups import recompute as rollup
from usage.search import index as search_index

STEP = 2000
_OLDER_TWINS = """
    SELECT CASE WHEN theirs.updated_at > own.updated_at THEN own.id ELSE theirs.id END
    FROM usage_record theirs JOIN usage_record own ON own.user_id = %s AND own.request_id = theirs.request_id
    WHERE theirs.user_id = %s LIMIT %s"""


def move_records(old_id: int, heir_id: int) -> int:
    """Move the records of an old account id to the heir, and recount the heir's sums. Return how many were moved.

    Where both have the same call, the record that was updated last stays. An interrupted move can be started again.
    """
    while _drop_older_twins(old_id, heir_id):
        pass
    moved = 0
    while step := _move_some(old_id, heir_id):
        moved += step
    # The sums still include the dropped twins.
    rollup.recount(heir_id)
    return moved


def drop_sums(old_id: int, heir_id: int) -> None:
    """Delete the sums of the moved records, move their ledger and raise the heir's data version, in the caller's
    transaction. The heir keeps its own views, as it keeps its own settings, and gets the budgets."""
    for model in (*ROLLUPS, *ROLLUPS_OF_MONTHS, SavedView, RemovedRecord):
        model.objects.filter(user_id=old_id).delete()
    ledger.move(old_id, heir_id)
    left_windows.move(old_id, heir_id)
    stored_budgets.take_over(old_id, heir_id)
    raise_version(heir_id)


def _drop_older_twins(old_id: int, heir_id: int) -> int:
    with transaction.atomic():
        take_turn_of_archive(heir_id)
        ids = [row[0] for row in fetch(_OLDER_TWINS, [heir_id, old_id, STEP])]
        note_removed(heir_id, ids)
        delete_records(ids)
        if ids:
            raise_version(heir_id)
    return len(ids)


def _move_some(old_id: int, heir_id: int) -> int:
    with transaction.atomic():
        take_turn_of_archive(heir_id)
        ids = list(Record.objects.filter(user_id=old_id).values_list("pk", flat=True)[:STEP])
        rows = Record.objects.filter(pk__in=ids).values_list("day", "model", "client", "hour")
        touched = list(rows.distinct())
        search_index.remove(search_index.stored(ids))
        Record.objects.filter(pk__in=ids).update(user_id=heir_id)
        note_moved(heir_id, ids)
        search_index.add(search_index.stored(ids))
        rollup.compute_again(heir_id, {row[:3] for row in touched}, {(row[0], row[3]) for row in touched})
        if ids:
            raise_version(heir_id)
    return len(ids)
