"""The rollup by day and purpose, computed again from the rollup of the hours with a purpose.

It has fewer rows of a day than the rollup of the groups.
This module is apart from `day_totals`, which a migration runs before these two tables exist.
"""

from collections.abc import Iterable

from archive_site.lib.storage.keyed import execute_for_keys
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.storage.write_parts import Parts
from usage.data_version import raise_version
from usage.rollups.differing_rows import differing

_SUMS = "SELECT user_id, day, agent_purpose, SUM(credits), SUM(calls), SUM(free) FROM usage_daypurposehour WHERE {keys}"
_DAY = {"user_id": "bigint", "day": "text"}
_CLEAR = "DELETE FROM usage_daypurpose WHERE {keys}"
_FILL = (
    "INSERT INTO usage_daypurpose (user_id, day, agent_purpose, credits, calls, free) "  # noqa: S608 - a constant
    f"{_SUMS} GROUP BY user_id, day, agent_purpose "
    "ON CONFLICT (user_id, day, agent_purpose) DO UPDATE SET credits = excluded.credits, calls = excluded.calls, "
    "free = excluded.free"
)


def compute_again(archive_id: int, days: Iterable[str], *, only_added: bool = False) -> None:
    """Compute these days of an account again, in the caller's transaction; `only_added` as in `day_totals`."""
    keys = [(archive_id, day) for day in days]
    execute_for_keys(_CLEAR, _DAY, [] if only_added else keys)
    execute_for_keys(_FILL, _DAY, keys)


def repair(archive_id: int) -> int:
    """Compute the days with wrong rows again, each in a part of its own. Return how many rows were wrong."""
    sums = "SUM(credits), SUM(calls), SUM(free) FROM usage_daypurposehour"
    wrong = differing(archive_id, "usage_daypurpose", ("day", "agent_purpose"), sums)
    for day in {day for day, _ in wrong}:
        with Parts(1, most=1).part():
            lock_archive(archive_id)
            compute_again(archive_id, [day])
            raise_version(archive_id)
    return len(wrong)
