"""The rows of windows that are read again: docs/decisions/collection.md#windows-that-are-read-again."""

from datetime import date, datetime, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from archive_site.lib import clock
from tests.collection.scheduling import berlin
from tests.standing_clock import SetClock
from tests.usage.record_factories import plans_of
from usage import adoption
from usage.coverage import left_windows
from usage.coverage.left_windows import Span
from usage.erasure import erase_archive
from usage.models import CoverageDay, LeftWindow

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("time")]
NOW = berlin("2026-09-07 18:00")
SECOND = timedelta(seconds=1)


@pytest.fixture
def time(time: SetClock) -> SetClock:
    time.now = NOW
    return time


def span(first: str, last: str) -> Span:
    """From the begin of a day of September 2026 to the end of another."""
    return berlin(f"2026-09-{first} 00:00"), berlin(f"2026-09-{last} 23:59:59")


def note(user: User, *days: str, is_failed: bool = False, tries: int | None = None) -> None:
    left_windows.note(user.pk, span(days[0], days[-1]), is_failed=is_failed, tries=tries)


def unconfirmed(user: User, first: str = "01", last: str = "30") -> set[str]:
    return left_windows.unconfirmed_days(user.pk, date(2026, 9, int(first)), date(2026, 9, int(last)))


def left(user: User) -> list[tuple[str, str, int]]:
    rows = LeftWindow.objects.filter(archive_id=user.pk).order_by("win_from")
    return [(day_of(row.win_from), day_of(row.win_to), row.tries) for row in rows]


def day_of(moment: datetime) -> str:
    return f"{clock.local_day(moment):%d}"


@pytest.mark.parametrize(
    ("cleared", "remaining"),
    [
        (("01", "05"), []),
        (("01", "02"), [("03", "05", 1)]),
        (("05", "05"), [("01", "04", 1)]),
        (("03", "03"), [("01", "02", 1), ("04", "05", 1)]),
        (("06", "07"), [("01", "05", 1)]),
    ],
)
def test_what_was_read_well_is_taken_out(
    alice: User, cleared: tuple[str, str], remaining: list[tuple[str, str, int]]
) -> None:
    note(alice, "01", "05")
    left_windows.clear(alice.pk, span(*cleared))
    assert left(alice) == remaining


def test_a_reading_replaces_what_it_meets_and_keeps_its_number(alice: User) -> None:
    note(alice, "01", "03", tries=4)
    note(alice, "03", "04")
    assert left(alice) == [("01", "02", 4), ("03", "04", 4)]


@pytest.mark.engine
@pytest.mark.parametrize(
    ("is_failed", "tries", "windows"),
    [
        (True, 1, [("01", "04", 1)]),
        (True, 2, [("01", "02", 1), ("03", "04", 2)]),
        (False, 1, [("01", "02", 1), ("03", "04", 1)]),
    ],
)
def test_neighbours_of_one_kind_that_were_read_as_often_become_one(
    alice: User, is_failed: bool, tries: int, windows: list[tuple[str, str, int]]
) -> None:
    note(alice, "01", "02", is_failed=True)
    note(alice, "03", "04", is_failed=is_failed, tries=tries)
    assert left(alice) == windows


def test_neighbours_become_no_more_than_a_week(alice: User) -> None:
    note(alice, "01", "04", is_failed=True)
    note(alice, "05", "07", is_failed=True)
    note(alice, "08", "09", is_failed=True)
    assert left(alice) == [("01", "07", 1), ("08", "09", 1)]


def hours(begin: str, end: str) -> Span:
    """From one hour of a day to the end of another."""
    return berlin(f"2026-09-06 {begin}:00"), berlin(f"2026-09-06 {end}:59:59")


def test_windows_that_were_read_again_are_joined_within_a_day_only(alice: User) -> None:
    left_windows.note(alice.pk, hours("00", "08"), is_failed=False, tries=2)
    left_windows.note(alice.pk, hours("09", "23"), is_failed=False, tries=2)
    note(alice, "05", tries=2)
    assert left(alice) == [("05", "05", 2), ("06", "06", 2)]


