"""How many records and settled days several archives have, in one query each, for `/metrics` (docs/metrics.md)."""

from collections.abc import Collection
from datetime import date
from typing import NamedTuple

from archive_site.lib.storage.sql import fetch, marks

_RECORDS = "SELECT user_id, SUM(calls) FROM usage_daytotal {where} GROUP BY user_id"
_DAYS = """
    SELECT c.user_id, MIN(c.day), COUNT(c.settled_at) FROM usage_coverageday c
    LEFT JOIN usage_reach r ON r.user_id = c.user_id {where} c.day >= COALESCE(r.first_day, '') GROUP BY c.user_id"""


class SettledDays(NamedTuple):
    """The first day that was asked for and that the source still gives, and how many days from it on are settled."""

    first: date
    settled: int


def records(archive_ids: Collection[int] | None) -> dict[int, int]:
    """The number of records of these accounts, or of all (None)."""
    where = "" if archive_ids is None else f"WHERE user_id IN ({marks(archive_ids)})"
    rows = fetch(_RECORDS.format(where=where), list(archive_ids or ()))
    return {archive_id: int(number) for archive_id, number in rows}


def settled_days(archive_ids: Collection[int] | None) -> dict[int, SettledDays]:
    """The settled days of these accounts, or of all (None)."""
    where = "WHERE" if archive_ids is None else f"WHERE c.user_id IN ({marks(archive_ids)}) AND"
    rows = fetch(_DAYS.format(where=where), list(archive_ids or ()))
    return {archive_id: SettledDays(date.fromisoformat(first), settled) for archive_id, first, settled in rows}
