"""The first days whose calls and prompts an archive keeps (docs/decisions/records.md#retention).

All days before them were erased, or are being erased: no writer brings anything back, and only sums are left.
"""

from dataclasses import replace
from datetime import date
from typing import NamedTuple

from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import fetch
from usage.filters import RecordFilters

_KEPT = "SELECT calls_from, prompts_from FROM usage_horizon WHERE user_id = %s"
# The first day whose calls are kept, within a statement about one archive; its value is the archive.
CALLS_FROM = "COALESCE((SELECT calls_from FROM usage_horizon WHERE user_id = %s), '')"


class Horizon(NamedTuple):
    """The first day whose calls are kept, and the first whose prompts are; empty where nothing was erased."""

    calls_from: str = ""
    prompts_from: str = ""

    @property
    def first_day(self) -> date | None:
        """The first day whose calls are kept; None where nothing was erased."""
        return date.fromisoformat(self.calls_from) if self.calls_from else None


def of_archive(archive_id: int) -> Horizon:
    """What an archive keeps. One query."""
    rows = fetch(_KEPT, [archive_id])
    return Horizon(*rows[0]) if rows else Horizon()


def calls_from(archive_id: int) -> str:
    """The first day whose calls an archive keeps, as an ISO text; empty where it keeps all. One query."""
    return of_archive(archive_id).calls_from


def first_day(archive_id: int) -> date | None:
    """The same as a date; None where it keeps all."""
    return of_archive(archive_id).first_day


def prompts_from(archive_id: int) -> date | None:
    """The first day whose prompts an archive keeps; None where it keeps all. One query."""
    found = of_archive(archive_id)
    latest = max(found.calls_from, found.prompts_from)
    return date.fromisoformat(latest) if latest else None


def first_read(archive_id: int, reached: date | None) -> date | None:
    """The first day whose calls runs ask for: `reached` is the first one that the source gives, the calls of days
    before the horizon were erased. None without a bound. One query."""
    return max((day for day in (reached, first_day(archive_id)) if day), default=None)


def of_kept_calls(archive_id: int, filters: RecordFilters) -> RecordFilters | None:
    """The filters of a list without the days whose calls were erased, which only sums know; None where no day is left.
    One query."""
    first, last = first_day(archive_id), filters.days.last
    if first is None or (filters.days.first and filters.days.first >= first):
        return filters
    return None if last and last < first else replace(filters, days=Days(first, last))
