"""What is wrong with an account, by the answers of the API (docs/client.md#status)."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

from archive_site.client.tables import exact

Json = Mapping[str, Any]
# The ways in which a run ends before it has read all that it should.
_BROKEN_OFF = ("failed", "interrupted")


def wrong_with_cookie(status: Json) -> str:
    """Why nothing can be collected with the cookie; empty if it can."""
    if status["cookie_broken"]:
        return "the cookie cannot be read: paste it again"
    if not status["cookie_set"]:
        return "no cookie is set"
    if status["cookie_refused"]:
        return "the cookie was refused: paste a new one"
    ends, run = status["cookie_expires_at"], status["last_run"]
    # What a cookie says of its end is not always true.
    has_worked_since = run and run["status"] == "ok" and run["started_at"] > (ends or "")
    if ends and ends <= status["server_time"] and not has_worked_since:
        return f"the cookie ended on {ends}: paste a new one"
    return ""


def missing_days(coverage: Json, status: Json) -> list[str]:
    """The days whose calls may be missing.

    These are days with more calls at the source, and days that no run has read after the first one that a run
    has read, without those that are final. Yesterday is left to the next run, unless the last one
    broke off.
    """
    today, run = date.fromisoformat(status["server_time"][:10]), status["last_run"]
    broke_off = run is not None and run["status"] in _BROKEN_OFF
    late = str(today - timedelta(days=0 if broke_off else 1))
    days = coverage["days"]
    asked = [day["d"] for day in days if day["state"] not in ("unasked", "open")]
    if not asked:
        return []
    first, last = asked[0], asked[-1]
    return [
        day["d"]
        for day in days
        if not day.get("final")
        and (day["state"] == "short" or (day["state"] == "unasked" and first < day["d"] < max(last, late)))
    ]


def passed_budgets(budgets: Iterable[Json]) -> list[str]:
    """Those with nothing left."""
    return [f"the budget of {words_of(budget)} is passed" for budget in budgets if budget["left"] <= 0]


def words_of(budget: Json) -> str:
    """A budget and what is spent of it."""
    names = [name for name in (budget["model"], budget["client"]) if name]
    of = f" ({', '.join(names)})" if names else ""
    return f"this {budget['period']}{of}: {exact(budget['spent'])} of {exact(budget['credits'])} credits"


def span_of(days: list[str]) -> str:
    """How many days, and from when to when."""
    return days[0] if len(days) == 1 else f"{len(days)} days between {days[0]} and {days[-1]}"
