"""The verb `status`: cookie, collections, missing days, budgets, what today costs; and whether something is wrong."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from archive_site.client import answer_shapes as shapes
from archive_site.client import checks
from archive_site.client.collect import RUN, counts
from archive_site.client.connection import Answer, Parameters
from archive_site.client.outcome import ExitCode, Failure
from archive_site.client.tables import exact, facts
from archive_site.client.verb import Call

_STATUS = shapes.object_of({
    **dict.fromkeys(("cookie_set", "cookie_broken", "cookie_refused"), shapes.switch),
    "server_time": shapes.timestamp, "cookie_expires_at": shapes.nullable(shapes.text),
    "last_run": shapes.nullable(RUN),
    "token?": shapes.object_of({"broken": shapes.switch, "expires_at": shapes.nullable(shapes.text)}),
    "scheduler": shapes.object_of({"running": shapes.switch, "next_run": shapes.nullable(shapes.text)}),
})  # fmt: skip
_DAY = shapes.object_of(
    {"d": shapes.text, "state": shapes.text, "final?": shapes.switch, "upstream?": shapes.nullable(shapes.whole)}
)
_COVERAGE = shapes.object_of({"days": shapes.list_of(_DAY)})
_BUDGETS = shapes.object_of({"items": shapes.list_of(shapes.object_of({
    **dict.fromkeys(("period", "model", "client"), shapes.text), "runs_out_at": shapes.nullable(shapes.text),
    **dict.fromkeys(("credits", "spent", "left", "percent"), shapes.number),
}))})  # fmt: skip
_TODAY = shapes.object_of({"credits": shapes.number, "calls": shapes.whole})
_UNSEEN = "not visible: the token lacks the scope read"


@dataclass(frozen=True)
class Found:
    """The answers; those that need the scope `read` are None without it."""

    status: Answer
    coverage: Answer | None
    budgets: Answer | None
    today: Answer | None

    @property
    def missing(self) -> list[str]:
        return checks.missing_days(self.coverage.read(_COVERAGE), self.status.read(_STATUS)) if self.coverage else []

    @property
    def problems(self) -> list[str]:
        credential = checks.wrong_with_credential(self.status.read(_STATUS))
        days = [f"calls may be missing: {checks.span_of(self.missing)}"] if self.missing else []
        budgets = checks.passed_budgets(self.budgets.read(_BUDGETS)["items"]) if self.budgets else []
        return [*([credential] if credential else []), *days, *budgets]


def status(call: Call) -> ExitCode:
    found = _ask(call)
    if call.options.json:
        call.screen.json(_as_json(found))
    elif not call.options.check:
        _show(call, found)
    if not call.options.check:
        return ExitCode.FINE
    for problem in found.problems:
        call.screen.note(problem)
    if not found.coverage:
        call.screen.note("cannot tell whether days are missing or a budget is passed: the token lacks the scope read.")
    if found.problems:
        return ExitCode.FAILED
    return ExitCode.FINE if found.coverage else ExitCode.REFUSED


def _ask(call: Call) -> Found:
    answer = call.server.get("/api/status")
    coverage = _if_allowed(call, "/api/coverage")
    if not coverage:
        return Found(answer, None, None, None)
    today = answer.read(_STATUS)["server_time"][:10]
    budgets = call.server.get("/api/budgets")
    return Found(answer, coverage, budgets, call.server.get("/api/summary", {"from": today, "to": today}))


def _if_allowed(call: Call, path: str, parameters: Parameters | None = None) -> Answer | None:
    try:
        return call.server.get(path, parameters)
    except Failure as failure:
        # The answer before has shown that the token is in force.
        if failure.code == ExitCode.REFUSED:
            return None
        raise


def _as_json(found: Found) -> str:
    """The answers as they came, under a name each, and what follows from them."""
    parts = {
        "status": found.status.text,
        "budgets": found.budgets.text if found.budgets else "null",
        "today": found.today.text if found.today else "null",
        "missing_days": json.dumps(found.missing if found.coverage else None),
        "problems": json.dumps(found.problems, ensure_ascii=False),
    }
    return "{" + ",".join(f'"{name}":{text}' for name, text in parts.items()) + "}"


def _show(call: Call, found: Found) -> None:
    state = found.status.read(_STATUS)
    wrong = checks.wrong_with_credential(state)
    days = checks.span_of(found.missing) if found.missing else "none"
    rows = [
        ("cookie", wrong or checks.words_of_cookie(state), bool(wrong)),
        *([("token", checks.words_of_token(state["token"]), state["token"]["broken"])] if "token" in state else []),
        ("last run", _last_run(state["last_run"]), False),
        ("next run", _next_run(state["scheduler"]), False),
        ("missing days", days if found.coverage else _UNSEEN, bool(found.missing)),
        *(("budget", text, is_passed) for text, is_passed in _budgets(found)),
        ("today", _today(found), False),
    ]
    facts(call.screen, rows)


def _budgets(found: Found) -> Iterator[tuple[str, bool]]:
    if not found.budgets:
        yield _UNSEEN, False
        return
    for budget in found.budgets.read(_BUDGETS)["items"]:
        runs_out = f", used up by {budget['runs_out_at']}" if budget["left"] > 0 and budget["runs_out_at"] else ""
        yield f"{checks.words_of(budget)} ({exact(budget['percent'])} %){runs_out}", budget["left"] <= 0


def _last_run(run: dict[str, Any] | None) -> str:
    if not run:
        return "none yet"
    ended = "ok" if run["status"] == "ok" else f"{run['status']}: {run['message']}".rstrip(": ")
    brought = f": {counts(run)}" if run["status"] == "ok" else ""
    return f"{run['finished_at'] or run['started_at']}, {ended}{brought}"


def _next_run(scheduler: dict[str, Any]) -> str:
    due = scheduler["next_run"] or "not scheduled"
    return due if scheduler["running"] else f"{due}, but no worker is alive"


def _today(found: Found) -> str:
    if not found.today:
        return _UNSEEN
    today = found.today.read(_TODAY)
    return f"{exact(today['credits'])} credits, {today['calls']} calls"
