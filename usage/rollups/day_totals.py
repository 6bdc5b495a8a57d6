"""The coarse rollups of a day, computed again from its fine ones. Sums over years read them
(docs/decisions.md#rollups-are-recomputed-not-incremented)."""

from collections.abc import Iterable
from typing import Any

from archive_site.lib.storage.sql import execute_many, fetch
from usage.record_payloads import credits, json_text

_BY_NAME = [
    (
        f"DELETE FROM {table} WHERE user_id = %s AND day = %s",  # noqa: S608 - names of a constant
        f"INSERT INTO {table} (user_id, day, {name}, credits, calls, free) "  # noqa: S608 - names of a constant
        f"SELECT user_id, day, {name}, SUM(credits), SUM(calls), SUM(free) FROM usage_daygroup "
        f"WHERE user_id = %s AND day = %s GROUP BY user_id, day, {name} "
        f"ON CONFLICT (user_id, day, {name}) DO UPDATE SET credits = excluded.credits, calls = excluded.calls, "
        "free = excluded.free",
    )
    for table, name in (("usage_daymodel", "model"), ("usage_dayclient", "client"))
]
_MODELS = "SELECT model, credits, calls, free FROM usage_daymodel WHERE user_id = %s AND day = %s ORDER BY model"
_HOURS = "SELECT hour, credits FROM usage_dayhour WHERE user_id = %s AND day = %s"
_WITHOUT_PROMPT = "SELECT COUNT(*) FROM usage_record WHERE user_id = %s AND day = %s AND without_prompt"
_CLEAR = "DELETE FROM usage_daytotal WHERE user_id = %s AND day = %s"
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
        execute_many(clear, [] if only_added else keys)
        execute_many(fill, keys)
    totals = [total for key in keys if (total := _total(key))]
    execute_many(_CLEAR, [] if only_added else keys)
    execute_many(_FILL, totals)


def compute_all(user_id: int) -> None:
    """Compute every day of an account again, in the caller's transaction."""
    compute_again(user_id, [day for (day,) in fetch(_DAYS, [user_id] * _DAYS.count("%s"))])


def mend(user_id: int) -> int:
    """Compute every day again, in the caller's transaction. Return how many rows were wrong."""
    before = _kept(user_id)
    compute_all(user_id)
    return len({row[:3] for row in before ^ _kept(user_id)})


def _total(key: tuple[int, str]) -> tuple[Any, ...] | None:
    """The row of a day; None for a day without records."""
    models = fetch(_MODELS, key)
    if not models:
        return None
    hours: dict[int, int] = dict(fetch(_HOURS, key))
    by_model = {name: credits(spent) for name, spent, *_ in models}
    by_hour = [credits(hours.get(hour)) for hour in range(24)]
    [(without_prompt,)] = fetch(_WITHOUT_PROMPT, key)
    return (
        *key,
        *(sum(column) for column in list(zip(*models, strict=True))[1:]),
        json_text(by_model),
        json_text(by_hour),
        without_prompt,
    )


def _kept(user_id: int) -> Rows:
    """The stored coarse rollups of an account; each row begins with its table and key."""
    return set(fetch(_KEPT, [user_id] * 3))
