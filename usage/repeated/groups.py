"""Reads the groups of calls whose prompts share a key, the dearest first (docs/api.md#repeated)."""

from collections import defaultdict
from collections.abc import Collection
from fractions import Fraction
from typing import NamedTuple

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch
from usage import horizon
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.filter_sql import Where, rows_by_day
from usage.filters import RecordFilters
from usage.models import DayMeasures
from usage.repeated.api_types import EXCERPT, LEAST_CALLS, MOST_MODELS, CheapestModel, ModelOfGroup, RepeatedPrompt
from usage.stored_measures import UNKNOWN, may_be_in

_RECORDS = f"usage_record r {engine.indexed_by('record_by_prompt_key')}"
# Averages are compared in whole millionths, as both engines divide them.
_GROUPS = f"""
    WITH dearest AS (
        SELECT r.prompt_key, SUM(r.credits) AS spent, COUNT(*) AS number FROM {_RECORDS}
        WHERE r.prompt_key > 0 AND {{where}} GROUP BY r.prompt_key HAVING COUNT(*) > 1
        ORDER BY spent DESC, number DESC, r.prompt_key LIMIT %s
    ), by_model AS (
        SELECT d.prompt_key, d.spent, d.number, r.model, SUM(r.credits) AS credits, COUNT(*) AS calls
        FROM dearest d CROSS JOIN {_RECORDS} WHERE r.prompt_key = d.prompt_key AND r.prompt_key > 0 AND {{where}}
        GROUP BY d.prompt_key, d.spent, d.number, r.model
    ), ranked AS (
        SELECT *, COUNT(*) OVER of_group AS models,
        ROW_NUMBER() OVER (of_group ORDER BY credits DESC, model) AS place,
        ROW_NUMBER() OVER (of_group ORDER BY calls < {LEAST_CALLS}, CAST(credits AS BIGINT) / calls, model) AS cheapness
        FROM by_model WINDOW of_group AS (PARTITION BY prompt_key)
    )
    SELECT prompt_key, spent, number, model, credits, calls, models, place, cheapness FROM ranked
    WHERE place <= {MOST_MODELS} OR cheapness = 1 ORDER BY spent DESC, number DESC, prompt_key, place"""  # noqa: S608 - constants
_IS_KNOWN = f"""NOT EXISTS (
    SELECT 1 FROM usage_recordmeasures m WHERE m.record_id = r.id AND m.provenance = {UNKNOWN})"""  # noqa: S608 - a constant
_EXCERPTS = f"""
    WITH given (prompt_key) AS (VALUES {{keys}})
    SELECT g.prompt_key, SUBSTR(p.text, 1, {EXCERPT}) FROM given g JOIN usage_prompt p ON p.record_id = (
        SELECT r.id FROM {_RECORDS} WHERE r.prompt_key = g.prompt_key AND r.prompt_key > 0 AND {{where}}
        ORDER BY r.credits DESC, r.id DESC LIMIT 1
    )"""  # noqa: S608 - constants


class _OfModel(NamedTuple):
    """The calls of a group that one model answered, with the sums of the whole group; credits in millionths."""

    prompt_key: int
    spent: int
    number: int
    model: str
    credits: int
    calls: int
    models: int
    place: int
    cheapness: int


def repeated(archive_id: int, filters: RecordFilters, n: int) -> list[RepeatedPrompt]:
    """The `n` groups of at least two calls with the most credits; ties by the number of calls. Three queries.

    Costs an index entry for each call of the account that has a prompt, and no memory for those that repeat nothing.
    """
    kept = horizon.of_kept_calls(archive_id, filters)
    if kept is None:
        return []
    where = _with_amounts(archive_id, kept)
    found = fetch(_GROUPS.format(where=where.conditions), [*where.values, n, *where.values])
    groups: dict[int, list[_OfModel]] = defaultdict(list)
    for row in found:
        groups[row[0]].append(_OfModel(*row))
    excerpts, unit = _excerpts(archive_id, kept, groups), unit_of(archive_id)
    # A group may have gone since.
    return [_item(unit, excerpts[key], rows) for key, rows in groups.items() if key in excerpts]


def _with_amounts(archive_id: int, filters: RecordFilters) -> Where:
    """The records of these filters whose amounts are known."""
    where = rows_by_day(archive_id, filters)
    has_unknown = DayMeasures.objects.filter(archive_id=archive_id, without_amount__gt=0)
    if not may_be_in(archive_id) or not has_unknown.exists():
        return where
    return where._replace(conditions=f"{where.conditions} AND {_IS_KNOWN}")


def _excerpts(archive_id: int, filters: RecordFilters, keys: Collection[int]) -> dict[int, str]:
    """The beginning of the prompt of each group's dearest call."""
    if not keys:
        return {}
    where = _with_amounts(archive_id, filters)
    query = _EXCERPTS.format(keys=", ".join(["(%s)"] * len(keys)), where=where.conditions)
    return dict(fetch(query, [*keys, *where.values]))


def _item(unit: Unit, prompt: str, rows: list[_OfModel]) -> RepeatedPrompt:
    number = unit.number
    listed = [ModelOfGroup(row.model, row.calls, number(int(row.credits))) for row in rows if row.place <= MOST_MODELS]
    group = rows[0]
    return RepeatedPrompt(prompt, group.number, number(int(group.spent)), listed, _cheapest(unit, rows))


def _cheapest(unit: Unit, rows: list[_OfModel]) -> CheapestModel | None:
    """The estimate at the lowest average; None where one model answered all calls, or none a few."""
    [row] = [row for row in rows if row.cheapness == 1]
    if row.models == 1 or row.calls < LEAST_CALLS:
        return None
    return CheapestModel(row.model, unit.number(round(Fraction(int(row.credits) * row.number, row.calls))))
