"""When the next collection is due: across midnight and both clock changes.

The rules: docs/decisions/scheduling.md#clock-changes.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import override_settings

from collection.schedule.times_of_day import due_at, next_run

MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def zone(request: pytest.FixtureRequest) -> Iterator[ZoneInfo]:
    """The server's zone: Europe/Berlin where a test names no other."""
    name = getattr(request, "param", "Europe/Berlin")
    with override_settings(TIME_ZONE=name):
        yield ZoneInfo(name)


def berlin(text: str, fold: int = 0) -> datetime:
    """An instant by the wall clock of Berlin; `fold` 1 is the second time round."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Berlin"), fold=fold).astimezone(UTC)


def following(after: str, *times: str, fold: int = 0) -> str:
    """When the first of the times after an instant is due, as UTC."""
    due = next_run(list(times), berlin(after, fold))
    assert due is not None
    return due.astimezone(UTC).strftime("%m-%d %H:%M:%S")


def test_without_times_nothing_is_due() -> None:
    assert next_run([], berlin("2026-09-08 12:00")) is None


@pytest.mark.parametrize(
    ("after", "due"),
    [
        ("2026-09-08 00:00:00", "09-08 06:00:00"),
        ("2026-09-08 07:59:59.999999", "09-08 06:00:00"),
        ("2026-09-08 08:00:00", "09-08 16:00:00"),
        ("2026-09-08 08:00:00.000001", "09-08 16:00:00"),
        ("2026-09-08 18:00:00", "09-09 06:00:00"),
        ("2026-09-08 23:59:59", "09-09 06:00:00"),
        ("2026-12-31 18:00:01", "01-01 07:00:00"),
    ],
)
def test_it_is_the_first_time_strictly_after(after: str, due: str) -> None:
    assert following(after, "08:00", "18:00") == due


def test_the_times_may_come_in_any_order() -> None:
    assert following("2026-09-08 12:00", "23:50", "08:00", "18:00") == "09-08 16:00:00"


@pytest.mark.parametrize(
    ("after", "due"),
    [
        ("2026-09-08 23:58:59", "09-08 21:59:00"),
        ("2026-09-08 23:59:00", "09-08 22:00:00"),
        ("2026-09-09 00:00:00", "09-09 21:59:00"),
        # The day in UTC is still the one before.
        ("2026-09-09 01:00:00", "09-09 21:59:00"),
    ],
)
def test_it_goes_on_through_midnight(after: str, due: str) -> None:
    assert following(after, "00:00", "23:59") == due


# Spring: at 02:00 the clock goes to 03:00, which is 01:00 in UTC.


@pytest.mark.parametrize("skipped", ["02:00", "02:01", "02:30", "02:59"])
def test_a_time_that_the_clock_skips_is_due_at_the_change(skipped: str) -> None:
    assert following("2026-03-29 00:00", skipped) == "03-29 01:00:00"


def test_a_skipped_time_is_due_once() -> None:
    assert following("2026-03-29 03:00", "02:30") == "03-30 00:30:00"


@pytest.mark.parametrize(
    ("time", "due"), [("01:59", "00:59"), ("03:00", "01:00"), ("03:01", "01:01"), ("08:00", "06:00")]
)
def test_around_the_spring_change_times_keep_to_the_wall_clock(time: str, due: str) -> None:
    assert following("2026-03-28 23:59", time) == f"03-29 {due}:00"


def test_a_night_without_an_hour_still_leads_to_the_next_morning() -> None:
    assert following("2026-03-28 08:00", "08:00") == "03-29 06:00:00"


# Autumn: at 03:00 the clock goes back to 02:00, which is 01:00 in UTC.


@pytest.mark.parametrize(
    ("time", "due"), [("02:00", "00:00"), ("02:30", "00:30"), ("02:59", "00:59"), ("03:00", "02:00")]
)
def test_a_time_that_the_clock_repeats_is_due_at_its_first_occurrence(time: str, due: str) -> None:
    assert following("2026-10-25 00:00", time) == f"10-25 {due}:00"


@pytest.mark.parametrize(("after", "fold"), [("2026-10-25 02:30", 0), ("2026-10-25 02:10", 1), ("2026-10-25 02:30", 1)])
def test_a_repeated_time_is_not_due_again(after: str, fold: int) -> None:
    assert following(after, "02:30", fold=fold) == "10-26 01:30:00"


def test_within_the_repeated_hour_the_next_time_is_found() -> None:
    assert following("2026-10-25 02:10", "02:30", "03:00", fold=1) == "10-25 02:00:00"


# Everywhere: due is the first minute of the day at which the wall clock has reached the time.

CHANGES = {
    "Europe/Berlin": ["2026-03-29", "2026-10-25"],
    "America/New_York": ["2026-03-08", "2026-11-01"],
    "America/Santiago": ["2026-09-06", "2026-04-04"],  # at midnight
    "Australia/Lord_Howe": ["2026-10-04", "2026-04-05"],  # half an hour
    "America/St_Johns": ["2006-04-02", "2006-10-29"],  # at one minute past midnight
    "Asia/Kathmandu": ["2026-09-08"],
    "UTC": ["2026-09-08"],
}


def first_minutes(zone: ZoneInfo, day: date) -> dict[str, datetime]:
    """For each HH:MM the first minute of a day at or after which the wall clock shows it, found minute by minute."""
    start = datetime.combine(day, datetime.min.time(), UTC) - timedelta(days=1)
    minutes = [start + MINUTE * number for number in range(3 * 24 * 60)]
    walls = [(minute.astimezone(zone), minute) for minute in minutes]
    found: dict[str, datetime] = {}
    reached = -1
    for wall, minute in walls:
        if wall.date() == day:
            for passed in range(reached + 1, wall.hour * 60 + wall.minute + 1):
                found[f"{passed // 60:02}:{passed % 60:02}"] = minute
            reached = max(reached, wall.hour * 60 + wall.minute)
    return found


@pytest.mark.parametrize("zone", CHANGES, indirect=True)
def test_every_minute_of_a_change_is_due_when_the_wall_clock_first_reaches_it(zone: ZoneInfo) -> None:
    for day in map(date.fromisoformat, CHANGES[zone.key]):
        expected = first_minutes(zone, day)
        assert {text: due_at(day, text) for text in expected} == expected


@pytest.mark.parametrize("zone", ["Europe/Berlin"], indirect=True)
@pytest.mark.parametrize("start", ["2026-03-27", "2026-10-23"])
def test_from_due_time_to_due_time_each_day_has_each_time_once(zone: ZoneInfo, start: str) -> None:
    times = ["00:00", "02:00", "02:30", "02:59", "03:00", "23:59"]
    days = [date.fromisoformat(start) + timedelta(days=number) for number in range(5)]
    now, seen = berlin(f"{start} 00:00") - MINUTE, []
    while (due := next_run(times, now)) and due.astimezone(zone).date() <= days[-1]:
        seen.append(due)
        now = due
    # Times that fall on one instant, as all that the clock skips do, are due together.
    assert seen == sorted({due_at(day, text) for day in days for text in times})
