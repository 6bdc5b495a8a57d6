"""The rollup of measures by day and model, computed again from the records that have measures.

Only days on which such a record came, changed or went are computed: an archive without measures has no rows here.
"""

from collections.abc import Collection, Iterable

from archive_site.lib.storage.keyed import execute_for_keys
from archive_site.lib.storage.sql import fetch, marks
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.storage.write_parts import Parts
from usage import horizon
from usage.data_version import raise_version
from usage.rollups.differing_rows import differing
from usage.stored_measures import ESTIMATED, TOKENS, UNKNOWN

FIGURES = ("without_amount", "estimated", "with_tokens", *TOKENS)
# What is summed of the measures `m` of records, in the order of `FIGURES`.
SUMMED = (
    f"SUM(CASE WHEN m.provenance = {UNKNOWN} THEN 1 ELSE 0 END), "
    f"SUM(CASE WHEN m.provenance = {ESTIMATED} THEN 1 ELSE 0 END), COUNT(m.{TOKENS[0]}), "
    + ", ".join(f"COALESCE(SUM(m.{name}), 0)" for name in TOKENS)
)
RECORDS = "usage_record r JOIN usage_recordmeasures m ON m.record_id = r.id"
_DAY = {"user_id": "bigint", "day": "text"}
_CLEAR = "DELETE FROM usage_daymeasures WHERE {keys}"
_FILL = f"""
    INSERT INTO usage_daymeasures (user_id, day, model, {", ".join(FIGURES)})
    SELECT user_id, day, model, {SUMMED} FROM {RECORDS} WHERE {{keys}} GROUP BY user_id, day, model
    ON CONFLICT (user_id, day, model) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in FIGURES)}"""  # noqa: S608 - constants
_DAYS = f"SELECT DISTINCT day FROM {RECORDS} WHERE r.id IN ({{marks}})"  # noqa: S608 - constants


def compute_again(archive_id: int, days: Iterable[str], *, only_added: bool = False) -> None:
    """Compute these days of an archive again, in the caller's transaction; `only_added` as in `day_totals`."""
    keys = [(archive_id, day) for day in days]
    execute_for_keys(_CLEAR, _DAY, [] if only_added else keys)
    execute_for_keys(_FILL, _DAY, keys)


def days_of(ids: Collection[int]) -> set[str]:
    """The days of those of these records that have measures."""
    return {day for (day,) in fetch(_DAYS.format(marks=marks(ids)), [*ids])} if ids else set()


def repair(archive_id: int) -> int:
    """Compute the days with wrong rows again, each in a part of its own. Return how many rows were wrong."""
    wrong = differing(archive_id, "usage_daymeasures", ("day", "model"), f"{SUMMED} FROM {RECORDS}", FIGURES)
    for day in {day for day, _ in wrong}:
        with Parts(1, most=1).part():
            lock_archive(archive_id)
            # Its calls may have been erased meanwhile.
            if day >= horizon.calls_from(archive_id):
                compute_again(archive_id, [day])
                raise_version(archive_id)
    return len(wrong)