def test_a_joined_window_is_due_with_the_first_of_its_parts(alice: User, time: SetClock) -> None:
    left_windows.note(alice.pk, hours("00", "08"), is_failed=False, tries=3)
    due_at = LeftWindow.objects.get().next_read_at
    time.pass_by(hours=2)
    left_windows.note(alice.pk, hours("09", "23"), is_failed=False, tries=3)
    assert LeftWindow.objects.get().next_read_at == due_at


@pytest.mark.parametrize(("tries", "hours"), [(1, 0), (2, 1), (3, 4), (4, 16), (5, 64), (6, 192), (60, 192)])
def test_the_waits_grow_up_to_a_bound(alice: User, tries: int, hours: int, time: SetClock) -> None:
    note(alice, "06", tries=tries)
    time.now = NOW + timedelta(hours=hours) - SECOND
    assert left_windows.due(alice.pk) == []
    time.now = NOW + timedelta(hours=hours)
    assert len(left_windows.due(alice.pk)) == 1


def test_at_most_five_are_due_the_longest_waiting_first(alice: User, time: SetClock) -> None:
    days = ["07", "05", "03", "01", "06", "04"]
    for day in days:
        note(alice, day)
        time.pass_by(minutes=1)
    rows = [LeftWindow.objects.get(pk=key) for key in left_windows.due(alice.pk)]
    assert [day_of(row.win_from) for row in rows] == days[:5]


def test_one_that_a_clock_noted_that_ran_ahead_is_due(alice: User, time: SetClock) -> None:
    time.now = NOW + timedelta(days=400)
    note(alice, "06", tries=1)
    time.now = NOW
    assert len(left_windows.due(alice.pk)) == 1


def test_an_old_day_is_read_once_more_and_then_given_up(alice: User, time: SetClock) -> None:
    time.now = NOW + timedelta(days=40)
    note(alice, "01", "01")
    assert len(left_windows.due(alice.pk)) == 1
    note(alice, "01", "01", tries=2)
    time.pass_by(days=400)
    assert left_windows.due(alice.pk) == []
    assert unconfirmed(alice) == {"2026-09-01"}


def test_an_old_window_of_several_days_is_read_until_the_days_at_fault_are_found(alice: User, time: SetClock) -> None:
    time.now = NOW + timedelta(days=40)
    note(alice, "01", "05", tries=7)
    time.pass_by(days=400)
    assert len(left_windows.due(alice.pk)) == 1


def test_what_remains_of_a_span_without_failed_windows(alice: User) -> None:
    note(alice, "02", is_failed=True)
    note(alice, "04", "05", is_failed=True)
    note(alice, "07")
    rest = left_windows.without_failed(alice.pk, span("01", "07"))
    assert rest == [span("01", "01"), span("03", "03"), span("06", "07")]
    assert left_windows.without_failed(alice.pk, span("04", "05")) == []


def test_the_parts_of_a_span_that_are_not_confirmed(alice: User) -> None:
    note(alice, "01", "03", tries=2)
    note(alice, "05", is_failed=True)
    note(alice, "06", "08", tries=3)
    assert left_windows.unconfirmed(alice.pk, span("02", "07")) == [span("02", "03"), span("06", "07")]
    assert left_windows.unconfirmed(alice.pk, span("04", "05")) == []


def test_what_remains_of_a_span_without_others_that_may_meet() -> None:
    others = [span("09", "12"), span("02", "03"), span("03", "05"), span("01", "01")]
    assert left_windows.without(span("04", "10"), others) == [span("06", "08")]
    assert left_windows.without(span("02", "04"), others) == []


