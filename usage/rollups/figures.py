"""The sums of a span of days as a whole, from the rollups (docs/decisions/records.md#reads-cost-days-not-records)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import fetch
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import CREDITS, Unit
from usage.filters import PURPOSE, RecordFilters
from usage.rollups import measured_sums, month_sums, read_sums
from usage.rollups.measured_sums import NONE, Measured
from usage.rollups.month_sums import Sums
from usage.sum_types import Totals

_SUMS = "COALESCE(SUM(credits), 0), COALESCE(SUM(calls), 0), COALESCE(SUM(free), 0)"
_NAMED = ("model", "client")


@dataclass(frozen=True)
class Figures:
    """Sums over a span of days. `credits` is in parts of `unit`; `first` and `last` are days that have records.

    `measured` is None where measures are not asked for.
    """

    credits: int = 0
    calls: int = 0
    free: int = 0
    first: str | None = None
    last: str | None = None
    days: int = 0
    models: int = 0
    clients: int = 0
    unit: Unit = CREDITS
    measured: Measured | None = None

    @property
    def nothing(self) -> "Figures":
        """The same of no calls."""
        return Figures(unit=self.unit, measured=self.measured and NONE)

    @property
    def average(self) -> float:
        return self.unit.average(self.credits, self.calls_with_amount)

    @property
    def calls_with_amount(self) -> int:
        """The number of calls whose amount is known."""
        return self.calls - self.without_amount

    @property
    def without_amount(self) -> int:
        """The number of calls of unknown amount."""
        return self.measured.without_amount if self.measured else 0

    @property
    def known_credits(self) -> int | None:
        """The sum of the known amounts; None where no call has one."""
        return None if self.calls and self.without_amount == self.calls else self.credits

    def totals(self) -> Totals:
        return Totals(
            credits=self.unit.number(self.credits),
            calls=self.calls,
            free=self.free - self.without_amount,
            paid=self.calls - self.free,
            models=self.models,
            clients=self.clients,
            **measured_sums.in_words(self.unit, self.credits, self.calls, self.measured),
        )


def figures(archive_id: int, filters: RecordFilters, until: str = "", *, measured: bool = False) -> Figures:
    """The sums of an account for the days and names of the filters; with `until` (HH:MM), the last day ends then.

    `measured` adds the sums of measures.
    """
    found = _sums(archive_id, filters, until)
    return replace(found, measured=measured_sums.total(archive_id, filters, until)) if measured else found


def _sums(archive_id: int, filters: RecordFilters, until: str) -> Figures:
    """The sums without measures.

    The models and clients of a purpose are counted in the sums of months, where there are any: the rollup of the groups
    has several times the rows of the others.
    """
    months, spans = (
        month_sums.stored(archive_id, filters) if set(filters.names) == {PURPOSE} and not until else ([], [])
    )
    whole = read_sums.source(archive_id, filters, "day", until=until)
    sums = f"{_SUMS}, MIN(day), MAX(day), COUNT(DISTINCT day)"
    if not months:
        models, clients = (read_sums.source(archive_id, filters, name, until=until) for name in _NAMED)
        counts = ", ".join(
            f"(SELECT COUNT(DISTINCT {name}) FROM {source.rows})"  # noqa: S608 - constant parts, bound values
            for name, source in zip(_NAMED, (models, clients), strict=True)
        )
        query = f"SELECT {sums}, {counts} FROM {whole.rows}"  # noqa: S608 - constant parts, bound values
        [row] = fetch(query, models.values + clients.values + whole.values)
        return _figures(archive_id, row)
    [row] = fetch(f"SELECT {sums} FROM {whole.rows}", whole.values)  # noqa: S608 - constant parts, bound values
    return _figures(archive_id, (*row, *(len(_names(name, archive_id, filters, months, spans)) for name in _NAMED)))


def _names(name: str, archive_id: int, filters: RecordFilters, months: list[Sums], spans: list[Days]) -> set[str]:
    """The models or clients that these months and spans have."""
    found = {row[0] for month in months for row in month[name]}
    for span in spans:
        rows, values = read_sums.source(archive_id, replace(filters, days=span), name)
        found |= {one for (one,) in fetch(f"SELECT DISTINCT {name} FROM {rows}", values)}  # noqa: S608 - constant parts, bound values
    return found


def _figures(archive_id: int, row: Sequence[Any]) -> Figures:
    # Other engines return sums of integers as decimals.
    spent, calls, free = (int(value) for value in row[:3])
    return replace(Figures(spent, calls, free, *row[3:]), unit=unit_of(archive_id))
