"""The runs that have not ended, in one query, for `/metrics` (docs/metrics.md)."""

from datetime import datetime
from typing import NamedTuple

from archive_site.lib.storage.sql import fetch, instant

_QUERY = """
    SELECT status, COUNT(*), CAST(MIN(created_at) AS TEXT) FROM collection_run
    WHERE status IN ('queued', 'running') GROUP BY status"""


class Unfinished(NamedTuple):
    """How many runs there are, and when the oldest was created."""

    number: int = 0
    oldest: datetime | None = None


def unfinished() -> dict[str, Unfinished]:
    """Those that wait (`queued`) and those that are running (`running`)."""
    found = {status: Unfinished(number, instant(oldest)) for status, number, oldest in fetch(_QUERY)}
    return {status: found.get(status, Unfinished()) for status in ("queued", "running")}
