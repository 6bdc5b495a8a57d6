"""What is wrong with an account, by the answers of the API (docs/client.md#status)."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

from archive_site.client.tables import exact

Json = Mapping[str, Any]
# The ways in which a run ends before it has read all that it should.
_BROKEN_OFF = ("failed", "interrupted")
# The exit code of a run whose credential the source refused.
REFUSED = 4


def wrong_with_credential(status: Json) -> str:
    """Why nothing can be collected with the cookie or the token; empty if it can with one of them."""
    wrong, token = _wrong_with_cookie(status), status.get("token")
    if not wrong or not token:
        return wrong
    if token["broken"]:
        return f"{wrong}; the token cannot be read: paste it again"
    run, ends = status["last_run"], token["expires_at"]
    if ends and ends <= status["server_time"]:
        return f"{wrong}; the token ended on {ends}: paste a new one"
    return f"{wrong}; the token was refused: paste a new one" if run and run["exit_code"] == REFUSED else ""


def words_of_cookie(status: Json) -> str:
    """A cookie beside which nothing is wrong with the account."""
    if not status["cookie_set"]:
        return "not set"
    ends = f", ends on {status['cookie_expires_at']}" if status["cookie_expires_at"] else ""
    return f"refused{ends}" if status["cookie_refused"] else f"set{ends}"


def words_of_token(token: Json) -> str:
    if token["broken"]:
        return "cannot be read"
    return f"set, ends on {token['expires_at']}" if token["expires_at"] else "set"


def _wrong_with_cookie(status: Json) -> str:
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
    asked = [day["d"] for day in days if day["state"] not in ("unasked", "open") and not _is_imported(day)]
    if not asked:
        return []
    first, last = asked[0], asked[-1]
    return [
        day["d"]
        for day in days
        if not day.get("final")
        and (day["state"] == "short" or (day["state"] == "unasked" and first < day["d"] < max(last, late)))
    ]


def _is_imported(day: Json) -> bool:
    """Whether an erased day was read by no run, as far as anybody knows."""
    return day["state"] == "erased" and day.get("upstream") is None


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
