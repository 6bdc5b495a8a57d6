"""Which slots are due, and which run covers them: pure rules over times and days.

The rules: docs/decisions/scheduling.md#slots.
"""

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from accounts import config
from accounts.config import InstanceSettings
from collection.schedule.missed_slots import Slot, owed, past_slots, trigger_for
from tests.collection.scheduling import berlin

NOON = berlin("2026-09-08 12:00:00")
GRACE = timedelta(hours=6)
LONG_AGO = berlin("2020-01-01 00:00:00")


def past(now: datetime, *times: str, grace: timedelta = GRACE) -> list[tuple[str, str]]:
    return [(slot.text, f"{slot.day:%m-%d}") for slot in past_slots(times, now, grace)]


def slot(text: str, day: str = "2026-09-08") -> Slot:
    return Slot(text, date.fromisoformat(day), berlin(f"{day} {text}:00"))


# Which occurrences have passed


def test_of_each_time_the_newest_occurrence_counts_however_long_ago() -> None:
    assert past(NOON, "08:00", "18:00") == [("18:00", "09-07"), ("08:00", "09-08")]


def test_a_slot_has_passed_at_the_instant_at_which_it_is_due() -> None:
    assert past(berlin("2026-09-08 08:00:00"), "08:00") == [("08:00", "09-08")]
    assert past(berlin("2026-09-08 07:59:59.999999"), "08:00") == [("08:00", "09-07")]


def test_older_occurrences_count_as_long_as_they_may_be_caught_up() -> None:
    assert past(NOON, "12:00", grace=timedelta(hours=48)) == [
        ("12:00", "09-06"),
        ("12:00", "09-07"),
        ("12:00", "09-08"),
    ]
    assert past(NOON, "12:00", grace=timedelta(hours=47)) == [("12:00", "09-07"), ("12:00", "09-08")]


def test_without_times_nothing_has_passed() -> None:
    assert past(NOON) == []


def test_a_slot_of_yesterday_evening_is_yesterdays() -> None:
    assert past(berlin("2026-09-09 00:10:00"), "23:50", "00:00") == [("23:50", "09-08"), ("00:00", "09-09")]


def test_a_time_that_the_clock_skips_has_passed_at_the_change() -> None:
    change = berlin("2026-03-29 03:00:00")
    assert past(change - timedelta(seconds=1), "02:30") == [("02:30", "03-28")]
    assert past(change, "02:30") == [("02:30", "03-29")]


def test_a_time_that_the_clock_repeats_has_passed_at_its_first_occurrence() -> None:
    assert past(berlin("2026-10-25 02:29:59"), "02:30") == [("02:30", "10-24")]
    assert past(berlin("2026-10-25 02:30:00"), "02:30") == [("02:30", "10-25")]
    assert past(berlin("2026-10-25 02:30:00", fold=1), "02:30") == [("02:30", "10-25")]


# Which of them are due


def test_what_was_never_marked_is_owed() -> None:
    assert owed([slot("08:00")], {}, LONG_AGO, LONG_AGO) == [slot("08:00")]


@pytest.mark.parametrize(("mark", "is_owed"), [("2026-09-07", True), ("2026-09-08", False), ("2026-09-09", False)])
def test_a_mark_holds_for_its_day_and_those_before(mark: str, is_owed: bool) -> None:
    assert bool(owed([slot("08:00")], {"08:00": date.fromisoformat(mark)}, LONG_AGO, LONG_AGO)) is is_owed


def test_a_mark_is_of_its_own_time_only() -> None:
    assert owed([slot("08:00"), slot("12:30")], {"12:30": date(2026, 9, 8)}, LONG_AGO, LONG_AGO) == [slot("08:00")]


def test_nothing_is_owed_from_before_the_beginning() -> None:
    due = slot("08:00").due
    assert owed([slot("08:00")], {}, due + timedelta(microseconds=1), LONG_AGO) == []
    assert owed([slot("08:00")], {}, due, LONG_AGO) == [slot("08:00")]


def test_a_time_that_stays_keeps_its_debt_when_the_times_change() -> None:
    due, marks = slot("08:00").due, {"08:00": date(2026, 9, 7)}
    changed = due + timedelta(seconds=30)
    assert owed([slot("08:00")], marks, LONG_AGO, changed) == [slot("08:00")]
    assert owed([slot("08:00")], {}, LONG_AGO, changed) == []


# Which run stands for them


@pytest.fixture
def settings(db: None) -> InstanceSettings:
    """The defaults: ten minutes of tolerance, six hours of grace, and 08:00 the first time of the day."""
    return config.instance_settings()


def trigger(settings: InstanceSettings, *slots: Slot, after: timedelta, refused: bool = False) -> str | None:
    """The run for some slots, a time after the newest of them."""
    return trigger_for(slots, slots[-1].due + after, settings, is_refused=refused)


@pytest.mark.parametrize(
    ("tolerance", "seconds", "expected"),
    [
        (10, 0, "schedule"),
        (10, 12 * 60, "schedule"),
        (10, 12 * 60 + 1, "startup"),
        (0, 2 * 60, "schedule"),
        (0, 2 * 60 + 1, "startup"),
        (120, 122 * 60, "schedule"),
        (10, 6 * 3600, "startup"),
        (10, 6 * 3600 + 1, None),
    ],
)
def test_a_slot_is_on_time_caught_up_or_too_late(
    settings: InstanceSettings, tolerance: int, seconds: int, expected: str | None
) -> None:
    settings = replace(settings, drift_tolerance_minutes=tolerance)
    assert trigger(settings, slot("08:00"), after=timedelta(seconds=seconds)) == expected


def test_a_slot_within_the_tolerance_is_on_time_though_the_grace_is_shorter(settings: InstanceSettings) -> None:
    settings = replace(settings, drift_tolerance_minutes=120, catch_up_grace_hours=1)
    assert trigger(settings, slot("08:00"), after=timedelta(minutes=100)) == "schedule"


@pytest.mark.parametrize(("minutes", "expected"), [(12, "schedule"), (13, None)])
def test_without_catching_up_what_is_late_is_left(
    settings: InstanceSettings, minutes: int, expected: str | None
) -> None:
    settings = replace(settings, catch_up=False)
    assert trigger(settings, slot("08:00"), after=timedelta(minutes=minutes)) == expected


def test_a_slot_that_is_due_stands_for_those_that_were_missed(settings: InstanceSettings) -> None:
    assert trigger(settings, slot("08:00"), slot("12:30"), after=timedelta(0)) == "schedule"


def test_one_that_may_be_caught_up_is_enough(settings: InstanceSettings) -> None:
    assert trigger(settings, slot("08:00", "2026-09-01"), slot("08:00"), after=timedelta(hours=1)) == "startup"


@pytest.mark.parametrize(("text", "expected"), [("08:00", "schedule"), ("12:30", None), ("23:50", None)])
def test_a_refused_cookie_is_tried_at_the_first_slot_of_a_day_only(
    settings: InstanceSettings, text: str, expected: str | None
) -> None:
    assert trigger(settings, slot(text), after=timedelta(0), refused=True) == expected


def test_a_refused_cookie_is_tried_late_where_the_first_slot_was_missed(settings: InstanceSettings) -> None:
    slots = [slot("08:00"), slot("12:30")]
    assert trigger(settings, *slots, after=timedelta(0), refused=True) == "startup"
    assert trigger(settings, *slots, after=timedelta(hours=2), refused=True) is None
