"""What was erased stays erased when an account is deleted or another one adopts its archive
(docs/decisions/accounts.md#adopting-an-archive)."""

from typing import Any

import pytest

from accounts.actor import Actor
from accounts.models import Setting, User
from archive_site.account_deletion import delete_account
from archive_site.archive_adoption import adopt_archive, resume_adoptions
from audit.models import Entry
from tests.factories import further_archive
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, on, prompt_of
from tests.usage.retention.kept_archives import DAYS, KEPT_FROM, fill, keep, sums
from usage import adoption, stored_size
from usage.models import DayTotal, ErasedSums, Horizon, Prompt, Record, Retention
from usage.retention import erasing
from usage.rollups.recompute import recount

pytestmark = [pytest.mark.landing, pytest.mark.django_db]


def leave(owner: User) -> int:
    """Delete an account, and keep its data."""
    delete_account(owner.pk, keep_data=True, actor=Actor("command line", None))
    return owner.pk


def detail() -> str:
    return str(Entry.objects.filter(action="user_update").latest("pk").detail)


def horizons() -> dict[int, tuple[str, str]]:
    return {row.archive_id: (row.calls_from, row.prompts_from) for row in Horizon.objects.all()}


@pytest.mark.engine
def test_a_deleted_account_leaves_nothing(alice: User, bob: User) -> None:
    for owner in (alice, further_archive(alice)):
        fill(owner, 50)
    keep(alice, calls_days=DAYS, prompts_days=10)
    delete_account(alice.pk, keep_data=False, actor=Actor("command line", None))
    assert [model.objects.count() for model in (Retention, Horizon, ErasedSums, DayTotal, Record)] == [0] * 5


def test_kept_data_stays_erased_and_is_erased_no_further(alice: User, bob: User, time: SetClock) -> None:
    fill(alice, 100)
    keep(alice, calls_days=DAYS)
    left = Record.objects.count()
    leave(alice)
    time.pass_by(days=30)
    assert erasing.go_on()
    assert (Record.objects.count(), horizons(), Retention.objects.count()) == (left, {alice.pk: (KEPT_FROM, "")}, 0)


@pytest.mark.engine
def test_the_heir_gets_the_sums_of_erased_days_and_their_horizon(alice: User, bob: User) -> None:
    fill(bob, 200, measured=True)
    before = sums(bob)
    keep(bob, calls_days=DAYS, prompts_days=10)
    assert adopt_archive(leave(bob), alice) == Record.objects.filter(archive_id=alice.pk).count()
    assert sums(alice) == before
    assert horizons() == {alice.pk: (KEPT_FROM, "2026-09-06")}
    assert not ErasedSums.objects.filter(archive_id=bob.pk).exists()
    assert not stored_size.repair(alice.pk)
    assert recount(alice.pk).repaired == 0
    assert archive(alice, on("2026-08-06", "late")).too_old == 1
    assert "erased" not in detail()


def test_an_archive_of_nothing_but_sums_is_adopted(alice: User, bob: User) -> None:
    archive(bob, on("2026-01-01", "old"))
    before = sums(bob)
    keep(bob, calls_days=DAYS)
    assert adopt_archive(leave(bob), alice) == 0
    assert sums(alice) == before


def test_an_heir_with_earlier_calls_keeps_them_and_leaves_the_sums_out(alice: User, bob: User) -> None:
    fill(bob, 200)
    days = DayTotal.objects.filter(archive_id=bob.pk, day__lt=KEPT_FROM).count()
    keep(bob, calls_days=DAYS, prompts_days=10)
    archive(alice, on("2026-08-06", "own", prompt="own"))
    got = adopt_archive(leave(bob), alice)
    assert detail() == (
        f"archive adopted: {got} records of id {bob.pk} for alice, without the sums of {days} erased days"
    )
    assert prompt_of(alice, "own") == "own"
    assert horizons() == {}
    assert DayTotal.objects.filter(archive_id=alice.pk, day__lt=KEPT_FROM).count() == 1
    assert not DayTotal.objects.filter(archive_id=bob.pk).exists()
    assert recount(alice.pk).repaired == 0


@pytest.mark.engine
def test_an_heir_that_has_erased_more_brings_no_call_back(alice: User, bob: User) -> None:
    fill(bob, 200)
    before = sums(bob)
    keep(bob, prompts_days=100)
    keep(alice, calls_days=DAYS, prompts_days=10)
    adopt_archive(leave(bob), alice)
    assert not Record.objects.filter(day__lt=KEPT_FROM).exists()
    assert not Prompt.objects.filter(record__day__lt="2026-09-06").exists()
    assert sums(alice) == before
    assert recount(alice.pk).repaired == 0
    assert not stored_size.repair(alice.pk)


def test_days_that_both_have_erased_keep_the_sums_of_the_heir(alice: User, bob: User) -> None:
    archive(alice, on("2026-08-01", "own", credits=2), on("2026-08-10", "kept"))
    archive(bob, on("2026-08-01", "theirs", credits=3), on("2026-08-02", "other", credits=4))
    for owner in (alice, bob):
        keep(owner, calls_days=DAYS)
    adopt_archive(leave(bob), alice)
    assert list(DayTotal.objects.filter(archive_id=alice.pk).order_by("day").values_list("day", "credits")) == [
        ("2026-08-01", 2_000_000), ("2026-08-02", 4_000_000), ("2026-08-10", 1_500_000),
    ]  # fmt: skip
    assert detail().endswith("without the sums of 1 erased day")


@pytest.mark.parametrize("dies_in", ["_move_days", "move_records", "erase_rest"])
def test_an_adoption_that_was_broken_off_goes_on(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch, dies_in: str
) -> None:
    fill(bob, 200)
    before = sums(bob)
    keep(bob, calls_days=DAYS)
    old_id, does, done = leave(bob), getattr(adoption, dies_in), list[int]()
    monkeypatch.setattr(adoption, "_DAYS", 2)

    def dies(*given: Any) -> Any:
        done.append(1)
        if len(done) > 1 or dies_in != "_move_days":
            raise RuntimeError("killed")
        return does(*given)

    with monkeypatch.context() as patch:
        patch.setattr(adoption, dies_in, dies)
        with pytest.raises(RuntimeError):
            adopt_archive(old_id, alice)
    assert resume_adoptions() == 1
    assert sums(alice) == before
    assert horizons() == {alice.pk: (KEPT_FROM, "")}
    assert not stored_size.repair(alice.pk)


def test_an_adoption_of_an_earlier_version_goes_on(alice: User, bob: User) -> None:
    fill(bob, 20)
    old_id = leave(bob)
    Setting.objects.create(user_id=old_id, key="adoption", value=f"{alice.pk} 3", updated_at="2026-09-01T00:00:00Z")
    assert resume_adoptions() == 1
    assert Record.objects.filter(archive_id=alice.pk).count() == 20
    assert detail().startswith("archive adopted: 23 records")
