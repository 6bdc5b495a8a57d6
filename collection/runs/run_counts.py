"""How many runs there are, for `/metrics` (docs/metrics.md).

Those that have ended are counted when they end, by kind and outcome, since a store may hold millions of them.
"""

from datetime import datetime
from typing import NamedTuple

from archive_site.lib.storage.sql import execute, fetch, instant
from collection.models import Run, RunCount
from collection.runs import run_outcomes

_COUNT = """
    INSERT INTO collection_runcount (kind, exit_code, number) VALUES (%s, %s, 1)
    ON CONFLICT (kind, exit_code) DO UPDATE SET number = collection_runcount.number + 1"""
_UNFINISHED = """
    SELECT status, COUNT(*), CAST(MIN(created_at) AS TEXT) FROM collection_run
    WHERE status IN ('queued', 'running') GROUP BY status"""
_NAMES = {outcome.exit_code: outcome.error or "ok" for outcome in run_outcomes.ALL}


class Unfinished(NamedTuple):
    """How many runs there are, and when the oldest was created."""

    number: int = 0
    oldest: datetime | None = None


def count(kind: str, exit_code: int) -> None:
    """Count a run that ends, in the caller's transaction."""
    execute(_COUNT, [kind, exit_code])


def numbers() -> dict[tuple[str, str], int]:
    """The number of runs of each kind and outcome, also where it is zero; runs that were deleted since count."""
    found = {(one.kind, one.exit_code): one.number for one in RunCount.objects.all()}
    return {(kind, name): found.get((kind, code), 0) for kind in Run.Kind.values for code, name in _NAMES.items()}


def unfinished() -> dict[str, Unfinished]:
    """Those that wait (`queued`) and those that are running (`running`)."""
    found = {status: Unfinished(number, instant(oldest)) for status, number, oldest in fetch(_UNFINISHED)}
    return {status: found.get(status, Unfinished()) for status in ("queued", "running")}
