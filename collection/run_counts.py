"""How many runs have ended, by kind and outcome: counted when they end, since a store may hold millions of them."""

from archive_site.lib.storage.sql import execute
from collection import run_outcomes
from collection.models import Run, RunCount

_COUNT = """
    INSERT INTO collection_runcount (kind, exit_code, number) VALUES (%s, %s, 1)
    ON CONFLICT (kind, exit_code) DO UPDATE SET number = collection_runcount.number + 1"""
_NAMES = {outcome.exit_code: outcome.error or "ok" for outcome in run_outcomes.ALL}


def count(kind: str, exit_code: int) -> None:
    """Count a run that ends, in the caller's transaction."""
    execute(_COUNT, [kind, exit_code])


def numbers() -> dict[tuple[str, str], int]:
    """The number of runs of each kind and outcome, also where it is zero; runs that were deleted since count."""
    found = {(one.kind, one.exit_code): one.number for one in RunCount.objects.all()}
    return {(kind, name): found.get((kind, code), 0) for kind in Run.Kind.values for code, name in _NAMES.items()}
