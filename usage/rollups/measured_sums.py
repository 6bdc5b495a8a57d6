"""Sums of the measures of records: from their rollup where it has the filters, else from the records.

An archive without measures costs one look at the rollup.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from archive_site.lib.storage.sql import fetch
from usage import prompt_match
from usage.amounts.units import Unit
from usage.filter_sql import records_by_time, rows_by_day
from usage.filters import PURPOSE, RecordFilters
from usage.measure_types import TokenCounts
from usage.rollups import erased_sums
from usage.rollups.day_measures import FIGURES, RECORDS, SUMMED

# What is summed by to have one sum of all.
WHOLE = "user_id"
_IN_ROLLUP = {WHOLE, "day", "model"}
_ANY = "SELECT 1 FROM usage_daymeasures WHERE user_id = %s LIMIT 1"
# Of the calls of unknown purpose, NULL.
_COLUMNS = {PURPOSE: f"CASE WHEN r.without_prompt AND r.{PURPOSE} = '' THEN NULL ELSE r.{PURPOSE} END"}
Key = str | int | None


class Measured(NamedTuple):
    """Numbers of calls and of tokens, in the order of `FIGURES`."""

    without_amount: int = 0
    estimated: int = 0
    with_tokens: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cache_read: int = 0
    cache_write: int = 0


NONE = Measured()


def total(archive_id: int, filters: RecordFilters, until: str = "") -> Measured:
    """The sums of all records that the filters find; with `until` (HH:MM), the last day ends then."""
    return added(sums_by(WHOLE, archive_id, filters, until).values())


def sums_by(column: str, archive_id: int, filters: RecordFilters, until: str = "") -> dict[Key, Measured]:
    """The sums by day, model, client, hour or purpose; None is the unknown purpose."""
    rest = replace(filters, model=None, tells_unknown=False)
    if column in _IN_ROLLUP and not until and rest == RecordFilters(filters.days):
        where = rows_by_day(archive_id, filters)
        sums = ", ".join(f"SUM({name})" for name in FIGURES)
        rows = fetch(
            f"SELECT {column}, {sums} FROM usage_daymeasures WHERE {where.conditions} GROUP BY {column}",  # noqa: S608 - constant parts, bound values
            where.values,
        )
    else:
        rows = _of_records(column, archive_id, filters, until) if fetch(_ANY, [archive_id]) else []
    found: dict[Key, Measured] = {}
    for key, *figures in rows:
        # A name may be among the records and among the sums of erased days.
        found[key] = added([found.get(key, NONE), Measured(*map(int, figures))])
    return found


def added(several: Iterable[Measured]) -> Measured:
    return Measured(*(sum(column) for column in zip(NONE, *several, strict=True)))


def in_words(unit: Unit, parts: int, calls: int, found: Measured | None) -> dict[str, Any]:
    """The fields of `MeasuredSums`; none where they are not asked for."""
    if found is None:
        return {}
    tokens = TokenCounts(*found[3:]) if found.with_tokens else None
    amount = None if calls and found.without_amount == calls else unit.text(parts)
    return {"unit": unit.code, "amount": amount, "without_amount": found.without_amount, "tokens": tokens}


def _of_records(column: str, archive_id: int, filters: RecordFilters, until: str) -> list[tuple[Any, ...]]:
    """Those of the records; of erased days, which lists do not have, those of their sums."""
    where, joined = records_by_time(archive_id, filters, "r", until or "23:59"), RECORDS
    conditions, values = where
    if filters.text:
        verified, needle = prompt_match.verified(filters.text)
        joined, conditions = f"{joined} JOIN usage_prompt p ON p.record_id = r.id", f"{conditions} AND {verified}"
        values = [*values, needle]
    name = _COLUMNS.get(column, f"r.{column}")
    query = f"SELECT {name} AS name, {SUMMED} FROM {joined} WHERE {conditions}"  # noqa: S608 - constant parts, bound values
    if filters.text or filters.need_records:
        return fetch(f"{query} GROUP BY name", values)
    kept, erased = erased_sums.kept(archive_id, "r.ts"), erased_sums.among(archive_id, filters, until)
    sums = ", ".join(f"SUM({figure})" for figure in FIGURES)
    return fetch(
        f"{query} AND {kept.conditions} GROUP BY name UNION ALL "  # noqa: S608 - constant parts, bound values
        f"SELECT {name} AS name, {sums} FROM {erased_sums.TABLE} r WHERE {erased.conditions} GROUP BY name",
        [*values, *kept.values, *erased.values],
    )
