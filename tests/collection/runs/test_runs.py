"""Run rows: GET /api/runs, GET /api/runs/<id>, and the detail that a run writes."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.models import Run
from collection.runs import run_start, runs
from collection.runs.run_outcomes import OK
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import collected, set_up
from tests.factories import ApiClient
from tests.standing_clock import SetClock

Api = Callable[[User], ApiClient]
FIELDS = [
    "id", "kind", "trigger", "status", "started_at", "finished_at", "duration_ms", "win_from", "win_to",
    "fetched", "added", "dup", "total", "conflicts", "exit_code", "message", "cause",
]  # fmt: skip


def made(user: User, number: int = 1, **fields: Any) -> list[Run]:
    now = clock.now()
    values = {
        "archive_id": user.pk,
        "trigger": "manual",
        "status": "ok",
        "created_at": now,
        "started_at": now,
        **fields,
    }
    return Run.objects.bulk_create(Run(**values) for _ in range(number))


# GET /api/runs


def test_the_list_has_every_field_of_a_run_but_its_detail(alice: User, api_of: Api) -> None:
    made(alice, stored_detail="a line")
    (item,) = api_of(alice).get("/api/runs").json()["items"]
    assert list(item) == FIELDS


def test_it_shows_what_a_run_did(alice: User, upstream: Simulator, api_of: Api) -> None:
    set_up(alice, upstream, verify_days=0)
    run = collected(alice, date(2026, 9, 7), date(2026, 9, 7)).run
    (item,) = api_of(alice).get("/api/runs").json()["items"]
    assert item == {
        "id": run.pk, "kind": "collection", "trigger": "cli", "status": "ok", "started_at": "2026-09-07 17:59:30",
        "finished_at": "2026-09-07 17:59:30", "duration_ms": 0, "win_from": "2026-09-07 00:00:00",
        "win_to": "2026-09-07 17:59:30", "fetched": run.fetched, "added": run.fetched, "dup": 0, "total": run.fetched,
        "conflicts": 0, "exit_code": 0, "message": f"{run.fetched} new records, 0 already known.",
        "cause": "collected",
    }  # fmt: skip


def test_the_newest_run_comes_first(alice: User, api_of: Api) -> None:
    ids = [run.pk for run in made(alice, 3)]
    assert [item["id"] for item in api_of(alice).get("/api/runs").json()["items"]] == ids[::-1]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("limit", "given"), [(None, 50), ("7", 7), ("0", 1), ("-3", 1), ("500", 500), ("501", 500), ("many", 50), ("", 50)]
)
def test_the_limit_is_clamped(alice: User, api_of: Api, limit: str | None, given: int) -> None:
    made(alice, 501)
    answer = api_of(alice).get("/api/runs", **({} if limit is None else {"limit": limit}))
    assert len(answer.json()["items"]) == given


def test_an_account_without_runs_has_none(alice: User, api_of: Api) -> None:
    assert api_of(alice).get("/api/runs").json() == {"items": []}


def test_nobody_sees_anothers_runs_whatever_id_is_sent(alice: User, bob: User, root: User, api_of: Api) -> None:
    made(alice)
    for user in (bob, root):
        assert api_of(user).get("/api/runs", user_id=alice.pk).json() == {"items": []}


def test_a_queued_run_shows_when_it_was_asked_for(alice: User, api_of: Api, time: SetClock) -> None:
    made(alice, status="queued", started_at=None)
    (item,) = api_of(alice).get("/api/runs").json()["items"]
    assert (item["started_at"], item["finished_at"]) == ("2026-09-07 17:59:30", None)


def test_the_list_is_not_for_visitors(anonymous: ApiClient, db: None) -> None:
    assert anonymous.get("/api/runs").status_code == 401


# GET /api/runs/<id>


def test_a_run_has_its_detail(alice: User, api_of: Api) -> None:
    (run,) = made(alice, stored_detail="2026-09-07 17:59:30 a line\n")
    answer = api_of(alice).get(f"/api/runs/{run.pk}")
    assert list(answer.json()) == [*FIELDS, "detail"]
    assert answer.json()["detail"] == "2026-09-07 17:59:30 a line\n"


def test_a_run_is_shown_in_the_readers_language_and_its_tag_follows(alice: User, api_of: Api) -> None:
    message = Message("connection_failed", host="api.example.com").stored()
    (run,) = made(alice, stored_message=message, stored_detail=f"{message}\n")
    english = api_of(alice).get(f"/api/runs/{run.pk}")
    User.objects.filter(pk=alice.pk).update(language="zh-hans")
    chinese = api_of(alice).get(f"/api/runs/{run.pk}")
    assert english.json()["message"] == "the connection to api.example.com failed or broke off"
    assert chinese.json()["message"] == chinese.json()["detail"].strip() != english.json()["message"]
    assert english.headers["ETag"] != chinese.headers["ETag"]


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("", ""),
        ("A sentence of another version.", ""),
        (Message("no_answer", why="HTTP 503").stored(), "no_answer"),
        (
            Message("leftover_unreadable", window="w", why=Message("request_forbidden"), rest="r").stored(),
            "request_forbidden",
        ),
    ],
)
def test_the_cause_of_a_run_is_the_code_of_its_end(alice: User, api_of: Api, message: str, cause: str) -> None:
    (run,) = made(alice, stored_message=message)
    assert api_of(alice).get(f"/api/runs/{run.pk}").json()["cause"] == cause


@pytest.mark.parametrize("number", ["0", "-1", "999", "abc", "1.0", "²", "9" * 30])
def test_an_unknown_run_is_404_without_an_error_code(alice: User, api_of: Api, number: str) -> None:
    answer = api_of(alice).get(f"/api/runs/{number}")
    assert (answer.status_code, list(answer.json())) == (404, ["ok", "message"])


def test_a_run_of_another_account_is_404_without_an_error_code(alice: User, bob: User, root: User, api_of: Api) -> None:
    (run,) = made(alice)
    for user in (bob, root):
        answer = api_of(user).get(f"/api/runs/{run.pk}", user_id=alice.pk)
        assert (answer.status_code, list(answer.json())) == (404, ["ok", "message"])


def test_a_run_is_not_for_visitors(alice: User, anonymous: ApiClient) -> None:
    (run,) = made(alice)
    assert anonymous.get(f"/api/runs/{run.pk}").status_code == 401


def test_a_run_cannot_be_written(alice: User, api_of: Api) -> None:
    (run,) = made(alice)
    assert api_of(alice).post(f"/api/runs/{run.pk}").status_code == 405
    assert api_of(alice).post("/api/runs").status_code == 405


# The detail


@pytest.fixture
def run(alice: User) -> Run:
    return made(alice, status="running")[0]


def written(run: Run, journal: runs.Journal) -> str:
    journal.write()
    run.refresh_from_db()
    return run.detail


def test_each_line_bears_its_time(run: Run, time: SetClock) -> None:
    journal = runs.Journal(run.pk)
    journal.note(Message("stopped_before_start"))
    time.pass_by(seconds=9)
    journal.note(Message("no_worker"))
    assert written(run, journal) == (
        "2026-09-07 17:59:30 Stopped before it began.\n2026-09-07 17:59:39 Interrupted: no worker took it in time.\n"
    )


def test_what_was_written_stays_when_more_is(run: Run, time: SetClock) -> None:
    journal = runs.Journal(run.pk)
    journal.note(Message("stopped_before_start"))
    written(run, journal)
    journal.note(Message("no_worker"))
    assert written(run, journal).count("\n") == 2


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.parametrize("text", ["x", "积"])
def test_the_detail_ends_at_256_kib_and_says_so(run: Run, text: str) -> None:
    journal = runs.Journal(run.pk)
    for _ in range(400):
        journal.note(Message("connection_failed", host=text * 1000))
        journal.write()
    run = runs.finish(run, OK, Message("stopped"), journal, actor="alice")
    size = len(run.stored_detail.encode())
    assert len(run.detail.encode()) <= size
    assert (254 * 1024 - 3000 < size <= 256 * 1024, run.detail.endswith("… more lines were left out\n")) == (True, True)


def test_the_end_of_an_abandoned_run_has_room_in_a_full_detail(run: Run) -> None:
    journal = runs.Journal(run.pk)
    journal.note(Message("connection_failed", host="x" * 257 * 1024))
    journal.note(Message("connection_failed", host="y" * 255))
    journal.write()
    runs.interrupt_abandoned()
    run.refresh_from_db()
    assert run.detail.startswith("… more lines were left out\n")
    assert run.detail.endswith("the next run completes it.\n")
    assert len(run.stored_detail.encode()) <= 256 * 1024


def test_a_line_holds_nothing_that_looks_like_a_secret(run: Run) -> None:
    journal = runs.Journal(run.pk)
    journal.note(Message("connection_failed", host="Cookie: session=abc|1|def"))
    assert "abc" not in written(run, journal)


def test_a_run_is_ended_once(run: Run) -> None:
    journal = runs.Journal(run.pk)
    runs.interrupt_abandoned()
    assert runs.finish(run, OK, Message("stopped"), journal, actor="alice").status == Run.Status.INTERRUPTED


def test_a_queued_run_is_claimed_once(alice: User, time: SetClock) -> None:
    (queued,) = made(alice, status="queued", started_at=None)
    assert [runs.claim(queued.pk), runs.claim(queued.pk)] == [True, False]
    queued.refresh_from_db()
    assert (queued.status, queued.started_at) == (Run.Status.RUNNING, time.now)


@pytest.mark.engine
def test_only_runs_under_way_are_asked_to_stop(alice: User) -> None:
    [ended] = made(alice)
    asked = made(alice, 2, status="running")
    made(alice, status="running")
    assert runs.request_stop([ended.pk, *(run.pk for run in asked)]) == 2
    assert Run.objects.filter(stop_requested=True, status="running").count() == 2


# Kinds


@pytest.mark.parametrize("kind", ["verification", "import"])
def test_a_verification_or_import_is_listed_but_no_collection(alice: User, api_of: Api, kind: str) -> None:
    [collection] = made(alice)
    [other] = made(alice, kind=kind, status="failed", exit_code=4)
    api = api_of(alice)
    assert [run["kind"] for run in api.get("/api/runs").json()["items"]] == [kind, "collection"]
    assert api.get(f"/api/runs/{other.pk}").json()["kind"] == kind
    assert api.get("/api/status").json()["last_run"]["id"] == collection.pk
    assert api.get("/api/manifest").json()["health"]["lastRunStatus"] == "ok"


@pytest.mark.parametrize("kind", ["verification", "import"])
def test_a_verification_or_import_is_no_attempt_to_collect(alice: User, kind: str) -> None:
    made(alice, kind=kind, started_at=clock.now())
    run, _ = run_start.on_demand(alice.pk, {})
    assert run.kind == "collection"
