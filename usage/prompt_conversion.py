"""Makes stored prompts what their account keeps of prompts, in parts (docs/decisions/records.md#private-prompts).

It goes by time, which an index has. A page that gives a stored record another place meanwhile converts it itself
(`usage/ingest.py`).
"""

import time
from typing import Final

from django.db import transaction

from accounts import archives
from accounts.notices import sent
from archive_site.lib import clock
from archive_site.lib.storage import engine
from archive_site.lib.storage.deletion import parts_by_text
from archive_site.lib.storage.sql import fetch
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.storage.write_parts import next_part
from archive_site.lib.task_turns import turn_of
from usage.converted_prompts import convert
from usage.export import kept_files
from usage.models import Privacy
from usage.prompt_privacy import policy as privacy

# Seconds that one task converts; another one goes on, behind those that wait.
PATIENCE: Final = 20.0
_ROWS = 2_000
_NEXT = f"""
    SELECT r.id, r.ts, r.request_id, COALESCE(LENGTH(p.text), 0)
    FROM usage_record r {engine.indexed_by("record_by_time")} LEFT JOIN usage_prompt p ON p.record_id = r.id
    WHERE r.user_id = %s AND (r.ts, r.request_id) > (%s, %s) ORDER BY r.ts, r.request_id LIMIT {_ROWS}"""  # noqa: S608 - constants


def go_on(seconds: float = PATIENCE) -> bool:
    """Convert what accounts have asked for, for at most `seconds`, each for as long; return whether nothing is left to
    do for this one. It may break off at any point."""
    rows = list(Privacy.objects.filter(asked_at__isnull=False, applied_at=None))
    if not rows:
        return True
    with turn_of("prompt-conversion") as is_free:
        # All of them, also after one that has more to do.
        done = [_convert(row, time.monotonic() + seconds / len(rows)) for row in rows if is_free]
        return all(done)


def _convert(row: Privacy, until: float) -> bool:
    for archive_id in sorted(archives.of_account(row.user_id)):
        if archive_id >= row.at_archive and not _convert_archive(row, archive_id, until):
            return False
    policy = privacy.of_account(row.user_id)
    if policy.mode != privacy.WHOLE:
        for archive_id in archives.of_account(row.user_id):
            kept_files.remove_exports(archive_id)
        sent.forget_prompts(row.user_id)
    # Asked for again meanwhile, it begins again.
    now = clock.now()
    Privacy.objects.filter(user_id=row.user_id, asked_at=row.asked_at).update(applied_at=now, converted_at=now)
    return True


def _convert_archive(row: Privacy, archive_id: int, until: float) -> bool:
    """The records after the place that is noted, part by part."""
    parts = parts_by_text()
    if archive_id != row.at_archive:
        row.at_archive, row.at_ts, row.at_request = archive_id, "", ""
        # Pages that began before the choice are stored as before: from here on none is under way.
        with transaction.atomic():
            lock_archive(archive_id)
    while found := fetch(_NEXT, [archive_id, row.at_ts, row.at_request]):
        if time.monotonic() > until:
            return False
        part = next_part(iter(found), parts.size, lambda one: one[3] + 1)
        row.at_ts, row.at_request, row.done = part[-1][1], part[-1][2], row.done + len(part)
        with parts.part(sum(one[3] + 1 for one in part)):
            lock_archive(archive_id)
            convert(archive_id, [one[0] for one in part], privacy.of_account(row.user_id))
            # Two that work at once do the same; asked for again, it begins again.
            Privacy.objects.filter(user_id=row.user_id, asked_at=row.asked_at).update(
                at_archive=archive_id, at_ts=row.at_ts, at_request=row.at_request, done=row.done
            )
    return True