def test_a_day_that_has_settled_is_open_again(alice: User) -> None:
    CoverageDay.objects.create(archive_id=alice.pk, day="2026-09-01", upstream=1, settled_at=NOW)
    note(alice, "01", "02")
    day = CoverageDay.objects.get(day="2026-09-01")
    assert (day.settled_at, day.next_read_at) == (None, NOW + timedelta(hours=24))


def test_days_that_were_not_confirmed_remain_so_where_they_cannot_be_read_again(alice: User) -> None:
    note(alice, "01", "02")
    note(alice, "01", "02", is_failed=True, tries=2)
    assert unconfirmed(alice) == left_windows.failed_days(alice.pk) == {"2026-09-01", "2026-09-02"}


def test_days_that_could_not_be_read_are_not_called_unconfirmed(alice: User) -> None:
    note(alice, "01", is_failed=True)
    assert unconfirmed(alice) == set()


def test_windows_of_two_accounts_do_not_meet(alice: User, bob: User) -> None:
    note(alice, "01", "05")
    note(bob, "03", tries=3)
    left_windows.clear(bob.pk, span("01", "02"))
    assert (left(alice), left(bob)) == ([("01", "05", 1)], [("03", "03", 3)])
    [key] = left_windows.due(alice.pk)
    assert left_windows.get(bob.pk, key) is None


def test_an_heir_reads_the_windows_of_the_archive_that_it_takes_over(alice: User, bob: User) -> None:
    note(alice, "01", "03", tries=5)
    note(alice, "05", is_failed=True, tries=6)
    note(bob, "03", "04", tries=2)
    adoption.finish(alice.pk, bob.pk)
    assert (left(alice), len(left_windows.due(bob.pk))) == ([], 2)
    assert left_windows.failed(bob.pk) == [span("05", "05")]
    assert unconfirmed(bob) == {f"2026-09-0{day}" for day in range(1, 5)}


@pytest.mark.engine
@pytest.mark.usefixtures("transactional_db")
def test_they_are_erased_with_the_archive(alice: User, bob: User) -> None:
    note(alice, "01")
    note(bob, "02")
    assert erase_archive(alice.pk)
    assert (left(alice), left(bob)) == ([], [("02", "02", 1)])


@pytest.mark.sqlite_only
def test_they_are_found_by_their_account(alice: User) -> None:
    asked = [
        lambda: left_windows.due(alice.pk, before=NOW),
        lambda: left_windows.failed(alice.pk, is_over=True),
        lambda: unconfirmed(alice),
        lambda: left_windows.clear(alice.pk, span("01", "02")),
    ]
    for ask in asked:
        assert all("USING INDEX left_window_of_account (user_id=?" in plan for plan in plans_of(ask))


@pytest.mark.sqlite_only
def test_windows_before_and_after_the_days_are_not_read(alice: User) -> None:
    note(alice, "01", "05")
    asked = [
        lambda: unconfirmed(alice, "03", "04"),
        lambda: left_windows.without_failed(alice.pk, span("03", "04")),
        lambda: left_windows.unconfirmed(alice.pk, span("03", "04")),
        lambda: left_windows.clear(alice.pk, span("03", "04")),
    ]
    bounded = "USING INDEX left_window_of_account (user_id=? AND win_from>? AND win_from<?)"
    assert [bounded in plan for ask in asked for plan in plans_of(ask)] == [True] * len(asked)


def test_a_window_that_begins_before_the_days_or_ends_after_them_is_met(alice: User) -> None:
    note(alice, "01", "05", is_failed=True, tries=2)
    note(alice, "09", "12")
    note(alice, "14", "20")
    assert unconfirmed(alice, "11", "15") == {f"2026-09-{day}" for day in (11, 12, 14, 15)}
    assert left_windows.without_failed(alice.pk, span("03", "06")) == [span("06", "06")]


def test_the_days_of_many_windows_are_asked_by_one_query(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for day in range(1, 30, 2):
        note(alice, f"{day:02}", tries=2)
    with django_assert_num_queries(1):
        assert len(unconfirmed(alice)) == 15
