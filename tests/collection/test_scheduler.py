"""The tick serves every slot of every account once: docs/decisions.md#scheduler."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from django.conf import settings
from django.utils import timezone
from django_q.models import OrmQ

from accounts import config, credential
from accounts.models import INSTANCE, Setting, User
from collection import lease, runs, tasks
from collection.models import Heartbeat, Run
from collection.schedule import scheduler
from tests.collection.collector_run import SetClock
from tests.collection.running_instance import Instance
from tests.collection.scheduling import berlin, configure, end_runs, marks, queued_tasks, run_list, with_cookie
from tests.concurrency import together

At = Callable[..., int]
SCHEDULE, STARTUP = ("schedule", "queued"), ("startup", "queued")
MORNING = "2026-09-08 08:00:30"
TICK = """
import django
django.setup()
from collection.schedule import scheduler
print(scheduler.queue_due_runs())
"""


@pytest.fixture
def at(time: SetClock) -> At:
    """Run the tick at a time by the wall clock of Berlin; return the number of runs that it queued."""

    def tick_at(text: str, fold: int = 0) -> int:
        time.now = berlin(text, fold)
        return scheduler.queue_due_runs()

    return tick_at


@pytest.fixture
def alice(alice: User, time: SetClock) -> User:
    """With a cookie since the early morning, and the default times: 08:00, 12:30, 18:00 and 23:50."""
    time.now = berlin("2026-09-08 06:00:00")
    return with_cookie(alice)


def each_minute(time: SetClock, start: str, minutes: int) -> list[str]:
    """Tick each minute from `start` on; the times in UTC at which a run was queued (and ended)."""
    time.now, found = berlin(start), []
    for _ in range(minutes):
        if scheduler.queue_due_runs():
            found.append(f"{time.now:%d %H:%M}")
            end_runs()
        time.pass_by(minutes=1)
    return found


# A slot that is due


def test_before_its_time_no_slot_is_served(alice: User, at: At) -> None:
    assert at("2026-09-08 07:59:59") == 0
    assert (run_list(), marks(alice)) == ([], {})


def test_a_slot_that_is_due_queues_a_run_and_is_marked_with_its_day(alice: User, at: At) -> None:
    assert at(MORNING) == 1
    assert run_list(alice) == [SCHEDULE]
    assert marks(alice) == {"08:00": "2026-09-08"}


def test_the_run_gets_its_window_when_it_starts(alice: User, at: At) -> None:
    at(MORNING)
    run = Run.objects.get()
    assert (run.win_from, run.win_to, run.started_at) == (None, None, None)


def test_every_account_with_a_cookie_gets_a_run(alice: User, bob: User, root: User, at: At) -> None:
    with_cookie(bob)
    assert at(MORNING) == 2
    assert list(Run.objects.values_list("user_id", flat=True)) == [alice.pk, bob.pk]
    assert marks(root) == {}


def test_no_slot_is_served_twice(alice: User, at: At) -> None:
    at(MORNING)
    end_runs()
    assert [at(f"2026-09-08 {text}") for text in ("08:00:30", "08:01:00", "08:30:00", "12:29:59")] == [0, 0, 0, 0]


def test_ticks_all_day_long_bring_each_slot_once(alice: User, time: SetClock) -> None:
    configure(schedule_times="07:00,07:01,09:30")
    assert each_minute(time, "2026-09-08 06:50", 3 * 60) == ["08 05:00", "08 05:01", "08 07:30"]
    assert each_minute(time, "2026-09-08 23:50", 20) == []
    assert each_minute(time, "2026-09-09 06:50", 20) == ["09 05:00", "09 05:01"]
    assert set(Run.objects.values_list("trigger", flat=True)) == {"schedule"}


def test_a_slot_before_midnight_that_is_seen_after_it_is_yesterdays(alice: User, at: At) -> None:
    configure(schedule_times="23:59")
    assert at("2026-09-09 00:00:40") == 1
    assert marks(alice) == {"23:59": "2026-09-08"}
    assert at("2026-09-09 23:59:10") == 0, "the queued run stands for it"
    assert marks(alice) == {"23:59": "2026-09-09"}


# Late


def test_within_the_tolerance_and_two_minutes_a_slot_is_on_time(alice: User, at: At) -> None:
    at("2026-09-08 08:12:00")
    assert run_list() == [SCHEDULE]


def test_a_slot_seen_later_is_caught_up(alice: User, at: At) -> None:
    at("2026-09-08 08:12:01")
    assert run_list() == [STARTUP]


def test_one_run_stands_for_all_slots_that_were_missed(alice: User, at: At) -> None:
    configure(catch_up_grace_hours=24)
    assert at("2026-09-08 19:00:00") == 1
    assert run_list() == [STARTUP]
    assert marks(alice) == dict.fromkeys(["08:00", "12:30", "18:00"], "2026-09-08")
    end_runs()
    assert at("2026-09-08 19:01:00") == 0


def test_after_days_without_a_tick_there_is_one_run(alice: User, at: At) -> None:
    at(MORNING)
    end_runs()
    assert at("2026-09-18 11:00:00") == 1
    assert run_list()[1:] == [STARTUP]
    assert marks(alice) == {
        "08:00": "2026-09-18", "12:30": "2026-09-17", "18:00": "2026-09-17", "23:50": "2026-09-17"
    }  # fmt: skip


def test_what_is_too_late_is_marked_without_a_run(alice: User, at: At) -> None:
    configure(schedule_times="08:00")
    assert at("2026-09-08 14:00:01") == 0
    assert (run_list(), marks(alice)) == ([], {"08:00": "2026-09-08"})
    configure(catch_up_grace_hours=24)
    assert at("2026-09-08 14:01:00") == 0, "it was given up"
    assert at("2026-09-09 08:00:00") == 1


def test_without_catching_up_the_next_slot_is_served_again(alice: User, at: At) -> None:
    configure(catch_up=0)
    assert at("2026-09-08 09:00:00") == 0
    assert marks(alice) == {"08:00": "2026-09-08"}
    assert at("2026-09-08 12:30:00") == 1
    assert run_list() == [SCHEDULE]


# The clock changes


def test_a_time_that_the_clock_skips_is_served_once_at_the_change(alice: User, time: SetClock) -> None:
    configure(schedule_times="02:30")
    Setting.objects.update(updated_at=berlin("2026-03-28 12:00"))
    assert each_minute(time, "2026-03-29 01:30", 4 * 60) == ["29 01:00"]
    assert each_minute(time, "2026-03-30 01:30", 2 * 60) == ["30 00:30"]


def test_a_time_that_the_clock_repeats_is_served_at_its_first_occurrence(alice: User, time: SetClock) -> None:
    configure(schedule_times="02:30")
    Setting.objects.update(updated_at=berlin("2026-10-24 12:00"))
    assert each_minute(time, "2026-10-25 01:30", 4 * 60) == ["25 00:30"]
    assert each_minute(time, "2026-10-26 01:30", 2 * 60) == ["26 01:30"]


def test_times_that_are_skipped_together_are_one_run(alice: User, time: SetClock) -> None:
    configure(schedule_times="02:00,02:30,03:00")
    Setting.objects.update(updated_at=berlin("2026-03-28 12:00"))
    assert each_minute(time, "2026-03-29 01:30", 3 * 60) == ["29 01:00"]
    assert marks(alice) == dict.fromkeys(["02:00", "02:30", "03:00"], "2026-03-29")


def test_a_slot_of_the_repeated_hour_is_not_served_again_after_a_gap(alice: User, at: At) -> None:
    configure(schedule_times="02:30")
    at("2026-10-25 02:30:10")
    end_runs()
    assert at("2026-10-25 02:30:10", fold=1) == 0


def test_lateness_counts_the_minutes_that_passed_and_not_the_clocks(alice: User, at: At) -> None:
    configure(schedule_times="02:30", catch_up_grace_hours=1)
    assert at("2026-10-25 02:31:00", fold=1) == 0, "an hour and a minute too late"


# The schedule


def test_marks_of_times_that_are_gone_are_removed_for_all(alice: User, bob: User, at: At) -> None:
    with_cookie(bob)
    at("2026-09-08 12:31:00")
    configure(schedule_times="12:30,20:00")
    assert marks(alice) == marks(bob) == {"12:30": "2026-09-08"}


def test_when_the_cap_changes_so_are_they(alice: User, at: At) -> None:
    Setting.objects.create(user_id=alice.pk, key="slot:03:33", value="2026-09-07", updated_at=timezone.now())
    configure(max_schedule_slots_per_day=4)
    assert marks(alice) == {}


def test_a_time_that_stays_is_not_served_again_after_a_change(alice: User, at: At) -> None:
    at(MORNING)
    end_runs()
    configure(schedule_times="08:00,20:00")
    assert at("2026-09-08 08:01:00") == 0
    assert at("2026-09-08 20:00:00") == 1


def test_nothing_is_owed_from_before_the_timetable_was_set(alice: User, at: At, time: SetClock) -> None:
    time.now = berlin("2026-09-08 10:00")
    configure(schedule_times="09:59,10:00,10:01")
    assert at("2026-09-08 10:00:30") == 1
    assert marks(alice) == {"10:00": "2026-09-08"}


def test_while_the_schedule_is_off_only_the_heart_beats(alice: User, at: At) -> None:
    configure(schedule_enabled=0)
    assert at(MORNING) == 0
    assert marks(alice) == {}
    assert Heartbeat.objects.get().at == berlin(MORNING)


def test_nothing_is_owed_from_while_it_was_off(alice: User, at: At, time: SetClock) -> None:
    configure(schedule_enabled=0)
    time.now = berlin("2026-09-08 08:01")
    configure(schedule_enabled=1)
    assert at("2026-09-08 08:01:30") == 0
    assert at("2026-09-08 12:30:00") == 1


@pytest.mark.parametrize(("key", "before"), [("schedule_enabled", "0"), ("schedule_times", "20:00")])
def test_nor_from_before_it_went_back_to_the_default(
    alice: User, at: At, time: SetClock, key: str, before: str
) -> None:
    configure(**{key: before})
    time.now = berlin("2026-09-08 08:01")
    configure(**{key: ""})
    assert at("2026-09-08 08:01:30") == 0
    assert at("2026-09-08 12:30:00") == 1


@pytest.mark.parametrize("times", ["07:00,09:00", ""])
def test_a_timetable_that_is_stored_as_it_was_takes_nothing_away(
    alice: User, at: At, time: SetClock, times: str
) -> None:
    configure(schedule_times=times, schedule_enabled=1)
    time.now = berlin("2026-09-08 09:01")
    configure(schedule_times=times, schedule_enabled=1)
    assert at("2026-09-08 09:01:30") == 1


# The cookie


def test_nothing_is_owed_from_before_the_cookie_was_set(alice: User, bob: User, at: At, time: SetClock) -> None:
    time.now = berlin("2026-09-08 08:00:10")
    with_cookie(bob)
    assert at(MORNING) == 1
    assert (len(run_list(alice)), run_list(bob), marks(bob)) == (1, [], {})
    assert at("2026-09-08 12:30:00") == 1
    assert run_list(bob) == [SCHEDULE]


def test_a_broken_cookie_is_not_tried_and_a_new_one_owes_nothing(
    alice: User, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Fernet(Fernet.generate_key()).encrypt(b"session=x").decode()
    Setting.objects.filter(user_id=alice.pk, key="cookie").update(value=other)
    assert credential.state(alice.pk).broken
    assert at(MORNING) == 0
    assert (run_list(), marks(alice)["08:00"]) == ([], "2026-09-08")
    with_cookie(alice)
    assert at("2026-09-08 08:01:00") == 0
    assert at("2026-09-08 12:30:00") == 1


def test_without_a_cookie_there_is_no_run(alice: User, at: At) -> None:
    credential.clear(alice.pk)
    assert at(MORNING) == 0


def days_tried(at: At, *, days: int = 3, exit_code: int = 4) -> list[str]:
    """Tick at every slot of a number of days, each run ending with this exit code; the times of queued runs."""
    tried = []
    for day in range(8, 8 + days):
        for text in ("08:00", "12:30", "18:00", "23:50"):
            if at(f"2026-09-{day:02} {text}"):
                tried.append(f"{day:02} {text}")
                end_runs(exit_code)
    return tried


def test_an_expired_cookie_is_tried_once_a_day(alice: User, at: At) -> None:
    assert days_tried(at) == ["08 08:00", "09 08:00", "10 08:00"]
    assert marks(alice) == dict.fromkeys(["08:00", "12:30", "18:00", "23:50"], "2026-09-10")


def test_other_failures_do_not_make_it_rarer(alice: User, at: At) -> None:
    assert len(days_tried(at, days=2, exit_code=5)) == 8
    assert len(run_list()) == 8


def test_a_cookie_that_expires_at_noon_is_tried_the_next_morning(alice: User, at: At) -> None:
    at(MORNING)
    end_runs()
    at("2026-09-08 12:30:00")
    end_runs(4)
    assert (at("2026-09-08 18:00:00"), at("2026-09-08 23:50:00"), at("2026-09-09 08:00:00")) == (0, 0, 1)


def test_any_success_lifts_that(alice: User, at: At) -> None:
    at(MORNING)
    end_runs(4)
    run = runs.begin(alice.pk, Run.Trigger.MANUAL)
    Run.objects.filter(pk=run.pk).update(status="ok", exit_code=0)
    assert at("2026-09-08 12:30:00") == 1


@pytest.mark.parametrize("exit_code", [1, 5, 6])
def test_no_failure_lifts_it(alice: User, at: At, exit_code: int) -> None:
    at(MORNING)
    end_runs(4)
    run = runs.begin(alice.pk, Run.Trigger.MANUAL)
    Run.objects.filter(pk=run.pk).update(status="failed", exit_code=exit_code)
    assert at("2026-09-08 12:30:00") == 0


def test_a_new_cookie_lifts_it(alice: User, at: At, time: SetClock) -> None:
    at(MORNING)
    end_runs(4)
    time.pass_by(hours=1)
    with_cookie(alice)
    assert not scheduler.cookie_is_refused(alice.pk)
    assert at("2026-09-08 12:30:00") == 1


def test_a_cookie_set_while_the_old_one_was_tried_is_not_refused(alice: User, at: At, time: SetClock) -> None:
    at(MORNING)
    end_runs(4)
    time.pass_by(seconds=1)
    with_cookie(alice)
    assert not scheduler.cookie_is_refused(alice.pk)


def test_one_accounts_expired_cookie_is_its_own(alice: User, bob: User, at: At) -> None:
    with_cookie(bob)
    at(MORNING)
    Run.objects.filter(user_id=alice.pk).update(status="failed", exit_code=4, started_at=berlin(MORNING))
    Run.objects.filter(user_id=bob.pk).update(status="ok", exit_code=0, started_at=berlin(MORNING))
    at("2026-09-08 12:30:00")
    assert (len(run_list(alice)), len(run_list(bob))) == (1, 2)


# Accounts


def test_a_disabled_account_gets_no_run(alice: User, at: At) -> None:
    User.objects.update(status=User.DISABLED)
    assert at(MORNING) == 0
    assert (run_list(), marks(alice)) == ([], {})


def test_an_account_that_is_active_again_catches_up_what_is_not_too_late(alice: User, at: At) -> None:
    User.objects.update(status=User.DISABLED)
    at("2026-09-10 08:00:30")
    User.objects.update(status=User.ACTIVE)
    assert at("2026-09-10 09:00:00") == 1
    assert run_list() == [STARTUP]


def test_what_is_kept_of_a_deleted_account_gets_no_run(alice: User, at: At) -> None:
    with_cookie(alice)
    User.objects.filter(pk=alice.pk).delete()
    assert at(MORNING) == 0


def test_a_mark_that_cannot_be_read_stops_nobody(alice: User, bob: User, at: At) -> None:
    with_cookie(bob)
    Setting.objects.create(user_id=alice.pk, key="slot:08:00", value="yesterday", updated_at=berlin(MORNING))
    assert at(MORNING) == 2
    assert marks(alice) == {"08:00": "2026-09-08"}


# One queued run stands for later slots


def test_a_run_that_still_waits_stands_for_the_next_slot(alice: User, at: At) -> None:
    at(MORNING)
    assert at("2026-09-08 12:30:00") == 0
    assert (run_list(), set(marks(alice))) == ([SCHEDULE], {"08:00", "12:30"})


def test_a_run_that_is_under_way_does_not(alice: User, at: At) -> None:
    at(MORNING)
    Run.objects.update(status="running")
    assert at("2026-09-08 12:30:00") == 1


def test_nor_does_another_accounts_or_one_of_a_person(alice: User, bob: User, at: At) -> None:
    runs.begin(bob.pk, Run.Trigger.SCHEDULE, queued=True)
    runs.begin(alice.pk, Run.Trigger.MANUAL, queued=True)
    assert at(MORNING) == 1


# Several at once


@pytest.mark.django_db(transaction=True)
def test_ticks_at_the_same_moment_queue_a_slot_once(alice: User, time: SetClock) -> None:
    time.now = berlin(MORNING)
    assert sorted(together(*[scheduler.queue_due_runs] * 6)) == [0, 0, 0, 0, 0, 1]
    assert run_list() == [SCHEDULE]
    assert Heartbeat.objects.count() == 1


def test_so_do_ticks_of_several_processes(instance: Instance) -> None:
    instance.use_cookie("http://127.0.0.1:9", "session=0123456789abcdef", schedule_times=every_minute())
    with ThreadPoolExecutor(3) as pool:
        counts = list(pool.map(instance.python, [TICK] * 3))
    assert sorted(map(int, counts)) == [0, 0, 1]
    assert instance.sql("SELECT trigger, status FROM collection_run") == [("schedule", "queued")]


def every_minute() -> str:
    """A schedule with a slot that has just fallen due, at any time of day."""
    now = timezone.localtime()
    return ",".join(sorted({f"{now - timedelta(minutes=back):%H:%M}" for back in range(5)}))


@pytest.mark.django_db(transaction=True)
def test_a_tick_that_dies_leaves_neither_mark_nor_run(
    alice: User, bob: User, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_cookie(bob)
    begin = runs.begin

    def dying(user_id: int, *arguments: object, **options: object) -> Run:
        if user_id == bob.pk:
            raise SystemExit
        return begin(user_id, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(runs, "begin", dying)
    with pytest.raises(SystemExit):
        at(MORNING)
    assert (run_list(), marks(alice), marks(bob)) == ([], {}, {})
    monkeypatch.undo()
    scheduler.queue_due_runs()


# The queue's task


@pytest.fixture
def ticking(alice: User, time: SetClock, monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """The queue goes by the clock of the test, at which a slot is due."""
    monkeypatch.setattr(timezone, "now", lambda: time.now)
    time.now = berlin(MORNING)
    return time


def test_the_tick_leaves_the_work_to_another_task(ticking: SetClock) -> None:
    tasks.run_due_collections()
    assert (run_list(), queued_tasks()) == ([SCHEDULE], [tasks.WORK_OFF])


def test_while_that_task_waits_there_is_no_second(ticking: SetClock) -> None:
    tasks.run_due_collections()
    ticking.pass_by(minutes=1)
    tasks.run_due_collections()
    assert queued_tasks() == [tasks.WORK_OFF]


def test_a_task_whose_worker_died_is_replaced(ticking: SetClock) -> None:
    tasks.run_due_collections()
    OrmQ.objects.update(lock=ticking.now + timedelta(seconds=settings.DELIVERED_FOR))
    ticking.pass_by(minutes=1)
    tasks.run_due_collections()
    assert queued_tasks() == [tasks.WORK_OFF] * 2


def test_while_something_collects_the_task_is_not_queued(ticking: SetClock) -> None:
    token = lease.take()
    tasks.run_due_collections()
    assert (run_list(), queued_tasks()) == ([SCHEDULE], [])
    assert token
    lease.release(token)
    tasks.run_due_collections()
    assert queued_tasks() == [tasks.WORK_OFF]


def test_with_nothing_to_do_nothing_is_queued(ticking: SetClock) -> None:
    ticking.now = berlin("2026-09-08 07:00")
    tasks.run_due_collections()
    assert queued_tasks() == []


def test_a_run_that_waits_in_vain_is_worked_off_however_late(ticking: SetClock) -> None:
    tasks.run_due_collections()
    OrmQ.objects.all().delete()
    ticking.pass_by(days=3)
    tasks.run_due_collections()
    assert (run_list()[0], queued_tasks()) == (SCHEDULE, [tasks.WORK_OFF])


def test_the_instance_itself_has_no_marks(alice: User, at: At) -> None:
    at(MORNING)
    assert not Setting.objects.filter(user_id=INSTANCE, key__startswith="slot:").exists()


# A clock that ran ahead and was corrected


def test_a_marker_of_a_day_to_come_keeps_no_slot_waiting(alice: User, at: At) -> None:
    Setting.objects.create(user_id=alice.pk, key="slot:08:00", value="2030-01-01", updated_at=berlin(MORNING))
    assert at(MORNING) == 1
    assert marks(alice) == {"08:00": "2026-09-08"}


def test_settings_of_a_moment_to_come_keep_no_slot_waiting(alice: User, at: At) -> None:
    later = berlin("2030-01-01 00:00:00")
    Setting.objects.create(user_id=INSTANCE, key="schedule_enabled", value="1", updated_at=later)
    Setting.objects.filter(user_id=alice.pk, key="cookie").update(updated_at=later)
    assert at(MORNING) == 1


# Concurrent changes


def test_a_slot_that_is_due_stays_owed_when_another_time_is_added(alice: User, time: SetClock, at: At) -> None:
    at(MORNING)
    at("2026-09-08 12:30:30")
    end_runs()
    time.now = berlin("2026-09-09 12:30:10")
    configure(schedule_times="08:00,12:30,20:00")
    assert at("2026-09-09 12:31:00") == 1


def test_to_store_what_was_the_default_all_along_changes_nothing(alice: User, time: SetClock, at: At) -> None:
    time.now = berlin("2026-09-08 08:00:10")
    configure(schedule_enabled="1")
    assert not Setting.objects.filter(key="schedule_enabled").exists()
    assert at(MORNING) == 1


def test_another_user_agent_is_worth_another_try(alice: User, time: SetClock, at: At) -> None:
    at(MORNING)
    end_runs(exit_code=4)
    assert scheduler.cookie_is_refused(alice.pk)
    time.now = berlin("2026-09-08 09:00:00")
    config.write({"user_agent": "Mozilla/5.0 (another)"}, user_id=alice.pk, may_edit_instance=False)
    assert not scheduler.cookie_is_refused(alice.pk)
    assert at("2026-09-08 12:30:30") == 1
