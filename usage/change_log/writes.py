"""Noting changes of records, in the caller's transaction and in the archive's turn: numbers are given in its order."""

from collections.abc import Collection

from archive_site.lib.storage.sql import execute, fetch, marks
from usage.filter_sql import records_of_ids

_LAST = """
    SELECT COALESCE((SELECT MAX(number) FROM usage_recordchange WHERE user_id = %s), 0),
    COALESCE((SELECT MAX(number) FROM usage_removedrecord WHERE user_id = %s), 0),
    COALESCE((SELECT last_change FROM usage_horizon WHERE user_id = %s), 0)"""
_NOTE = """
    INSERT INTO usage_recordchange (record_id, user_id, number, first)
    SELECT id, user_id, %s, %s FROM usage_record WHERE id IN ({marks})
    ON CONFLICT (record_id) DO UPDATE SET user_id = excluded.user_id, number = excluded.number"""
_REMOVE = """
    INSERT INTO usage_removedrecord (user_id, number, request_id, day)
    SELECT user_id, %s, request_id, day FROM usage_record WHERE {where}"""


def last_number(archive_id: int) -> int:
    """The number of the account's last change; 0 before the first."""
    [numbers] = fetch(_LAST, [archive_id] * 3)
    return int(max(numbers))


def note_changed(archive_id: int, ids: Collection[int]) -> None:
    """Note that records of the account came or changed."""
    if ids:
        number = last_number(archive_id) + 1
        execute(_NOTE.format(marks=marks(ids)), [number, number, *ids])


def note_moved(heir_id: int, ids: Collection[int]) -> None:
    """Note that records came from another account: to the heir they are new."""
    forget_records(ids)
    note_changed(heir_id, ids)


def note_removed(archive_id: int, ids: Collection[int]) -> None:
    """Note that those of these records that are the account's will be removed."""
    if ids:
        where = records_of_ids(archive_id, ids)
        execute(_REMOVE.format(where=where.conditions), [last_number(archive_id) + 1, *where.values])


def forget_records(ids: Collection[int]) -> None:
    """Delete what is known of records that are removed."""
    if ids:
        execute(f"DELETE FROM usage_recordchange WHERE record_id IN ({marks(ids)})", [*ids])  # noqa: S608 - placeholders only
