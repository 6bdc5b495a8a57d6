"""Changes of the schedule, and what is owed after them: docs/decisions/scheduling.md."""

import pytest
from django.utils import timezone

from accounts.models import INSTANCE, Setting, User
from collection.models import Heartbeat
from tests.collection.scheduling import MORNING, At, berlin, configure, end_runs, marks, with_cookie
from tests.standing_clock import SetClock


@pytest.fixture
def alice(alice: User, time: SetClock) -> User:
    """With a cookie since the early morning, and the default times: 08:00, 12:30, 18:00 and 23:50."""
    time.now = berlin("2026-09-08 06:00:00")
    return with_cookie(alice)


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
def test_nothing_is_owed_from_before_it_went_back_to_the_default(
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
