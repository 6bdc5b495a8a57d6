"""The days whose calls may be missing, as every page names them."""

from datetime import date, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from tests.collection.simulator_client import NOW
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage.coverage.missing_days import MissingDays, missing_days
from usage.models import CoverageDay, Reach

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("time")]
FIRST, YESTERDAY = date(2026, 9, 1), date(2026, 9, 6)


@pytest.fixture
def time(time: SetClock) -> SetClock:
    """It is 2026-09-07 17:59:30."""
    time.now = NOW
    return time


def note(user: User, *days: int, **fields: int) -> None:
    """Days of the ledger, as numbers of days after the first one."""
    for number in days:
        CoverageDay.objects.create(archive_id=user.pk, day=(FIRST + timedelta(days=number)).isoformat(), **fields)


def found(user: User) -> MissingDays | None:
    return missing_days(user.pk, YESTERDAY)


def test_an_archive_that_was_never_asked_for_lacks_nothing(alice: User) -> None:
    archive(alice, call("1", ts="2026-09-01 10:00:00"))
    assert found(alice) is None


def test_days_that_were_all_read_lack_nothing_at_the_cost_of_two_queries(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    note(alice, *range(6))
    with django_assert_num_queries(2):
        assert found(alice) is None


def test_days_before_the_first_one_that_was_read_were_not_skipped(alice: User) -> None:
    note(alice, 4, 5)
    assert found(alice) is None


def test_skipped_days_are_named_from_the_first_to_the_last(alice: User) -> None:
    note(alice, 0, 2, 4)
    assert found(alice) == MissingDays(3, date(2026, 9, 2), date(2026, 9, 6))


def test_a_day_of_which_the_upstream_has_more_calls_is_missing_some(alice: User) -> None:
    note(alice, *range(6), upstream=0)
    CoverageDay.objects.filter(day="2026-09-03").update(upstream=2)
    archive(alice, call("1", ts="2026-09-03 10:00:00"))
    assert found(alice) == MissingDays(1, date(2026, 9, 3), date(2026, 9, 3))


def test_a_day_of_which_more_is_here_lacks_nothing(alice: User) -> None:
    note(alice, *range(6), upstream=0)
    archive(alice, call("1", ts="2026-09-03 10:00:00"))
    assert found(alice) is None


def test_today_and_days_that_the_upstream_no_longer_gives_are_left_out(alice: User) -> None:
    note(alice, *range(6))
    note(alice, 6, upstream=5)
    CoverageDay.objects.filter(day="2026-09-01").update(upstream=2)
    Reach.objects.create(archive_id=alice.pk, first_day="2026-09-02")
    assert found(alice) is None


@pytest.mark.engine
def test_skipped_days_that_the_upstream_no_longer_gives_are_left_out(alice: User) -> None:
    note(alice, 0, 2, 4, 5)
    Reach.objects.create(archive_id=alice.pk, first_day="2026-09-04")
    assert found(alice) == MissingDays(1, date(2026, 9, 4), date(2026, 9, 4))
    Reach.objects.update(first_day="2026-09-05")
    assert found(alice) is None


def test_the_days_of_another_account_do_not_count(alice: User, bob: User) -> None:
    note(alice, *range(6), upstream=1)
    for number in range(6):
        archive(alice, call(f"{number}", ts=f"{FIRST + timedelta(days=number)} 10:00:00"))
    note(bob, 0)
    assert found(alice) is None
