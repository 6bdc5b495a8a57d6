"""The mark and the last collections of several accounts in one query, for `/metrics` (docs/metrics.md)."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from archive_site.lib.storage.sql import fetch, instant, marks

# The newest run of the account that was not taken over from a file, by its index on account and id. The exit code is
# compared first: SQLite would else read each log up to the kind behind it.
_NEWEST = """(
    SELECT id FROM collection_run r WHERE r.user_id = p.user_id AND r.exit_code IN ({codes})
    AND r.kind IN ({kinds}) AND r."trigger" <> 'imported' ORDER BY r.id DESC LIMIT 1)"""
_SUCCESS = _NEWEST.format(codes="0", kinds="'collection'")
# As `schedule.scheduler.credential_is_refused` looks for it.
_JUDGED = _NEWEST.format(codes="0, 4", kinds="'collection', 'older'")
_QUERY = f"""
    SELECT p.user_id, CAST(p.complete_through AS TEXT), CAST(success.finished_at AS TEXT), judged.exit_code,
    CAST(judged.started_at AS TEXT)
    FROM collection_progress p
    LEFT JOIN collection_run success ON success.id = {_SUCCESS}
    LEFT JOIN collection_run judged ON judged.id = {_JUDGED}"""  # noqa: S608 - constants


class LastCollections(NamedTuple):
    """`complete_through` is the mark, `succeeded_at` the end of the last collection that ended well.

    `judged_code` and `judged_at` are exit code and beginning of the last run in which the source judged the credential.
    """

    complete_through: datetime | None = None
    succeeded_at: datetime | None = None
    judged_code: int | None = None
    judged_at: datetime | None = None


def last_collections(archive_ids: Collection[int] | None) -> dict[int, LastCollections]:
    """Those of the accounts, or of all (None); an account that never collected has none."""
    where = "" if archive_ids is None else f" WHERE p.user_id IN ({marks(archive_ids)})"
    return {
        archive_id: LastCollections(_instant(mark), _instant(succeeded), code, _instant(judged))
        for archive_id, mark, succeeded, code, judged in fetch(_QUERY + where, list(archive_ids or ()))
    }


def _instant(text: str | None) -> datetime | None:
    return instant(text) if text else None
