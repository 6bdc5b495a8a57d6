"""The tick serves every slot of every account once: docs/decisions/scheduling.md."""

import pytest

from accounts.models import Setting, User
from collection.models import Run
from collection.runs import runs
from collection.schedule import scheduler
from tests.collection.scheduling import (
    MORNING,
    SCHEDULE,
    STARTUP,
    At,
    berlin,
    configure,
    end_runs,
    marks,
    run_list,
    with_cookie,
)
from tests.standing_clock import SetClock


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
    assert list(Run.objects.order_by("pk").values_list("archive_id", flat=True)) == [alice.pk, bob.pk]
    assert marks(root) == {}


def test_no_slot_is_served_twice(alice: User, at: At) -> None:
    at(MORNING)
    end_runs()
    assert [at(f"2026-09-08 {text}") for text in ("08:00:30", "08:01:00", "08:30:00", "12:29:59")] == [0, 0, 0, 0]


@pytest.mark.engine
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


@pytest.mark.thorough
def test_a_time_that_the_clock_skips_is_served_once_at_the_change(alice: User, time: SetClock) -> None:
    configure(schedule_times="02:30")
    Setting.objects.update(updated_at=berlin("2026-03-28 12:00"))
    assert each_minute(time, "2026-03-29 01:30", 4 * 60) == ["29 01:00"]
    assert each_minute(time, "2026-03-30 01:30", 2 * 60) == ["30 00:30"]


@pytest.mark.thorough
def test_a_time_that_the_clock_repeats_is_served_at_its_first_occurrence(alice: User, time: SetClock) -> None:
    configure(schedule_times="02:30")
    Setting.objects.update(updated_at=berlin("2026-10-24 12:00"))
    assert each_minute(time, "2026-10-25 01:30", 4 * 60) == ["25 00:30"]
    assert each_minute(time, "2026-10-26 01:30", 2 * 60) == ["26 01:30"]


@pytest.mark.engine
@pytest.mark.thorough
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


# One queued run stands for later slots


def test_a_run_that_still_waits_stands_for_the_next_slot(alice: User, at: At) -> None:
    at(MORNING)
    assert at("2026-09-08 12:30:00") == 0
    assert (run_list(), set(marks(alice))) == ([SCHEDULE], {"08:00", "12:30"})


def test_a_run_that_is_under_way_does_not_stand_for_the_next_slot(alice: User, at: At) -> None:
    at(MORNING)
    Run.objects.update(status="running")
    assert at("2026-09-08 12:30:00") == 1


def test_a_run_of_another_account_or_of_a_person_does_not_stand_for_a_slot(alice: User, bob: User, at: At) -> None:
    runs.begin(bob.pk, Run.Trigger.SCHEDULE, queued=True)
    runs.begin(alice.pk, Run.Trigger.MANUAL, queued=True)
    assert at(MORNING) == 1
