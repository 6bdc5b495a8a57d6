"""Sums of erased days stay exactly as they were (docs/decisions/records.md#retention)."""

from datetime import timedelta

import pytest

from accounts.models import User
from tests.factories import further_archive
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call, kept_rollups
from tests.usage.retention.kept_archives import DAYS, KEPT_FROM, fill, keep, sums
from usage import erasure
from usage.models import ErasedSums, Horizon, MonthHours, MonthSums, Record
from usage.rollups import month_sums, recompute

pytestmark = [pytest.mark.landing, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def nearly_full_hour(time: SetClock) -> None:
    """Comparisons end with the minute: of an erased day with the hour, which is then the same."""
    time.now += timedelta(minutes=59)


@pytest.mark.engine
@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("measured", [True, False])
def test_all_sums_are_the_same_before_and_after(alice: User, measured: bool) -> None:
    archive_id = further_archive(alice) if measured else alice.pk
    fill(archive_id, measured=measured)
    before = sums(archive_id)
    keep(alice, calls_days=DAYS)
    assert 0 < Record.objects.filter(archive_id=archive_id).count() < 400
    assert not Record.objects.filter(archive_id=archive_id, day__lt=KEPT_FROM).exists()
    assert sums(archive_id) == before
    # Also from the sums of months.
    month_sums.fill(archive_id)
    assert MonthHours.objects.filter(archive_id=archive_id, month="2026-08").exists()
    assert sums(archive_id) == before


def test_sums_are_the_same_while_the_records_are_not_erased_yet(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(alice, 200, measured=True)
    before = sums(alice)
    with monkeypatch.context() as patch:
        patch.setattr("usage.retention.erasing.erase_rest", lambda archive_id: iter(()))
        keep(alice, calls_days=DAYS)
    assert (Record.objects.count(), Horizon.objects.get().calls_from) == (200, KEPT_FROM)
    assert sums(alice) == before
    keep(alice, calls_days=DAYS)
    assert Record.objects.count() < 200
    assert sums(alice) == before


@pytest.mark.engine
def test_a_recount_finds_nothing_wrong_and_changes_nothing(alice: User) -> None:
    fill(alice, measured=True)
    month_sums.fill(alice.pk)
    keep(alice, calls_days=DAYS)
    before, months = kept_rollups(alice.pk), list(MonthSums.objects.order_by("month").values_list())
    assert recompute.recount(alice.pk).repaired == 0
    assert kept_rollups(alice.pk) == before
    assert list(MonthSums.objects.order_by("month").values_list()) == months


def test_a_day_that_follows_is_added_to_the_hours_of_its_month(alice: User, time: SetClock) -> None:
    fill(alice)
    keep(alice, calls_days=DAYS)
    time.now += timedelta(days=10)
    month_sums.fill(alice.pk)
    before = sums(alice)
    keep(alice, calls_days=DAYS)
    assert Horizon.objects.get().calls_from == "2026-08-17"
    assert sums(alice) == before
    assert recompute.recount(alice.pk).repaired == 0


@pytest.mark.engine
@pytest.mark.parametrize("is_stored_again", [False, True])
def test_late_calls_of_erased_days_change_nothing(alice: User, is_stored_again: bool) -> None:
    fill(alice)
    keep(alice, calls_days=DAYS)
    before, kept = sums(alice), Record.objects.count()
    late = call("r0001" if is_stored_again else "late", ts="2026-08-06 23:59:59", credits=9)
    result = archive(alice, late, call("new", ts="2026-08-07 00:00:00", credits=0))
    assert (result.too_old, result.added, result.dup, result.conflicts) == (1, 1, 0, 0)
    assert Record.objects.count() == kept + 1
    Record.objects.get(request_id="new")
    erasure.delete_records(list(Record.objects.filter(request_id="new").values_list("pk", flat=True)))
    recompute.compute_again(alice.pk, {("2026-08-07", "glm", "ide")}, {("2026-08-07", 0)})
    assert sums(alice) == before


def test_a_call_whose_time_moves_to_an_erased_day_stays_as_it_is(alice: User) -> None:
    archive(alice, call("moves", ts="2026-08-08 10:00:00"), call("old", ts="2026-08-01 10:00:00"))
    keep(alice, calls_days=DAYS)
    before = sums(alice)
    result = archive(alice, call("moves", ts="2026-08-06 10:00:00", credits=3))
    assert (result.too_old, result.conflicts) == (1, 0)
    assert Record.objects.get().ts == "2026-08-08 10:00:00"
    assert sums(alice) == before


def test_a_call_that_is_not_erased_yet_stays_as_it_is(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    archive(alice, call("old", ts="2026-08-06 10:00:00"))
    before = sums(alice)
    with monkeypatch.context() as patch:
        patch.setattr("usage.retention.erasing.erase_rest", lambda archive_id: iter(()))
        keep(alice, calls_days=DAYS)
    result = archive(alice, call("old", ts="2026-08-08 10:00:00", credits=3))
    assert (result.too_old, result.conflicts, result.added) == (1, 0, 0)
    assert sums(alice) == before


def test_a_month_with_too_many_names_keeps_its_hours(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(alice)
    before = sums(alice)
    monkeypatch.setattr("usage.rollups.many_names._MOST", 1)
    keep(alice, calls_days=DAYS)
    month_sums.fill(alice.pk)
    assert not MonthHours.objects.exists()
    assert sums(alice) == before


def test_another_account_and_its_sums_are_untouched(alice: User, bob: User) -> None:
    fill(alice, 100)
    fill(bob, 100, seed=2)
    before, rollups = sums(bob), kept_rollups(bob.pk)
    keep(alice, calls_days=1)
    assert Record.objects.filter(archive_id=bob.pk).count() == 100
    assert (sums(bob), kept_rollups(bob.pk)) == (before, rollups)
    assert not ErasedSums.objects.filter(archive_id=bob.pk).exists()
    assert not Horizon.objects.filter(archive_id=bob.pk).exists()
