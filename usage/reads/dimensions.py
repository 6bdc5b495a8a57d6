"""Sums by model, client, hour of the day and purpose (docs/api.md#dims)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from msgspec import UNSET, UnsetType

from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import SqlRow, fetch
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.filters import PURPOSE, RecordFilters
from usage.reads import unknown_purposes
from usage.rollups import measured_sums, month_hours, month_sums, read_sums
from usage.rollups.measured_sums import NONE, WHOLE, Key, Measured
from usage.sum_types import ComparedDims, DimItem, Dims, OtherNames, OthersOfDims, PurposeItem, Trend

DIMS = ("model", "client", "hour")
# What each value of `only` selects; anything else is all of `DIMS`.
SELECTIONS = {**{dim: (dim,) for dim in DIMS}, "purpose": (*DIMS, "purpose")}
# Names of a dimension that are listed; the others are one sum.
MOST_NAMES = 1_000
# With more names in a part of the span, the database orders and cuts those of the whole span.
_MOST_ADDED = 5_000
_COLUMNS = {"purpose": PURPOSE}
_NONE = [0, 0, 0]

Found = dict[str | int, list[int]]


@dataclass(frozen=True)
class _Shown:
    """How the sums of one dimension are shown; `measured` are those of measures by name, None if not asked for."""

    unit: Unit
    measured: Mapping[Key, Measured] | None = None

    def figures(self, name: Key, spent: int, calls: int, free: int) -> dict[str, Any]:
        """The fields of an item beside its name."""
        found = None if self.measured is None else self.measured.get(name, NONE)
        without_amount = found.without_amount if found else 0
        return {
            "credits": self.unit.number(spent),
            "calls": calls,
            "avg": self.unit.average(spent, calls - without_amount),
            "free": free - without_amount,
            **measured_sums.in_words(self.unit, spent, calls, found),
        }

    def rest(self, listed: Collection[Key]) -> "_Shown":
        """The same, where all names that are in no list are `WHOLE`; the unknown purpose is apart."""
        if self.measured is None:
            return self
        others = (found for name, found in self.measured.items() if name not in listed and name is not None)
        return _Shown(self.unit, {WHOLE: measured_sums.added(others)})


@dataclass(frozen=True)
class DimSums:
    """The listed names of each dimension, and what the others of a dimension add up to, where it has others.

    `unknown` are the calls whose purpose is not known, where there are some: they are in no list.
    """

    unit: Unit
    lists: dict[str, list[DimItem]]
    others: dict[str, OtherNames]
    unknown: PurposeItem | None

    def payload(self, comparison: ComparedDims | UnsetType = UNSET, trend: Trend | UnsetType = UNSET) -> Dims:
        others = OthersOfDims(**self.others) if self.others else UNSET
        named = {dim: items for dim, items in self.lists.items() if dim != "purpose"}
        return Dims(**named, purpose=self._purposes(), others=others, comparison=comparison, trend=trend)

    def _purposes(self) -> list[PurposeItem] | UnsetType:
        if "purpose" not in self.lists:
            return UNSET
        return [*self.lists["purpose"], *([self.unknown] if self.unknown else [])]

    def largest(self, dim: str, most: int) -> tuple[list[DimItem], OtherNames | None]:
        """The first `most` names of a dimension, and what all others add up to; None without others."""
        items, unlisted = self.lists[dim], self.others.get(dim)
        others: list[DimItem | OtherNames] = [*items[most:], *([unlisted] if unlisted else [])]
        if not others:
            return items, None
        names = len(items[most:]) + (unlisted.names if unlisted else 0)
        spent = sum(parts_of(one, self.unit) for one in others)
        figures = _Shown(self.unit).figures(
            None, spent, sum(one.calls for one in others), sum(one.free for one in others)
        )
        return items[:most], OtherNames(names, **figures)


def parts_of(item: DimItem | OtherNames, unit: Unit) -> int:
    """The amount of an item in parts: all of them, if it has the sums of measures."""
    return unit.parts(Decimal(item.amount)) if isinstance(item.amount, str) else round(unit.one * item.credits)


def dims(
    archive_id: int, filters: RecordFilters, only: str = "", until: str = "", *, measured: bool = False
) -> DimSums:
    """Names by credits (highest first), then name; all 24 hours in order. `only` is a key of `SELECTIONS`.

    Of more than `MOST_NAMES` names the first are listed. With `until` (HH:MM), the last day ends with that minute.
    `measured` adds the sums of measures.
    """
    months, spans = ([], [filters.days]) if until else month_sums.stored(archive_id, filters)
    lists: dict[str, list[DimItem]] = {}
    others: dict[str, OtherNames] = {}
    unknown, unit = None, unit_of(archive_id)
    for dim in SELECTIONS.get(only, DIMS):
        beside = measured_sums.sums_by(column_of(dim), archive_id, filters, until) if measured else None
        shown = _Shown(unit, beside)
        whole = [row for month in months for row in month.get(dim, ())]
        parts = spans if any(dim in month for month in months) else [filters.days]
        if dim == "hour":
            rows = [row for span in parts for row in _by_hour(archive_id, replace(filters, days=span), until)]
            lists[dim] = _hours(shown, _added([*whole, *rows]))
            continue
        found = _added_names(dim, archive_id, filters, whole, parts) if whole else None
        apart = unknown_purposes.total(archive_id, filters, until) if dim == "purpose" else _NONE
        lists[dim], left = (
            _cut(shown, _without(found, apart))
            if found is not None
            else _largest(shown, dim, archive_id, filters, until, apart)
        )
        unknown = PurposeItem(None, **shown.figures(None, *apart)) if apart != _NONE else None
        others |= {dim: left} if left else {}
    return DimSums(unit, lists, others, unknown)


def column_of(dim: str) -> str:
    """The column of a dimension, in records and rollups."""
    return _COLUMNS.get(dim, dim)


def _added_names(
    dim: str, archive_id: int, filters: RecordFilters, whole: Sequence[Sequence[Any]], spans: Iterable[Days]
) -> Found | None:
    """The figures by name of whole months and of the spans beside them; None where these have too many names."""
    rows: list[Sequence[Any]] = [*whole]
    for span in spans:
        of_span = _names_of(dim, archive_id, replace(filters, days=span), "", f"LIMIT {_MOST_ADDED + 1}")
        if len(of_span) > _MOST_ADDED:
            return None
        rows += of_span
    return _added(rows)


def _without(found: Found, apart: Sequence[int]) -> Found:
    """The figures by name, where those of the calls without a name leave out the calls that are apart."""
    if "" not in found:
        return found
    left = [kept - less for kept, less in zip(found[""], apart, strict=True)]
    return {name: figures if name else left for name, figures in found.items() if name or left[1]}


def _largest(
    shown: _Shown, dim: str, archive_id: int, filters: RecordFilters, until: str, apart: Sequence[int]
) -> tuple[list[DimItem], OtherNames | None]:
    """The items of the names with the most credits, and the others, ordered and cut by the database."""
    name = column_of(dim)
    first = f"ORDER BY SUM(credits) DESC, {name} LIMIT {MOST_NAMES + 1}"
    every = _added(_names_of(dim, archive_id, filters, until, first))
    found = _without(every, apart)
    if len(every) <= MOST_NAMES:
        return _cut(shown, found)
    listed = dict(sorted(found.items(), key=_by_credits)[:MOST_NAMES])
    rows, values = read_sums.source(archive_id, filters, name, until=until)
    sums = f"SELECT COUNT(DISTINCT {name}), SUM(credits), SUM(calls), SUM(free) FROM {rows}"  # noqa: S608 - constant parts, bound values
    [(names, *totals)] = fetch(sums, values)
    taken = zip(apart, *listed.values(), strict=True)
    left = [int(total) - sum(column) for total, column in zip(totals, taken, strict=True)]
    number = names - (len(every) - len(found)) - len(listed)
    return _items(shown, listed), _others(shown, number, listed, *left) if number else None


def _cut(shown: _Shown, found: Found) -> tuple[list[DimItem], OtherNames | None]:
    """The items of all names by credits, and the others, where there are too many."""
    ordered = dict(sorted(found.items(), key=_by_credits))
    rest = list(ordered.values())[MOST_NAMES:]
    left = [sum(column) for column in zip(*rest, strict=True)]
    listed = dict(list(ordered.items())[:MOST_NAMES])
    return _items(shown, listed), _others(shown, len(rest), listed, *left) if rest else None


def _by_credits(item: tuple[str | int, list[int]]) -> Any:
    return -item[1][0], item[0]


def _names_of(dim: str, archive_id: int, filters: RecordFilters, until: str, more: str) -> list[SqlRow]:
    name = column_of(dim)
    rows, values = read_sums.source(archive_id, filters, name, until=until)
    return fetch(
        f"SELECT {name}, SUM(credits), SUM(calls), SUM(free) FROM {rows} GROUP BY {name} {more}",  # noqa: S608 - constant parts, bound values
        values,
    )


def _by_hour(archive_id: int, filters: RecordFilters, until: str) -> list[SqlRow]:
    days, spans = month_hours.stored(archive_id, filters, until)
    found: list[SqlRow] = list(zip(range(24), *month_hours.added(days.values()), strict=True)) if days else []
    for span in spans:
        of_span = replace(filters, days=span)
        rows, values = read_sums.hours(archive_id, of_span, until if span.last == filters.days.last else "")
        sums = "SUM(credits), SUM(calls), SUM(free)"
        found += fetch(f"SELECT hour, {sums} FROM {rows} GROUP BY hour", values)  # noqa: S608 - constant parts, bound values
    return found


def _added(rows: Iterable[Sequence[Any]]) -> Found:
    """The figures by name: credits, calls and free calls."""
    found: Found = {}
    for name, *figures in rows:
        before = found.setdefault(name, [0, 0, 0])
        found[name] = [kept + int(more) for kept, more in zip(before, figures, strict=True)]
    return found


def _items(shown: _Shown, found: Found) -> list[DimItem]:
    return [DimItem(str(name), **shown.figures(name, *figures)) for name, figures in found.items()]


def _others(shown: _Shown, number: int, listed: Found, spent: int, calls: int, free: int) -> OtherNames:
    """The names that are not listed: how many there are, and what they add up to."""
    return OtherNames(number, **shown.rest({*listed}).figures(WHOLE, spent, calls, free))


def _hours(shown: _Shown, found: Found) -> list[DimItem]:
    return [DimItem(f"{hour:02}", **shown.figures(hour, *found.get(hour, (0, 0, 0)))) for hour in range(24)]
