"""Erasing an archive: in small steps, so that nobody who reads or writes waits long."""

import time

from django.db import connection, transaction

from usage.models import DataVersion, DayGroup, DayHour, Record

STEP = 1000
_LONGEST_PAUSE = 0.2


def erase_archive(user_id: int) -> int:
    """Erase all records of an account with their prompts and sums; how many there were. Can be begun again."""
    for model in (DayGroup, DayHour, DataVersion):
        model.objects.filter(user_id=user_id).delete()
    erased = 0
    begun = time.monotonic()
    while step := _erase_some(user_id):
        erased += step
        if step == STEP:
            # SQLite's writers look by chance for a moment without a lock: half of the time is theirs.
            time.sleep(min(time.monotonic() - begun, _LONGEST_PAUSE))
        begun = time.monotonic()
    return erased


def _erase_some(user_id: int) -> int:
    with transaction.atomic():
        ids = list(Record.objects.filter(user_id=user_id).values_list("pk", flat=True)[:STEP])
        if ids:
            marks = ", ".join(["%s"] * len(ids))
            with connection.cursor() as cursor:
                cursor.execute(f"DELETE FROM usage_prompt WHERE record_id IN ({marks})", ids)
                cursor.execute(f"DELETE FROM usage_record WHERE id IN ({marks})", ids)
    return len(ids)
