"""Giving the data of a deleted account to another one (`manage.py adopt_archive`)."""

from django.core.exceptions import ValidationError
from django.db import connection, transaction

from accounts.models import INSTANCE, Erasure, Setting, User
from archive_site.lib.stored_message import Message
from audit import log
from collection.models import Progress, Run
from usage.data_version import raise_version
from usage.erasure import delete_records
from usage.models import ROLLUPS, Record
from usage.rollups import fine as rollup
from usage.search import index as search_index

STEP = 2000
_OLDER_TWINS = """
    SELECT CASE WHEN theirs.updated_at > own.updated_at THEN own.id ELSE theirs.id END
    FROM usage_record theirs JOIN usage_record own ON own.user_id = %s AND own.request_id = theirs.request_id
    WHERE theirs.user_id = %s LIMIT %s"""


def adopt_archive(old_id: int, heir: User) -> int:
    """Give the heir the records and runs kept under an old id; how many records came. The heir's own settings stay.

    Where both have a call, the row that was updated last stays. Can be begun again where it was broken off.
    Raises ValidationError when the id is an account's, or nothing is kept under it.
    """
    if User.objects.filter(pk=old_id).exists():
        raise ValidationError(f"{old_id} is the id of an account that exists.")
    if Erasure.objects.filter(user_id=old_id).exists():
        raise ValidationError(f"The data of {old_id} is being erased.")
    # The settings under 0 are the instance's.
    if old_id == INSTANCE or not any(model.objects.filter(user_id=old_id).exists() for model in (Record, Run, Setting)):
        raise ValidationError(f"Nothing is kept under the id {old_id}.")
    while _drop_older_twins(old_id, heir.pk):
        pass
    moved = 0
    while step := _move_some(old_id, heir.pk):
        moved += step
    # Before what marks the adoption as unfinished goes: twins that were dropped are still in the sums.
    rollup.recount(heir.pk)
    with transaction.atomic():
        Run.objects.filter(user_id=old_id).update(user_id=heir.pk)
        for model in (*ROLLUPS, Progress, Setting):
            model.objects.filter(user_id=old_id).delete()
        raise_version(heir.pk)
        detail = Message("archive_adopted", count=moved, id=old_id, name=heir.username)
        log.record("user_update", actor="command line", user_id=None, detail=detail)
    return moved


def _drop_older_twins(old_id: int, heir_id: int) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_OLDER_TWINS, [heir_id, old_id, STEP])
        ids = [row[0] for row in cursor.fetchall()]
        delete_records(ids)
        if ids:
            raise_version(heir_id)
    return len(ids)


def _move_some(old_id: int, heir_id: int) -> int:
    with transaction.atomic():
        ids = list(Record.objects.filter(user_id=old_id).values_list("pk", flat=True)[:STEP])
        rows = Record.objects.filter(pk__in=ids).values_list("day", "model", "client", "hour")
        touched = list(rows.distinct())
        search_index.remove(search_index.stored(ids))
        Record.objects.filter(pk__in=ids).update(user_id=heir_id)
        search_index.add(search_index.stored(ids))
        rollup.compute_again(heir_id, {row[:3] for row in touched}, {(row[0], row[3]) for row in touched})
        if ids:
            raise_version(heir_id)
    return len(ids)
