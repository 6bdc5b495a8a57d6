"""The coarse rollups of a day, computed again from its fine ones. Sums over years read them
(docs/decisions.md#rollups-are-recomputed-not-incremented)."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from archive_site.lib.storage.keyed import Keys, execute_for_keys, fetch_for_keys
from archive_site.lib.storage.sql import SqlRow, execute_many, fetch
from usage.record_payloads import credits, json_text

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
_WITHOUT_PROMPT = "SELECT day, COUNT(*) FROM usage_record WHERE {keys} AND without_prompt GROUP BY day"
_CLEAR = "DELETE FROM usage_daytotal WHERE {keys}"
_FILL = """
    INSERT INTO usage_daytotal (user_id, day, credits, calls, free, by_model, by_hour, without_prompt)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (user_id, day) DO UPDATE SET credits = excluded.credits, calls = excluded.calls, free = excluded.free,
    by_model = excluded.by_model, by_hour = excluded.by_hour, without_prompt = excluded.without_prompt"""

_DAYS = " UNION ".join(
    f"SELECT day FROM usage_{name} WHERE user_id = %s"  # noqa: S608 - names of a constant
    for name in ("daygroup", "dayhour", "daymodel", "dayclient", "daytotal")
)
_KEPT = """
    SELECT 'model', day, model, credits, calls, free, '' FROM usage_daymodel WHERE user_id = %s UNION ALL
    SELECT 'client', day, client, credits, calls, free, '' FROM usage_dayclient WHERE user_id = %s UNION ALL
    SELECT 'day', day, '', credits, calls, free, by_model || by_hour || without_prompt FROM usage_daytotal
    WHERE user_id = %s"""

Rows = set[tuple[Any, ...]]


def compute_again(user_id: int, days: Iterable[str], *, only_added: bool = False) -> None:
    """Compute these days of an account again from the rollups by group and hour, in the caller's transaction.

    `only_added`: records were only added, so no row may be left without records.
    """
    keys = [(user_id, day) for day in days]
    for clear, fill in _BY_NAME:
        execute_for_keys(clear, _DAY, [] if only_added else keys)
        execute_for_keys(fill, _DAY, keys)
    totals = _totals(user_id, keys)
    execute_for_keys(_CLEAR, _DAY, [] if only_added else keys)
    execute_many(_FILL, totals)


def compute_all(user_id: int) -> None:
    """Compute every day of an account again, in the caller's transaction."""
    compute_again(user_id, [day for (day,) in fetch(_DAYS, [user_id] * _DAYS.count("%s"))])


def mend(user_id: int) -> int:
    """Compute every day again, in the caller's transaction. Return how many rows were wrong."""
    before = _kept(user_id)
    compute_all(user_id)
    return len({row[:3] for row in before ^ _kept(user_id)})


def _totals(user_id: int, keys: Keys) -> list[tuple[Any, ...]]:
    """The rows of these days; days without records have none."""
    models, hours = _by_day(fetch_for_keys(_MODELS, _DAY, keys)), _by_day(fetch_for_keys(_HOURS, _DAY, keys))
    without_prompt: dict[str, int] = dict(fetch_for_keys(_WITHOUT_PROMPT, _DAY, keys))
    return [
        (user_id, day, *_total(models[day], dict(hours.get(day, []))), without_prompt.get(day, 0)) for day in models
    ]


def _by_day(rows: Iterable[SqlRow]) -> dict[str, list[SqlRow]]:
    found: dict[str, list[SqlRow]] = defaultdict(list)
    for day, *values in rows:
        found[day].append(tuple(values))
    return found


def _total(models: list[SqlRow], hours: dict[int, int]) -> tuple[Any, ...]:
    """The sums of a day, and its credits by model and hour."""
    by_model = {name: credits(spent) for name, spent, *_ in models}
    by_hour = [credits(hours.get(hour)) for hour in range(24)]
    sums = (sum(column) for column in list(zip(*models, strict=True))[1:])
    return (*sums, json_text(by_model), json_text(by_hour))


def _kept(user_id: int) -> Rows:
    """The stored coarse rollups of an account; each row begins with its table and key."""
    return set(fetch(_KEPT, [user_id] * 3))
