"""Shared by tests of the archive: calls, archives, rollups recounted from the records, answers and query plans."""

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from archive_site.lib.storage import engine
from usage.filters import RecordFilters
from usage.incoming.record import IncomingRecord
from usage.ingest import PageResult, take_in
from usage.models import Prompt, Record
from usage.reads.daily_series import daily_pieces
from usage.reads.dimensions import dims

MICRO = 1_000_000
Rows = list[tuple[Any, ...]]
_EXPLAIN = "EXPLAIN QUERY PLAN" if engine.IS_SQLITE else "EXPLAIN (COSTS OFF)"

_DEFAULTS: dict[str, Any] = {
    "request_id": "r1",
    "credits": 1.5,
    "model": "glm",
    "client": "ide",
    "ts": "2026-09-07 12:30:00",
    "prompt": "",
    "prompt_truncated": False,
    "agent_purpose": "",
}


def call(request_id: str = "r1", **fields: Any) -> IncomingRecord:
    """One incoming call; `credits` in credits, all other values as in a record."""
    values = {**_DEFAULTS, "request_id": request_id, **fields}
    return IncomingRecord(amount=round(values.pop("credits") * MICRO), **values)


def on(day: str, request_id: str, **fields: Any) -> IncomingRecord:
    """One incoming call, at noon of a day."""
    return call(request_id, ts=f"{day} 12:00:00", **fields)


def archive(
    owner: User | int, *calls: IncomingRecord, max_prompt: int = 20000, run_id: int | None = None
) -> PageResult:
    """Store the calls in an account's archive as one page."""
    return take_in(owner if isinstance(owner, int) else owner.pk, calls, run_id=run_id, max_prompt=max_prompt)


def stored(owner: User | int, request_id: str = "r1") -> Record:
    user_id = owner if isinstance(owner, int) else owner.pk
    return Record.objects.get(archive_id=user_id, request_id=request_id)


def prompt_of(owner: User | int, request_id: str = "r1") -> str | None:
    """The stored prompt; None if the record has none."""
    return Prompt.objects.filter(record=stored(owner, request_id)).values_list("text", flat=True).first()


def ids(answer: dict[str, Any]) -> str:
    """The request ids of a list, joined in its order."""
    return "".join(item["request_id"] for item in answer["items"])


def rows_of(query: str, *values: Any) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return list(cursor.fetchall())


# The rollups that are compared with the records, each with the columns of its key; the day is always the first one.
_ROLLUPS = {
    "daygroup": ("model", "client"),
    "dayhour": ("hour",),
    "daypurposegroup": ("model", "client", "agent_purpose"),
    "daypurposehour": ("hour", "agent_purpose"),
    "daypurpose": ("agent_purpose",),
}


def kept_rollups(user_id: int) -> tuple[Rows, ...]:
    """The rollups by group and hour, both also with the purpose, and by purpose, and the bytes that the account stores,
    as the store holds them."""
    rollups = (
        sorted(
            rows_of(f"SELECT day, {', '.join(key)}, credits, calls, free FROM usage_{name} WHERE user_id = %s", user_id)
        )
        for name, key in _ROLLUPS.items()
    )
    return *rollups, kept_bytes(user_id)


def counted_rollups(user_id: int) -> tuple[Rows, ...]:
    """The same as a GROUP BY over the records; day and hour are taken from the time."""
    figures = "SUM(credits), COUNT(*), SUM(CASE WHEN credits = 0 THEN 1 ELSE 0 END)"
    hour = "CAST(SUBSTR(ts, 12, 2) AS INTEGER)"
    columns = [", ".join(hour if column == "hour" else column for column in key) for key in _ROLLUPS.values()]
    rollups = (
        sorted(
            rows_of(
                f"SELECT SUBSTR(ts, 1, 10), {key}, {figures} FROM usage_record WHERE user_id = %s "
                f"GROUP BY SUBSTR(ts, 1, 10), {key}",
                user_id,
            )
        )
        for key in columns
    )
    return *rollups, counted_bytes(user_id)


def kept_bytes(user_id: int) -> Rows:
    return rows_of("SELECT COALESCE(SUM(stored_bytes), 0) FROM usage_dataversion WHERE user_id = %s", user_id)


def counted_bytes(user_id: int) -> Rows:
    """1,000 bytes for each record, and those of its prompt."""
    size = f"COALESCE(SUM(1000 + COALESCE({engine.BYTES_OF.format('text')}, 0)), 0)"
    return rows_of(
        f"SELECT {size} FROM usage_record LEFT JOIN usage_prompt ON record_id = id WHERE user_id = %s", user_id
    )


def answers(user_id: int, filters: RecordFilters, until: str = "") -> Any:
    """The series of days, and the sums of each dimension up to a time of the last day."""
    return [*daily_pieces(user_id, filters)], dims(user_id, filters, "purpose", until if filters.days.last else "")


def plans_of(ask: Callable[[], object]) -> list[str]:
    """The query plans of the queries that `ask` runs, in their order."""
    with CaptureQueriesContext(connection) as captured:
        ask()
    queries = [
        query["sql"] for query in captured.captured_queries if query["sql"].lstrip().startswith(("SELECT", "WITH"))
    ]
    with connection.cursor() as cursor:
        plans = [cursor.execute(f"{_EXPLAIN} {query}").fetchall() for query in queries]
    return ["; ".join(str(step[-1]) for step in plan) for plan in plans]
