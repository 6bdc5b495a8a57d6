"""Gives records of before an upgrade the keys of their prompts, in steps (docs/decisions/records.md#what-repeats)."""

import time

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import execute_many, fetch
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.storage.write_parts import Parts
from usage.repeated.prompt_key import BEGINNING, prompt_key

# The longest that one housekeeping fills, in seconds; the next one goes on.
PATIENCE = 120.0
_ROWS = 5_000
_LEFT = f"usage_record r {engine.indexed_by('record_without_prompt_key')} WHERE r.prompt_key IS NULL"
_ACCOUNTS = f"SELECT DISTINCT r.user_id FROM {_LEFT}"  # noqa: S608 - a constant
_COUNT = f"SELECT COUNT(*) FROM {_LEFT} AND r.user_id = %s"  # noqa: S608 - a constant
_CALLS = "SELECT COALESCE(SUM(calls), 0) FROM usage_daytotal WHERE user_id = %s"
_NEXT = f"""
    SELECT r.id, COALESCE((SELECT SUBSTR(p.text, 1, {BEGINNING}) FROM usage_prompt p WHERE p.record_id = r.id), '')
    FROM {_LEFT} AND r.user_id = %s AND r.id > %s ORDER BY r.id LIMIT %s"""  # noqa: S608 - constants
# A prompt that has changed since it was read has its key.
_STORE = "UPDATE usage_record SET prompt_key = %s WHERE id = %s AND prompt_key IS NULL"


def fill_all(seconds: float = PATIENCE) -> bool:
    """Fill what is missing for at most `seconds`; return whether all is filled. It may break off at any point."""
    until = time.monotonic() + seconds
    return all(_fill(archive_id, until) for (archive_id,) in fetch(_ACCOUNTS))


def missing(archive_id: int) -> int:
    """How many records of an account have no key yet."""
    [(number,)] = fetch(_COUNT, [archive_id])
    return int(number)


def percent_filled(archive_id: int, left: int) -> int:
    """The share of an account's records that have a key, in whole percents; below 100 while `left` have none."""
    [(calls,)] = fetch(_CALLS, [archive_id])
    return max(100 * (int(calls) - left) // int(calls), 0) if calls else 0


def _fill(archive_id: int, until: float) -> bool:
    parts, last = Parts(_ROWS // 5, most=_ROWS), 0
    while found := fetch(_NEXT, [archive_id, last, parts.size]):
        if time.monotonic() > until:
            return False
        keys = [(prompt_key(text), record_id) for record_id, text in found]
        with parts.part(len(keys)):
            lock_archive(archive_id)
            execute_many(_STORE, keys)
        last = found[-1][0]
    return True
