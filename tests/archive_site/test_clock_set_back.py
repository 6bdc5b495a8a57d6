"""A clock that ran ahead is set right: nothing waits for the time that it had.

The rules: docs/decisions/records.md#clocks-that-ran-ahead.
"""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from django.conf import settings
from django_q.models import OrmQ, Schedule

from accounts.models import User
from accounts.session_stores import spare_sessions
from accounts.signin import captcha, self_registration, throttling, visitor_sessions
from accounts.signin.self_registration import TooManyRegistrations
from accounts.signin.throttling import TooManyFailures
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.minimum_interval import minimum_interval
from archive_site.serving import schedules, supervisor
from archive_site.serving.supervisor import Supervisor
from archive_site.tasks import tick
from backups import automatic
from collection.runs import run_start
from tests.accounts.page_forms import instance, sign_in
from tests.concurrency import together
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage.export import kept_files

pytestmark = pytest.mark.django_db
SetRight = Callable[[], None]


# Minimum intervals and throttles


def once() -> bool:
    try:
        with minimum_interval("maintenance:recount:1", 60, failures_count=True):
            return True
    except ApiError:
        return False


def test_a_minimum_interval_begins_anew(set_right: SetRight) -> None:
    assert [once(), once()] == [True, False]
    set_right()
    assert [once(), once()] == [True, False]


def test_of_many_at_once_one_is_done_then(set_right: SetRight) -> None:
    once()
    set_right()
    assert sorted(together(*[once] * 8)) == [False] * 7 + [True]


@pytest.mark.file_counters
def test_a_clock_of_another_node_that_is_a_little_ahead_is_none_that_ran_ahead(time: SetClock) -> None:
    once()
    time.pass_by(seconds=-5)
    assert not once()


def failed(times: int) -> None:
    for _ in range(times):
        throttling.count_try("alice", "192.0.2.1")


def test_the_throttle_of_sign_ins_begins_anew(set_right: SetRight) -> None:
    failed(10)
    set_right()
    assert not throttling.has_failed("alice", "192.0.2.1")
    failed(10)
    with pytest.raises(TooManyFailures) as refused:
        failed(1)
    assert refused.value.retry_after <= throttling.WINDOW


def test_seconds_do_not_open_it(time: SetClock) -> None:
    failed(10)
    time.pass_by(seconds=-30)
    with pytest.raises(TooManyFailures):
        failed(1)


def test_registrations_of_the_future_leave_room(set_right: SetRight) -> None:
    instance(allow_register="1", register_max_per_ip="1")
    User.objects.create(username="new", register_ip="192.0.2.1")
    with pytest.raises(TooManyRegistrations):
        self_registration.require_room("192.0.2.1")
    set_right()
    self_registration.require_room("192.0.2.1")


def test_captchas_and_visitors_of_the_future_push_nobody_out(
    set_right: SetRight, alice: User, anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kept in (captcha, visitor_sessions):
        monkeypatch.setattr(kept, "MOST_KEPT", 3)
    monkeypatch.setattr(captcha, "random_answer", lambda length: "ABCD")
    for _ in range(3):
        ApiClient().get("/captcha.png")
    set_right()
    anonymous.get("/captcha.png")
    assert sign_in(anonymous, captcha="ABCD").status_code == 302


def test_a_use_of_the_future_keeps_no_idle_session(
    set_right: SetRight, alice: User, anonymous: ApiClient, settings: Any, no_captcha: None
) -> None:
    settings.IDLE_MINUTES = 10
    sign_in(anonymous)
    assert anonymous.get("/api/settings").status_code == 200
    set_right()
    assert anonymous.get("/api/settings").status_code == 401


@pytest.mark.engine
def test_a_session_in_memory_begins_after_the_end_of_those_before(set_right: SetRight, alice: User) -> None:
    spare_sessions.end_all_of(alice.pk)
    set_right()
    spare_sessions.keep("key", "content", alice.pk)
    assert spare_sessions.read("key") == "content"


# The schedule


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Supervisor:
    """A supervisor whose children run, and have run for long."""
    monkeypatch.setattr(supervisor, "close_old_connections", lambda: None)
    made = Supervisor(None, say=print)
    made.cluster.started_at = monotonic() - 600
    monkeypatch.setattr(made.cluster, "is_running", lambda: True)
    monkeypatch.setattr(made, "_restart", lambda child, why: pytest.fail(f"the {child.name} {why}"))
    return made


def look(running: Supervisor) -> None:
    """What it does ten seconds after its last look."""
    running._looked_at = monotonic() - 60
    running._look_after_children()


def ticked(time: SetClock) -> None:
    """What a tick leaves behind."""
    tick()
    OrmQ.objects.all().delete()
    Schedule.objects.update(next_run=time.now + timedelta(minutes=1))


def test_the_schedules_begin_anew_without_a_restart(set_right: SetRight, running: Supervisor, time: SetClock) -> None:
    schedules.make()
    ticked(time)
    set_right()
    assert (schedules.are_ahead(), run_start.workers_are_alive()) == (True, False)
    look(running)
    assert not schedules.are_ahead()
    assert [task.func() for task in OrmQ.objects.filter(lock__lte=time.now)] == [schedules.TICK_TASK]
    ticked(time)
    assert run_start.workers_are_alive()


def test_schedules_in_time_stay(running: Supervisor, time: SetClock) -> None:
    schedules.make()
    ticked(time)
    Schedule.objects.filter(name="housekeeping").update(next_run=time.now + timedelta(minutes=10))
    assert not schedules.are_ahead()


# Backups and exports


def test_an_automatic_backup_that_failed_is_tried_again(set_right: SetRight, time: SetClock) -> None:
    automatic.remember_failure(time.now)
    set_right()
    assert (automatic.due(time.now), automatic.failed_since_last()) == (True, None)


def test_a_new_export_stays_beside_those_of_the_future(alice: User) -> None:
    archive(alice, call("r1"))
    folder: Path = settings.DATA_FOLDER.exports / str(alice.pk)
    folder.mkdir(parents=True)
    for number in range(5):
        (folder / f"usage-alice-20990101-00000{number}.csv").touch()
        os.utime(folder / f"usage-alice-20990101-00000{number}.csv", (4_070_000_000 + number,) * 2)
    written = kept_files.write_export(alice, alice.pk)
    assert written.exists()
    assert len(kept_files.exports_of(alice.pk)) == kept_files.KEPT
    kept_files.remove_exports(alice.pk)
