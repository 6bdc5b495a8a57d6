"""The queries of the benchmarks: as our endpoint, and as SQL over the records, with the same figures.

The SQL is written for the tables and their indexes by hand; it does not read the rollups.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from tests.benchmarks.dataset import ACCOUNT, DAYS, FIRST_DAY

Rows = Sequence[Sequence[Any]]

# Differences of dialect: SQLite stores texts, and finds the hour in the index by time; DuckDB stores a date.
# Each counts free calls in its own way.
SQLITE = {
    "day": "substr(ts, 1, 10)", "hour": "CAST(substr(ts, 12, 2) AS INTEGER)", "month": "substr(day, 1, 7)",
    "free": "SUM(credits = 0)",
}  # fmt: skip
DUCKDB = {"day": "day", "hour": "hour", "month": "date_trunc('month', day)", "free": "SUM(credits = 0)"}
POSTGRES = {
    "day": "day", "hour": "hour", "month": "substr(day, 1, 7)", "free": "COUNT(*) FILTER (WHERE credits = 0)"
}  # fmt: skip

_OWN = f"FROM usage_record WHERE user_id = {ACCOUNT}"
_TOTALS = (
    "SELECT SUM(credits), COUNT(*), {free}, COUNT(DISTINCT model), COUNT(DISTINCT client), "
    f"MIN(day), MAX(day), COUNT(DISTINCT day) {_OWN}"
)
_BEFORE = f" AND day BETWEEN '{FIRST_DAY - timedelta(days=DAYS)}' AND '{FIRST_DAY - timedelta(days=1)}'"
_FIGURES = "SUM(credits), COUNT(*), {free}"


@dataclass(frozen=True)
class Question:
    """One endpoint; its SQL, a statement for each part; and the values that must be equal in both."""

    name: str
    statements: tuple[str, ...]
    from_rows: Callable[[Sequence[Rows]], Any]
    from_answer: Callable[[Any], Any]

    @property
    def path(self) -> str:
        return f"/api/{self.name}"

    def sql(self, dialect: Mapping[str, str]) -> list[str]:
        return [statement.format(**dialect) for statement in self.statements]


def credits(micro: Any) -> float:
    return round(int(micro or 0) / 1_000_000, 6)


def _totals(row: Sequence[Any]) -> list[Any]:
    """Credits, calls, free calls, models and clients."""
    return [credits(row[0]), *(int(value or 0) for value in row[1:5])]


def _answered_totals(answer: Mapping[str, Any]) -> list[Any]:
    return [round(answer["credits"], 6), *(answer[name] for name in ("calls", "free", "models", "clients"))]


def _summary_of_rows(results: Sequence[Rows]) -> Any:
    (now,), (before,) = results
    return _totals(now), str(now[5]), str(now[6]), now[7], _totals(before)


def _summary_of_answer(answer: Any) -> Any:
    prev = _answered_totals(answer["prev"])
    return _answered_totals(answer), answer["firstDay"], answer["lastDay"], answer["days"], prev


def _daily_of_rows(results: Sequence[Rows]) -> Any:
    by_model, by_hour = results
    days: dict[str, Any] = {}
    for day, model, micro, calls, free in by_model:
        kept = days.setdefault(str(day), {"micro": 0, "k": 0, "fc": 0, "m": {}, "h": [0.0] * 24})
        kept["micro"] += micro
        kept["k"] += calls
        kept["fc"] += free
        kept["m"][model] = credits(micro)
    for day, hour, micro in by_hour:
        days[str(day)]["h"][hour] = credits(micro)
    return [
        (day, credits(kept["micro"]), kept["k"], kept["fc"], kept["m"], kept["h"]) for day, kept in sorted(days.items())
    ]


def _daily_of_answer(answer: Any) -> Any:
    return [(day["d"], day["c"], day["k"], day["fc"], day["m"], day["h"]) for day in answer["days"]]


def _dims_of_rows(results: Sequence[Rows]) -> Any:
    models, clients, hours, *purposes = (
        {str(name): (credits(micro), int(calls), int(free)) for name, micro, calls, free in rows} for rows in results
    )
    by_hour = {f"{int(hour):02}": kept for hour, kept in hours.items()}
    return dict(zip(("model", "client", "hour", "purpose"), (models, clients, by_hour, *purposes), strict=False))


def _dims_of_answer(answer: Any) -> Any:
    found: dict[str, dict[str, Any]] = {dim: {} for dim in answer}
    for dim, items in answer.items():
        for item in items:
            # The others count calls of unknown purpose like those without one.
            name = item["name"] or ""
            credits, calls, free = found[dim].get(name, (0, 0, 0))
            found[dim][name] = round(credits + item["credits"], 6), calls + item["calls"], free + item["free"]
    return found


def _manifest_of_rows(results: Sequence[Rows]) -> Any:
    (totals,), months = results
    return _totals(totals), str(totals[6]), sorted(str(month)[:7] for (month,) in months)


def _manifest_of_answer(answer: Any) -> Any:
    return _answered_totals(answer["totals"]), answer["focusDay"], answer["months"]


_DIMS = (
    f"SELECT model, {_FIGURES} {_OWN} GROUP BY model",
    f"SELECT client, {_FIGURES} {_OWN} GROUP BY client",
    f"SELECT {{hour}} AS hour, {_FIGURES} {_OWN} GROUP BY 1",
)
_OF_A_PURPOSE = " AND agent_purpose = 'conversation'"

QUESTIONS = (
    Question("summary", (_TOTALS, _TOTALS + _BEFORE), _summary_of_rows, _summary_of_answer),
    Question(
        "summary?purpose=conversation",
        (_TOTALS + _OF_A_PURPOSE, _TOTALS + _BEFORE + _OF_A_PURPOSE),
        _summary_of_rows,
        _summary_of_answer,
    ),
    Question(
        "daily",
        (
            f"SELECT day, model, {_FIGURES} {_OWN} GROUP BY day, model",
            f"SELECT {{day}} AS day, {{hour}} AS hour, SUM(credits) {_OWN} GROUP BY 1, 2",
        ),
        _daily_of_rows,
        _daily_of_answer,
    ),
    Question("dims", _DIMS, _dims_of_rows, _dims_of_answer),
    Question(
        "dims?dim=purpose",
        (*_DIMS, f"SELECT agent_purpose, {_FIGURES} {_OWN} GROUP BY agent_purpose"),
        _dims_of_rows,
        _dims_of_answer,
    ),
    Question(
        "manifest", (_TOTALS, f"SELECT DISTINCT {{month}} AS month {_OWN}"), _manifest_of_rows, _manifest_of_answer
    ),
)
