"""The spans of time that a run asks for."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from archive_site.lib import clock
from collection.windows import SECOND, TimeWindow, days_window, last_closed_days, whole_days, windows
from tests.standing_clock import SetClock

BERLIN = ZoneInfo("Europe/Berlin")


def berlin(*moment: int) -> datetime:
    return datetime(*moment, tzinfo=BERLIN)  # type: ignore[misc,arg-type]


def texts(found: list[TimeWindow]) -> list[str]:
    return [str(window.words) for window in found]


def test_windows_are_seven_days_of_the_servers_calendar_oldest_first() -> None:
    assert texts(list(windows(berlin(2026, 6, 1), berlin(2026, 6, 20, 12), 7))) == [
        "2026-06-01 00:00:00 to 2026-06-07 23:59:59",
        "2026-06-08 00:00:00 to 2026-06-14 23:59:59",
        "2026-06-15 00:00:00 to 2026-06-20 12:00:00",
    ]


def test_a_window_begins_where_the_span_begins() -> None:
    (only,) = windows(berlin(2026, 6, 1, 21), berlin(2026, 6, 2, 9), 7)
    assert str(only.words) == "2026-06-01 21:00:00 to 2026-06-02 09:00:00"


def test_a_span_of_one_instant_is_one_window() -> None:
    (only,) = windows(berlin(2026, 6, 1, 21), berlin(2026, 6, 1, 21), 7)
    assert only.start == only.end


@pytest.mark.parametrize("first", [berlin(2026, 3, 25), berlin(2026, 10, 20), berlin(2026, 6, 1)])
def test_windows_leave_no_second_out_and_none_twice_across_a_change_of_the_clock(first: datetime) -> None:
    found = list(windows(first, clock.day_end(first.date() + timedelta(days=29)), 7))
    assert len(found) == 5
    gaps = [after.start.timestamp() - before.end.timestamp() for before, after in zip(found, found[1:], strict=False)]
    assert gaps == [1.0] * 4


@pytest.mark.parametrize(("first", "hours"), [(berlin(2026, 3, 25), 167), (berlin(2026, 10, 20), 169)])
def test_a_week_with_a_change_of_the_clock_is_an_hour_shorter_or_longer(first: datetime, hours: int) -> None:
    window = next(windows(first, first + timedelta(days=30), 7))
    assert window.end.timestamp() - window.start.timestamp() + 1 == hours * 3600


@pytest.mark.parametrize("first", [berlin(2026, 3, 29), berlin(2026, 10, 25), berlin(2026, 6, 1)])
def test_halves_are_the_whole_of_a_window_without_overlap(first: datetime) -> None:
    (window,) = windows(first, clock.day_end(first.date()), 7)
    halves = window.halves()
    assert halves is not None
    older, newer = halves
    assert (older.start, newer.end) == (window.start, window.end)
    assert newer.start.timestamp() - older.end.timestamp() == 1
    lengths = [half.end.timestamp() - half.start.timestamp() for half in halves]
    assert abs(lengths[0] - lengths[1]) <= 1


def test_halves_in_the_repeated_hour_leave_no_hour_out() -> None:
    (window,) = windows(berlin(2026, 10, 25), berlin(2026, 10, 25, 5, 59, 58), 7)
    halves = window.halves()
    assert halves is not None
    assert halves[1].start.timestamp() - halves[0].end.timestamp() == 1


@pytest.mark.parametrize(("seconds", "divisible"), [(0, False), (59, False), (60, True), (61, True)])
def test_a_window_of_a_minute_has_no_halves(seconds: int, divisible: bool) -> None:
    window = TimeWindow(berlin(2026, 6, 1), berlin(2026, 6, 1) + timedelta(seconds=seconds))
    assert bool(window.halves()) is divisible


@pytest.mark.parametrize(("late", "joins"), [(-9999, True), (0, True), (1, True), (2, False)])
def test_a_window_joins_the_mark_when_no_second_lies_between(late: int, joins: bool) -> None:
    mark = berlin(2026, 6, 1)
    assert TimeWindow(mark + late * SECOND, mark + timedelta(days=7)).joins(mark) is joins


def test_the_last_closed_days_end_with_yesterday(time: SetClock) -> None:
    time.now = berlin(2026, 10, 26, 0)
    assert last_closed_days(2) == [date(2026, 10, 24), date(2026, 10, 25)]
    assert last_closed_days(0) == []


def test_the_whole_days_of_a_span_have_their_first_and_last_second_in_it() -> None:
    start, end = berlin(2026, 10, 20, 9), berlin(2026, 10, 24) - SECOND
    assert whole_days(start, end) == [date(2026, 10, 21), date(2026, 10, 22), date(2026, 10, 23)]
    assert whole_days(start, end - SECOND) == [date(2026, 10, 21), date(2026, 10, 22)]
    assert whole_days(end, start) == []


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25)])
def test_the_day_of_a_change_of_the_clock_is_taken_whole(day: date, hours: int) -> None:
    window = days_window(day, day)
    assert window.end.timestamp() - window.start.timestamp() + 1 == hours * 3600
    assert whole_days(window.start, window.end) == [day]
