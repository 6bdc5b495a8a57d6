"""GET /api/status: the state of the instance and of an account's collection (docs/api.md#status)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import RequestFactory
from pytest_django import DjangoAssertNumQueries

from accounts import config
from accounts.credentials import credential
from accounts.models import INSTANCE, Setting, User
from archive_site.combined_answers import api
from archive_site.lib.storage import engine
from collection.models import Heartbeat, Run
from collection.runs import lease, runs
from collection.runs.run_start import HEARTBEAT
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call, plans_of

ApiOf = Callable[[User], ApiClient]
Status = Callable[[User], dict[str, Any]]
pytestmark = pytest.mark.django_db
NOON = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)  # 12:00 in Berlin


@pytest.fixture(autouse=True)
def noon(time: SetClock) -> None:
    time.now = NOON


@pytest.fixture
def status(api_of: ApiOf) -> Status:
    def ask(user: User) -> dict[str, Any]:
        # The account is that of the session, whatever is sent.
        response = api_of(user).get("/api/status", user_id=user.pk + 1)
        assert response.status_code == 200
        body: dict[str, Any] = response.json()
        return body

    return ask


def configure(**values: str) -> None:
    outcome = config.write(values, archive_id=INSTANCE, may_edit_instance=True)
    assert not outcome.errors


def test_the_status_of_a_fresh_instance_for_an_ordinary_user(alice: User, status: Status) -> None:
    assert status(alice) == {
        "server_time": "2026-09-08 12:00:00",
        "is_admin": False,
        "can_edit_schedule": False,
        "can_view_logs": False,
        "can_manage_backups": False,
        "limits": {
            "collect_min_interval_seconds": 30,
            "collect_max_range_days": 31,
            "schedule_slots": 12,
            "schedule_slots_cap": 48,
        },
        "running_lock": False,
        "scheduler": {
            "running": False,
            "enabled": True,
            "times": ["08:00", "12:30", "18:00", "23:50"],
            "next_run": "2026-09-08 12:30:00",
            "catch_up": True,
            "lockfile": None,
        },
        "backup": {"enabled": True, "interval_hours": 24, "keep": 14, "last": None, "next": None},
        "stored": {"bytes": 0, "most": None},
        "running_runs": 0,
        "last_run": None,
        "cookie_set": False,
        "cookie_chars": 0,
        "cookie_broken": False,
        "cookie_refused": False,
        "cookie_expires_at": None,
        **({} if engine.IS_SQLITE else {"nodes": None}),
    }


def test_an_administrator_may_all_and_sees_the_lock_file(root: User, status: Status) -> None:
    answer = status(root)
    flags = ("is_admin", "can_edit_schedule", "can_view_logs", "can_manage_backups")
    assert [answer[name] for name in flags] == [True] * 4
    assert answer["scheduler"]["lockfile"] == str(settings.DATA_FOLDER.scheduler_lock)


def test_both_roles_get_the_same_fields(alice: User, root: User, status: Status) -> None:
    user, admin = status(alice), status(root)
    assert user.keys() == admin.keys()
    for name in ("limits", "scheduler", "backup"):
        assert user[name].keys() == admin[name].keys()


def test_an_ordinary_user_gets_no_path(alice: User, api_of: ApiOf) -> None:
    assert str(settings.DATA_FOLDER.home) not in api_of(alice).get("/api/status").content.decode()


# Values from the settings.


@pytest.mark.parametrize(
    ("key", "value", "part", "name", "expected"),
    [
        ("collect_min_interval_seconds", "0", "limits", "collect_min_interval_seconds", 0),
        ("collect_max_range_days", "7", "limits", "collect_max_range_days", 7),
        ("max_schedule_slots_per_day", "20", "limits", "schedule_slots", 20),
        ("schedule_enabled", "0", "scheduler", "enabled", False),
        ("schedule_enabled", "0", "scheduler", "next_run", None),
        ("schedule_times", "9:05,7:00", "scheduler", "times", ["07:00", "09:05"]),
        ("schedule_times", "9:05,7:00", "scheduler", "next_run", "2026-09-09 07:00:00"),
        ("schedule_times", "12:00", "scheduler", "next_run", "2026-09-09 12:00:00"),
        ("catch_up", "0", "scheduler", "catch_up", False),
        ("backup_enabled", "0", "backup", "enabled", False),
        ("backup_interval_hours", "6", "backup", "interval_hours", 6),
        ("backup_keep", "3", "backup", "keep", 3),
    ],
)
def test_a_setting_is_in_the_status(
    alice: User, status: Status, key: str, value: str, part: str, name: str, expected: object
) -> None:
    configure(**{key: value})
    assert status(alice)[part][name] == expected


# Running collections.


@pytest.mark.parametrize(("age", "running"), [(0, True), (179, True), (180, False), (3600, False)])
def test_the_scheduler_runs_while_its_heartbeat_is_recent(alice: User, status: Status, age: int, running: bool) -> None:
    Heartbeat.objects.create(name=HEARTBEAT, at=NOON - timedelta(seconds=age))
    assert status(alice)["scheduler"]["running"] is running


def test_a_heartbeat_of_something_else_is_not_the_schedulers(alice: User, status: Status) -> None:
    Heartbeat.objects.create(name="other", at=NOON)
    assert status(alice)["scheduler"]["running"] is False


def test_everybody_sees_the_lock_while_it_is_held(alice: User, status: Status) -> None:
    token = lease.take()
    assert token
    assert status(alice)["running_lock"] is True
    lease.release(token)
    assert status(alice)["running_lock"] is False


def test_a_lock_whose_time_is_up_is_none(alice: User, status: Status, time: SetClock) -> None:
    lease.take()
    time.now = NOON + timedelta(seconds=60)
    assert status(alice)["running_lock"] is False


def begin(user: User, **changes: Any) -> Run:
    run = runs.begin(user.pk, Run.Trigger.MANUAL, NOON - timedelta(days=1), NOON)
    Run.objects.filter(pk=run.pk).update(**changes)
    return run


def test_running_runs_counts_the_accounts_own_that_run(alice: User, bob: User, status: Status) -> None:
    for state in (*Run.Status, Run.Status.RUNNING):
        begin(alice, status=state)
    begin(bob)
    assert status(alice)["running_runs"] == 2


def test_the_last_run_is_the_accounts_newest_without_its_detail(alice: User, bob: User, status: Status) -> None:
    begin(alice)
    run = begin(alice, status="ok", finished_at=NOON, duration_ms=1500, fetched=3, added=2, dup=1, total=9, exit_code=0,
                stored_message="2 new", stored_detail="secret lines")  # fmt: skip
    begin(bob)
    assert status(alice)["last_run"] == {
        "id": run.pk, "kind": "collection", "trigger": "manual", "status": "ok", "started_at": "2026-09-08 12:00:00",
        "finished_at": "2026-09-08 12:00:00", "duration_ms": 1500, "win_from": "2026-09-07 12:00:00",
        "win_to": "2026-09-08 12:00:00", "fetched": 3, "added": 2, "dup": 1, "total": 9, "conflicts": 0,
        "exit_code": 0, "message": "2 new", "cause": "",
    }  # fmt: skip


# The cookie.


def cookie_of(answer: dict[str, Any]) -> tuple[bool, int, bool]:
    return answer["cookie_set"], answer["cookie_chars"], answer["cookie_broken"]


def test_a_cookie_is_described_by_its_length_alone(alice: User, bob: User, status: Status, api_of: ApiOf) -> None:
    credential.store(alice.pk, "session=abcdefgh")
    assert cookie_of(status(alice)) == (True, 16, False)
    assert cookie_of(status(bob)) == (False, 0, False)
    assert "efgh" not in api_of(alice).get("/api/status").content.decode()


def test_a_broken_cookie_is_not_set(alice: User, status: Status) -> None:
    credential.store(alice.pk, "session=abcdefgh")
    Setting.objects.filter(key="cookie").update(value="of another key")
    assert cookie_of(status(alice)) == (False, 0, True)


def test_a_refused_cookie_is_reported_until_another_one_is_set(time: SetClock, alice: User, status: Status) -> None:
    credential.store(alice.pk, "session=abcdefgh")
    time.pass_by(seconds=1)
    begin(alice, started_at=time.now, status="failed", exit_code=4)
    assert status(alice)["cookie_refused"] is True
    time.pass_by(seconds=1)
    Setting.objects.filter(key="cookie").update(updated_at=time.now)
    assert status(alice)["cookie_refused"] is False


def test_anonymous_is_401(anonymous: ApiClient) -> None:
    assert anonymous.get("/api/status").status_code == 401


# Cost.


def request_of(user: User) -> Any:
    request: Any = RequestFactory().get("/api/status")
    request.user = user
    return request


@pytest.mark.parametrize("runs_before", [0, 5])
def test_it_makes_a_fixed_number_of_queries(
    alice: User, runs_before: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(runs_before):
        begin(alice)
    with django_assert_num_queries(8):
        api.status(request_of(alice))


def test_it_says_what_the_account_stores_and_may_store(alice: User, bob: User, status: Status) -> None:
    archive(alice, call("a", prompt="why?"))
    archive(bob, call("a"), call("b"))
    configure(max_account_megabytes="3")
    assert status(alice)["stored"] == {"bytes": 1004, "most": 3_000_000}


@pytest.mark.sqlite_only
def test_it_reads_no_table_to_its_end(alice: User) -> None:
    begin(alice)
    plans = [plan.replace("SCAN CONSTANT ROW", "") for plan in plans_of(lambda: api.status(request_of(alice)))]
    assert not [plan for plan in plans if "SCAN" in plan]
