"""Instants and the wall clock of the server's zone, here Europe/Berlin (docs/decisions/records.md)."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import override_settings

from archive_site.lib import clock
from tests.standing_clock import SetClock

SPRING, AUTUMN = date(2026, 3, 29), date(2026, 10, 25)


@pytest.fixture
def sao_paulo() -> Iterator[None]:
    """A zone in which days of the change began at one o'clock: midnight was skipped."""
    with override_settings(TIME_ZONE="America/Sao_Paulo"):
        yield


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]


def length(day: date) -> timedelta:
    """From the first to the last second of a day, as a stopwatch measures it."""
    return clock.day_end(day).astimezone(UTC) - clock.day_start(day).astimezone(UTC)


def test_now_is_an_aware_instant() -> None:
    assert clock.now().utcoffset() == timedelta()


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        (utc(2026, 1, 1, 23, 30), "2026-01-02 00:30:00"),
        (utc(2026, 7, 1, 22, 0, 7), "2026-07-02 00:00:07"),
        (utc(2026, 3, 29, 0, 59, 59), "2026-03-29 01:59:59"),
        (utc(2026, 3, 29, 1), "2026-03-29 03:00:00"),
        (utc(2026, 10, 25, 0, 30), "2026-10-25 02:30:00"),
        (utc(2026, 10, 25, 1, 30), "2026-10-25 02:30:00"),
    ],
)
def test_an_instant_is_shown_by_the_servers_wall_clock(instant: datetime, text: str) -> None:
    assert clock.local_text(instant) == text


def test_no_instant_has_no_text() -> None:
    assert clock.local_text(None) is None


def test_today_is_the_day_of_the_servers_calendar(time: SetClock) -> None:
    time.now = utc(2026, 1, 1, 23, 30)
    assert clock.today() == date(2026, 1, 2)


@pytest.mark.parametrize(
    ("day", "start", "end"),
    [
        (date(2026, 1, 15), utc(2026, 1, 14, 23), utc(2026, 1, 15, 22, 59, 59)),
        (SPRING, utc(2026, 3, 28, 23), utc(2026, 3, 29, 21, 59, 59)),
        (AUTUMN, utc(2026, 10, 24, 22), utc(2026, 10, 25, 22, 59, 59)),
    ],
)
def test_a_day_begins_and_ends_at_the_servers_midnight(day: date, start: datetime, end: datetime) -> None:
    assert (clock.day_start(day), clock.day_end(day)) == (start, end)


@pytest.mark.parametrize(("day", "hours"), [(SPRING, 23), (AUTUMN, 25), (date(2026, 6, 1), 24)])
def test_a_day_has_as_many_hours_as_the_clock_gives_it(day: date, hours: int) -> None:
    assert length(day) == timedelta(hours=hours, seconds=-1)


@pytest.mark.parametrize("day", [SPRING, AUTUMN])
def test_days_join_without_gap_or_overlap(day: date) -> None:
    for number in range(-2, 3):
        present = day + timedelta(days=number)
        following = clock.day_start(present + timedelta(days=1)).astimezone(UTC)
        assert following - clock.day_end(present).astimezone(UTC) == timedelta(seconds=1)


@pytest.mark.usefixtures("sao_paulo")
def test_a_day_whose_midnight_is_skipped_begins_at_its_first_instant() -> None:
    assert clock.day_start(date(2018, 11, 4)).astimezone(UTC) == utc(2018, 11, 4, 3)


@pytest.mark.usefixtures("sao_paulo")
def test_a_day_whose_last_hour_is_repeated_ends_with_the_second() -> None:
    assert clock.day_end(date(2018, 2, 17)).astimezone(UTC) == utc(2018, 2, 18, 2, 59, 59)


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [(SPRING, SPRING, 1), (SPRING, date(2026, 3, 30), 2), (date(2026, 1, 1), date(2026, 12, 31), 365)],
)
def test_a_span_counts_both_of_its_ends(first: date, last: date, days: int) -> None:
    assert clock.days_between(first, last) == days
