"""The coarse rollups of a day, computed again from its fine ones. Sums over years read them
(docs/decisions/records.md#rollups-are-recomputed-not-incremented)."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from archive_site.lib.storage.keyed import Keys, execute_for_keys, fetch_for_keys
from archive_site.lib.storage.sql import SqlRow, execute_many, fetch
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.storage.write_parts import Parts
from usage import horizon
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.data_version import raise_version
from usage.record_payloads import json_text

_DAY = {"user_id": "bigint", "day": "text"}
_BY_NAME = [
    (
        f"DELETE FROM {table} WHERE {{keys}}",  # noqa: S608 - names of a constant
        f"INSERT INTO {table} (user_id, day, {name}, credits, calls, free) "  # noqa: S608 - names of a constant
        f"SELECT user_id, day, {name}, SUM(credits), SUM(calls), SUM(free) FROM usage_daygroup "
        f"WHERE {{keys}} GROUP BY user_id, day, {name} "
        f"ON CONFLICT (user_id, day, {name}) DO UPDATE SET credits = excluded.credits, calls = excluded.calls, "
        "free = excluded.free",
    )
    for table, name in (("usage_daymodel", "model"), ("usage_dayclient", "client"))
]
_MODELS = "SELECT day, model, credits, calls, free FROM usage_daymodel WHERE {keys} ORDER BY day, model"
_HOURS = "SELECT day, hour, credits FROM usage_dayhour WHERE {keys}"
# How many calls have no prompt; then of those without a purpose either: credits, calls, free ones.
_WITHOUT_PROMPT = """
    SELECT day, COUNT(*), SUM(CASE WHEN agent_purpose = '' THEN credits ELSE 0 END),
    SUM(CASE WHEN agent_purpose = '' THEN 1 ELSE 0 END),
    SUM(CASE WHEN agent_purpose = '' AND credits = 0 THEN 1 ELSE 0 END)
    FROM usage_record WHERE {keys} AND without_prompt GROUP BY day"""
_OF_PROMPTS = ("without_prompt", "unknown_credits", "unknown_calls", "unknown_free")
_CLEAR = "DELETE FROM usage_daytotal WHERE {keys}"
_FILL = f"""
    INSERT INTO usage_daytotal (user_id, day, credits, calls, free, by_model, by_hour, {", ".join(_OF_PROMPTS)})
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (user_id, day) DO UPDATE SET credits = excluded.credits, calls = excluded.calls, free = excluded.free,
    by_model = excluded.by_model, by_hour = excluded.by_hour,
    {", ".join(f"{name} = excluded.{name}" for name in _OF_PROMPTS)}"""  # noqa: S608 - constants

_DAYS = " UNION ".join(
    f"SELECT day FROM usage_{name} WHERE user_id = %s"  # noqa: S608 - names of a constant
    for name in ("daygroup", "dayhour", "daymodel", "dayclient", "daytotal")
)
_KEPT = f"""
    SELECT 'model', model, credits, calls, free, '' FROM usage_daymodel WHERE user_id = %s AND day = %s UNION ALL
    SELECT 'client', client, credits, calls, free, '' FROM usage_dayclient WHERE user_id = %s AND day = %s UNION ALL
    SELECT 'day', '', credits, calls, free, by_model || by_hour || {" || '/' || ".join(_OF_PROMPTS)} FROM usage_daytotal
    WHERE user_id = %s AND day = %s"""  # noqa: S608 - constants
_COUNTED = """
    SELECT '{0}', {0}, SUM(credits), SUM(calls), SUM(free), '' FROM usage_daygroup WHERE user_id = %s AND day = %s
    GROUP BY {0}"""

Rows = set[tuple[Any, ...]]


def compute_again(archive_id: int, days: Iterable[str], *, only_added: bool = False) -> None:
    """Compute these days of an account again from the rollups by group and hour, in the caller's transaction.

    `only_added`: records were only added, so no row may be left without records.
    """
    keys = [(archive_id, day) for day in days]
    for clear, fill in _BY_NAME:
        execute_for_keys(clear, _DAY, [] if only_added else keys)
        execute_for_keys(fill, _DAY, keys)
    totals = _totals(archive_id, keys)
    execute_for_keys(_CLEAR, _DAY, [] if only_added else keys)
    execute_many(_FILL, totals)


def compute_all(archive_id: int) -> None:
    """Compute every day of an account again, in the caller's transaction."""
    compute_again(archive_id, _days(archive_id))


def repair(archive_id: int) -> int:
    """Compute the days with wrong rows again, each in a part of its own. Return how many rows were wrong."""
    kept_from = horizon.calls_from(archive_id)
    return sum(
        _repair_day(archive_id, day)
        for day in _days(archive_id)
        if day >= kept_from and _kept(archive_id, day) != _counted(archive_id, day)
    )


def _repair_day(archive_id: int, day: str) -> int:
    with Parts(1, most=1).part():
        lock_archive(archive_id)
        if day < horizon.calls_from(archive_id):
            # Its calls were erased meanwhile.
            return 0
        before = _kept(archive_id, day)
        compute_again(archive_id, [day])
        wrong = {row[:2] for row in before ^ _kept(archive_id, day)}
        if wrong:
            raise_version(archive_id)
    return len(wrong)


def _totals(archive_id: int, keys: Keys) -> list[tuple[Any, ...]]:
    """The rows of these days; days without records have none."""
    models, hours = _by_day(fetch_for_keys(_MODELS, _DAY, keys)), _by_day(fetch_for_keys(_HOURS, _DAY, keys))
    unit = unit_of(archive_id)
    of_prompts = {day: tuple(map(int, found)) for day, *found in fetch_for_keys(_WITHOUT_PROMPT, _DAY, keys)}
    return [
        (archive_id, day, *_total(unit, models[day], dict(hours.get(day, []))), *of_prompts.get(day, (0, 0, 0, 0)))
        for day in models
    ]


def _by_day(rows: Iterable[SqlRow]) -> dict[str, list[SqlRow]]:
    found: dict[str, list[SqlRow]] = defaultdict(list)
    for day, *values in rows:
        found[day].append(tuple(values))
    return found


def _total(unit: Unit, models: list[SqlRow], hours: dict[int, int]) -> tuple[Any, ...]:
    """The sums of a day, and its credits by model and hour."""
    by_model = {name: unit.number(spent) for name, spent, *_ in models}
    by_hour = [unit.number(hours.get(hour)) for hour in range(24)]
    sums = (sum(column) for column in list(zip(*models, strict=True))[1:])
    return (*sums, json_text(by_model), json_text(by_hour))


def _days(archive_id: int) -> list[str]:
    """The days that have records or rows of rollups."""
    return [day for (day,) in fetch(_DAYS, [archive_id] * _DAYS.count("%s"))]


def _kept(archive_id: int, day: str) -> Rows:
    """The stored coarse rollups of a day; each row begins with its table and key."""
    return set(fetch(_KEPT, [archive_id, day] * 3))


def _counted(archive_id: int, day: str) -> Rows:
    """The same, computed from the fine rollups."""
    totals = [
        ("day", "", *row[2:5], f"{row[5]}{row[6]}{'/'.join(map(str, row[7:]))}")
        for row in _totals(archive_id, [(archive_id, day)])
    ]
    named = [row for name in ("model", "client") for row in fetch(_COUNTED.format(name), [archive_id, day])]
    return {*totals, *named}
