"""Answers that have another form than those of this version: a verb ends with one line, whatever it is that differs."""

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest

from archive_site.client import answer_shapes as shapes
from archive_site.client.arguments import parser
from archive_site.client.connection import Answer, Server
from archive_site.client.main import VERBS
from archive_site.client.outcome import ExitCode, Failure
from archive_site.client.screen import Screen
from archive_site.client.verb import Call
from tests.client.conftest import Run, ScriptedServer
from tests.client.test_failures import RECORD, TOKEN, answer

UNKNOWN = "answered in a form that this client does not know: is it another version?"
FIGURES = {"credits": 1.5, "avgPerCall": 1.5, "calls": 1, "paid": 1, "free": 0, "models": 1, "clients": 1}
WINDOW = {"from": "2026-09-01", "to": "2026-09-08", "days": 8}
CHANGE = {"credits": 10.5, "calls": None}
RUN = {
    "id": 1, "status": "ok", "message": "", "started_at": "2026-09-08 11:00:00", "finished_at": "2026-09-08 11:00:09",
    "fetched": 2, "added": 1, "dup": 1, "conflicts": 0, "total": 5,
}  # fmt: skip
BUDGET = {
    "period": "day", "model": "", "client": "c", "credits": 5, "spent": 1.5, "left": 3.5, "percent": 30,
    "runs_out_at": "2026-09-08 19:59:59",
}  # fmt: skip
ANSWERS: dict[str, Any] = {
    "/api/summary": {
        **FIGURES, "window": WINDOW, "prev": {**FIGURES, "window": WINDOW}, "delta": CHANGE,
        "comparison": {"window": WINDOW, "until": None, "totals": FIGURES, "change": CHANGE},
        "partial": {"hhmm": "9:05"},
    },
    "/api/daily": {"days": [{"d": "2026-09-08", "c": 1.5, "k": 1, "fc": 0, "m": {"glm": 1.5}}]},
    "/api/top": [{"c": 1.5, "t": "2026-09-08 12:00:00", "m": "glm", "cl": "c", "px": "p"}],
    "/api/records": {"items": [{**RECORD, "agent_purpose": ""}], "total": 9, "pages": 2, "next": None},
    "/api/status": {
        "server_time": "2026-09-08 12:00:00", "cookie_set": True, "cookie_broken": False, "cookie_refused": False,
        "cookie_expires_at": "2026-09-08 10:00:00", "last_run": RUN, "scheduler": {"running": True, "next_run": None},
    },
    "/api/coverage": {"days": [{"d": "2026-09-08", "state": "short"}]},
    "/api/budgets": {"items": [BUDGET]},
    "/api/collect": {"run_id": 1},
    "/api/runs/1": RUN,
}  # fmt: skip
READ_BY = {
    "summary": ["/api/summary"], "daily": ["/api/daily"], "top": ["/api/top"], "records": ["/api/records"],
    "records --columns purpose": ["/api/records"],
    "collect --wait": ["/api/collect", "/api/runs/1"],
    "status": ["/api/status", "/api/coverage", "/api/budgets", "/api/summary"],
}  # fmt: skip


class Stub:
    """A server with these answers by path."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers

    def get(self, path: str, parameters: object = None) -> Answer:
        found = self._answers[path if path in self._answers else "/api/runs/1"]
        return Answer(json.dumps(found), "https://usage.example.org")

    post = get


def outcome(words: str, answers: Mapping[str, Any]) -> ExitCode | str:
    """The exit code of a verb, or the message of its failure."""
    options = parser().parse_args(words.split())
    screen = Screen(io.StringIO(), io.StringIO(), {})
    try:
        return VERBS[options.verb](Call(options, cast(Server, Stub(answers)), screen))
    except Failure as failure:
        return failure.message


def others(value: Any) -> Iterator[Any]:
    """The value with something else in one place, or with one field less."""
    yield from (None, True, 7, "?", [], {}, [None], {"?": None}, float("nan"))
    if isinstance(value, dict):
        for name, part in value.items():
            rest = {other: value[other] for other in value if other != name}
            yield rest
            yield from ({**rest, name: changed} for changed in others(part))
    elif isinstance(value, list):
        yield from ([changed] for changed in others(value[0]))


def read_by_verbs() -> Iterator[Any]:
    """Each verb with each of the paths that it reads; all but one are for the widest circle."""
    for words, paths in READ_BY.items():
        marks = () if words == "daily" else [pytest.mark.thorough]
        yield from (pytest.param(words, path, marks=marks) for path in paths)


@pytest.mark.parametrize(("words", "path"), [*read_by_verbs()])
@pytest.mark.parametrize("more", ["", " --json"])
def test_no_change_of_an_answer_ends_a_verb_in_another_way(words: str, path: str, more: str) -> None:
    assert outcome(words + more, ANSWERS) == ExitCode.FINE
    ends = [outcome(words + more, {**ANSWERS, path: changed}) for changed in others(ANSWERS[path])]
    assert len(ends) > 10
    refused = [end for end in ends if isinstance(end, str)]
    assert all(UNKNOWN in end or end.startswith("run ") for end in refused)
    # As JSON most answers are handed on as they are.
    assert refused or more


@pytest.mark.parametrize("value", ["1.5", "0", "-3", "1e-7", "0.000"])
def test_a_number_is_read_with_its_digits(value: str) -> None:
    assert str(Answer(value, "").read(shapes.number)).lower() == value


@pytest.mark.parametrize("value", ["1e999999", "0e-999999", "1e9999999999999999999", "NaN", "true", '"1"', "9" * 9999])
def test_what_is_no_number_of_an_archive_is_refused(value: str) -> None:
    with pytest.raises(Failure, match="does not know"):
        Answer(value, "").read(shapes.number)


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize("body", ["", "{", "[" * 100_000, "\ufeff{}", "<html>", '{"credits": 1}', "[]", "null"])
@pytest.mark.parametrize("words", [("summary",), ("records", "--json"), ("status", "--check", "--json")])
def test_an_unknown_answer_is_one_line_and_5(
    command: Run, scripted: ScriptedServer, words: tuple[str, ...], body: str
) -> None:
    scripted.answers = [answer("200 OK", body, Archive_Account="1")]
    done = command(*words, "--server", scripted.url, "--token", TOKEN)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (ExitCode.SERVER, "", 1), done.stderr
    assert f"{scripted.url} {UNKNOWN}" in done.stderr
