"""The daily series (docs/api.md#daily)."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from archive_site.lib.http.answer_types import as_json
from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import SqlRow, fetch
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.filters import RecordFilters
from usage.measure_types import MeasuredSums
from usage.reads.dimensions import dims
from usage.record_payloads import json_text
from usage.rollups import measured_sums, month_hours, read_sums
from usage.rollups.measured_sums import NONE, Measured

_HOURS = [str(hour) for hour in range(24)]
_NO_HOURS = [0] * 24
# Credits by model of ten years with eighty models on each day.
_MOST_CHARACTERS = 8_000_000
# The text, or NULL from the day on with which all of them are longer.
_IN_ALL = f"CASE WHEN SUM(LENGTH({{0}})) OVER (ORDER BY day) <= {_MOST_CHARACTERS} THEN {{0}} END"


def daily_pieces(archive_id: int, filters: RecordFilters, *, measured: bool = False) -> Iterator[bytes]:
    """The JSON of the days that have records, oldest first: credits, calls, free and billed calls, credits by model and
    by hour.

    Without a filter by name, most of it is stored as JSON in the rollup. Where that is very long, the models are the
    first that `dims` lists. `measured` adds the sums of measures.
    """
    days: list[SqlRow] = []
    if not filters.names:
        rows, values = read_sums.source_in("usage_daytotal", archive_id, filters)
        by_model = _IN_ALL.format("by_model")
        days = fetch(f"SELECT day, credits, calls, free, {by_model}, by_hour FROM {rows} ORDER BY day", values)  # noqa: S608 - constant parts, bound values
    if filters.names or (days and days[-1][4] is None):
        days = _filtered(archive_id, filters)
    unit = unit_of(archive_id)
    beside = measured_sums.sums_by("day", archive_id, filters) if measured else None
    yield b"["
    # What is written is not kept: the names of models may be long.
    days.reverse()
    while days:
        day = days.pop()
        yield _day(unit, day, None if beside is None else beside.get(day[0], NONE)).encode() + (b"," if days else b"")
    yield b"]"


def hours_by_day(archive_id: int, filters: RecordFilters) -> dict[str, list[int]]:
    """Amounts in parts by hour, of each day that has records."""
    if filters.names:
        return _by_hour(archive_id, filters)
    rows, values = read_sums.source_in("usage_daytotal", archive_id, filters)
    found = fetch(f"SELECT day, by_hour FROM {rows}", values)  # noqa: S608 - constant parts, bound values
    one = unit_of(archive_id).one
    return {day: [round(spent * one) for spent in json.loads(hours)] for day, hours in found}


def totals_by_day(archive_id: int, filters: RecordFilters, until: str = "") -> list[tuple[str, int, int, int]]:
    """Day, amount in parts, calls and free calls of the days that have records, oldest first."""
    rows, values = read_sums.source(archive_id, filters, "day", until=until)
    found = fetch(
        f"SELECT day, SUM(credits), SUM(calls), SUM(free) FROM {rows} GROUP BY day ORDER BY day",  # noqa: S608 - constant parts, bound values
        values,
    )
    return [(day, int(spent), int(calls), int(free)) for day, spent, calls, free in found]


def _day(unit: Unit, row: SqlRow, beside: Measured | None) -> str:
    day, spent, calls, free, by_model, by_hour = row
    without_amount = beside.without_amount if beside else 0
    sums = f'"c":{unit.number(spent)},"k":{calls},"fc":{free - without_amount},"bc":{calls - free}'
    in_words = measured_sums.in_words(unit, int(spent), calls, beside)
    more = f",{json_text(as_json(MeasuredSums(**in_words)))[1:-1]}" if in_words else ""
    return f'{{"d":"{day}",{sums},"m":{by_model},"h":{by_hour}{more}}}'


def _filtered(archive_id: int, filters: RecordFilters) -> list[SqlRow]:
    models, hours = _by_model(archive_id, filters), _by_hour(archive_id, filters)
    number = unit_of(archive_id).number
    return [
        (
            day,
            spent,
            calls,
            free,
            json_text({model: number(value) for model, value in models.get(day, {}).items()}),
            json_text(list(map(number, hours.get(day, _NO_HOURS)))),
        )
        for day, spent, calls, free in totals_by_day(archive_id, filters)
    ]


def _by_model(archive_id: int, filters: RecordFilters) -> dict[str, dict[str, int]]:
    """Credits in millionths by model, by day; where they are too long, of the models that `dims` lists."""
    rows = _models(archive_id, filters, _IN_ALL.format("packed"))
    if rows and rows[-1][1] is None:
        listed = tuple(item.name for item in dims(archive_id, filters, "model").lists["model"])
        rows = _models(archive_id, filters.narrowed("model", listed), "packed")
    return {day: json.loads(text) for day, text in rows}


def _models(archive_id: int, filters: RecordFilters, column: str) -> list[SqlRow]:
    rows, values = read_sums.source(archive_id, filters, "model")
    query = f"SELECT day, model AS name, SUM(credits) AS credits FROM {rows} GROUP BY day, model"  # noqa: S608 - constant parts, bound values
    return _packed(query, values, column)


def _by_hour(archive_id: int, filters: RecordFilters) -> dict[str, list[int]]:
    """Credits in millionths by hour, by day."""
    of_months, spans = month_hours.stored(archive_id, filters)
    found = {day: by_hour for day, (by_hour, *_) in of_months.items()}
    for span in spans:
        rows, values = read_sums.hours(archive_id, replace(filters, days=span))
        packed = _packed(f"SELECT day, hour AS name, SUM(credits) AS credits FROM {rows} GROUP BY day, hour", values)  # noqa: S608 - constant parts, bound values
        for day, text in packed:
            by_hour = json.loads(text)
            found[day] = [by_hour.get(hour, 0) for hour in _HOURS]
    return found


def _packed(query: str, values: list[Any], column: str = "packed") -> list[SqlRow]:
    """Credits in millionths by name as JSON, by day. The query returns a row per day: a row per value takes twice as
    long."""
    names = f"CAST({engine.JSON_OBJECT}(name, credits) AS TEXT)"
    days = f"SELECT day, {names} AS packed FROM ({query}) AS found GROUP BY day"  # noqa: S608 - constant parts, bound values
    return fetch(f"SELECT day, {column} FROM ({days}) AS days ORDER BY day", values)  # noqa: S608 - constant parts, bound values
