"""`manage.py adopt_archive OLD_ID NAME`."""

import io
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from accounts import adoptions
from accounts.actor import Actor
from accounts.models import Erasure, Setting, User
from archive_site import tasks
from archive_site.account_deletion import delete_account
from archive_site.archive_adoption import adopt_archive, resume_adoptions
from archive_site.lib import clock, waiting_tasks
from audit.models import Entry
from collection.models import AccountOfArchive, Progress, Run
from tests.archive_site.account_data import rows_of
from tests.collection.transfer.kept_packages import FIRST, keep_packages, kept_packages
from tests.concurrency import together
from tests.factories import further_archive, make_user
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call, counted_rollups, kept_rollups, prompt_of, stored
from usage import adoption, prompt_conversion
from usage.budgets import stored_budgets
from usage.coverage import ledger_writes
from usage.data_version import raise_version
from usage.export import kept_files
from usage.models import (
    ROLLUPS,
    ROLLUPS_OF_MONTHS,
    Budget,
    CoverageDay,
    DataVersion,
    DayGroup,
    Package,
    Privacy,
    Prompt,
    Reach,
    Record,
    SavedView,
)
from usage.packages import taken_over
from usage.prompt_privacy import policy as privacy
from usage.prompt_privacy.hashed_words import is_hashed
from usage.prompt_privacy.policy import Mode
from usage.rollups import month_sums
from usage.rollups.recompute import recount
from usage.tasks import CONVERT_PROMPTS

pytestmark = pytest.mark.django_db


@pytest.fixture
def left(bob: User, root: User) -> int:
    """The id under which a deleted account left five records, a run, a mark, a setting, a view and a budget."""
    archive(bob, *[call(f"r{number}", prompt="bobs") for number in range(5)])
    Run.objects.create(archive_id=bob.pk, trigger="manual", status="ok", created_at=clock.now())
    Progress.objects.create(archive_id=bob.pk, complete_through=clock.now())
    Setting.objects.create(user_id=bob.pk, key="user_agent", value="bobs", updated_at=clock.now())
    SavedView.objects.create(user_id=bob.pk, name="Free calls", query="free=1")
    stored_budgets.create(bob.pk, {"period": "month", "credits": 100})
    month_sums.fill(bob.pk)
    delete_account(bob.pk, keep_data=True, actor=Actor("command line", None))
    return bob.pk


def adopt(old_id: int, name: str = "alice") -> str:
    output = io.StringIO()
    call_command("adopt_archive", str(old_id), name, stdout=output)
    return output.getvalue()


def test_the_heir_has_the_records_and_runs(left: int, alice: User) -> None:
    assert adopt(left) == "alice has 5 more records.\n"
    assert Record.objects.filter(archive_id=alice.pk).count() == 5
    assert Run.objects.get().archive_id == alice.pk
    assert prompt_of(alice, "r1") == "bobs"


def test_nothing_stays_under_the_old_id(left: int, alice: User) -> None:
    adopt(left)
    for model in (Record, *ROLLUPS, *ROLLUPS_OF_MONTHS, SavedView, Budget, Run, Progress, Setting):
        assert not rows_of(model, left).exists()


def test_the_heir_gets_the_budgets(left: int, alice: User) -> None:
    stored_budgets.create(alice.pk, {"period": "day", "credits": 1})
    adopt(left)
    assert [budget.period for budget in stored_budgets.budgets_of(alice.pk)] == ["month", "day"]


@pytest.mark.engine
def test_the_sums_are_right(left: int, alice: User) -> None:
    archive(alice, call("own", ts="2026-09-07 12:40:00"), call("r2", credits=7))
    adopt(left)
    assert recount(alice.pk).repaired == 0
    assert sum(DayGroup.objects.filter(archive_id=alice.pk).values_list("calls", flat=True)) == 6


def test_the_heir_keeps_the_own_settings_views_and_mark(left: int, alice: User) -> None:
    SavedView.objects.create(user_id=alice.pk, name="Free calls", query="free=0")
    mark = clock.now() - timedelta(days=9)
    Setting.objects.create(user_id=alice.pk, key="user_agent", value="own", updated_at=clock.now())
    Progress.objects.create(archive_id=alice.pk, complete_through=mark)
    adopt(left)
    assert Setting.objects.get().value == "own"
    assert SavedView.objects.get().query == "free=0"
    assert Progress.objects.get().complete_through == mark


def chosen(user: User, mode: Mode, *, is_applied: bool = True) -> None:
    privacy.choose(user.pk, mode, 2)
    if is_applied:
        privacy.begin_again(user.pk)
        assert prompt_conversion.go_on()


@pytest.mark.engine
@pytest.mark.parametrize(
    ("mode", "kept"), [("nothing", []), ("hash", ["~"]), ("beginning", ["bo"]), ("whole", ["bobs"])]
)
def test_prompts_become_what_the_heir_keeps_of_them(
    bob: User, root: User, alice: User, mode: Mode, kept: list[str]
) -> None:
    further = further_archive(bob)
    for archive_id in (bob.pk, further):
        archive(archive_id, call(f"r{archive_id}", prompt="bobs"))
    delete_account(bob.pk, keep_data=True, actor=Actor("command line", None))
    chosen(alice, mode)
    adopt(bob.pk)
    assert waiting_tasks.waiting(CONVERT_PROMPTS) == (mode != "whole")
    assert prompt_conversion.go_on()
    texts = ["~" if is_hashed(text) else text for text in Prompt.objects.values_list("text", flat=True)]
    assert texts == kept * 2
    row = Privacy.objects.get(user_id=alice.pk)
    assert (row.applied_at is not None, row.done, row.total) == (True, *((0, 0) if mode == "whole" else (2, 2)))


def test_prompts_that_come_behind_a_conversion_are_not_passed_over(
    left: int, alice: User, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(alice, call("own", ts="2026-09-09 10:00:00", prompt="own"))
    privacy.choose(alice.pk, "nothing", 1)
    privacy.begin_again(alice.pk)
    remove_exports = kept_files.remove_exports

    def adopted_meanwhile(archive_id: int) -> None:
        monkeypatch.setattr(kept_files, "remove_exports", remove_exports)
        time.pass_by(seconds=1)
        adopt(left)

    # It has gone through all records, and has not noted so yet.
    monkeypatch.setattr(kept_files, "remove_exports", adopted_meanwhile)
    prompt_conversion.go_on()
    assert Privacy.objects.get(user_id=alice.pk).applied_at is None
    assert prompt_conversion.go_on()
    assert not Prompt.objects.exists()


def test_prompts_stay_where_the_heir_has_not_asked_for_stored_ones_to_go(left: int, alice: User) -> None:
    archive(alice, call("own", prompt="own"))
    chosen(alice, "nothing", is_applied=False)
    adopt(left)
    assert prompt_conversion.go_on()
    assert (prompt_of(alice, "own"), prompt_of(alice, "r1")) == ("own", "bobs")


OF_BOB, OF_ALICE = "b0b" * 10, "a11ce" * 6


def test_calls_of_two_accounts_of_the_source_do_not_come_together(left: int, alice: User) -> None:
    AccountOfArchive.objects.create(archive_id=left, account=OF_BOB)
    AccountOfArchive.objects.create(archive_id=alice.pk, account=OF_ALICE, confirmed="own")
    with pytest.raises(
        CommandError, match=f"of {left} is of the account b0bb…0b at its source, that of alice of a11c…ce"
    ):
        adopt(left)
    assert (Record.objects.filter(archive_id=left).count(), resume_adoptions()) == (5, 0)
    AccountOfArchive.objects.filter(archive_id=left).update(account=OF_ALICE)
    assert adopt(left) == "alice has 5 more records.\n"
    assert AccountOfArchive.objects.get().confirmed == "own"


@pytest.mark.engine
@pytest.mark.parametrize("is_known", [True, False])
def test_an_heir_of_no_known_account_takes_that_of_the_archive(left: int, alice: User, is_known: bool) -> None:
    AccountOfArchive.objects.create(archive_id=left, account=OF_BOB, confirmed="bobs")
    if is_known:
        AccountOfArchive.objects.create(archive_id=alice.pk, confirmed="own")
    adopt(left)
    found = AccountOfArchive.objects.get()
    # A credential that was seen to be right may be of another account than the old archive.
    named = ("", "own") if is_known else (OF_BOB, "")
    assert (found.archive_id, found.account, found.confirmed) == (alice.pk, *named)


def test_an_archive_of_no_known_account_changes_nothing_of_that_of_the_heir(left: int, alice: User) -> None:
    AccountOfArchive.objects.create(archive_id=left, confirmed="bobs")
    AccountOfArchive.objects.create(archive_id=alice.pk, account=OF_ALICE, confirmed="own")
    adopt(left)
    assert AccountOfArchive.objects.get().account == OF_ALICE


@pytest.mark.parametrize(("days", "credits"), [(1, 7_000_000), (-1, 1_500_000)])
def test_of_a_call_that_both_have_the_newer_one_stays(days: int, credits: int, left: int, alice: User) -> None:
    archive(alice, call("r1", credits=7, prompt="own"))
    Record.objects.filter(archive_id=alice.pk).update(updated_at=stored(left).updated_at + timedelta(days=days))
    assert adopt(left) == f"alice has {4 if days > 0 else 5} more records.\n"
    assert stored(alice).credits == credits
    assert prompt_of(alice) == ("own" if days > 0 else "bobs")
    assert (Record.objects.count(), Prompt.objects.count()) == (5, 5)


def test_many_steps_are_one_adoption(left: int, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adoption, "ROWS", 2)
    archive(alice, *[call(f"r{number}") for number in range(3)])
    adopt(left)
    assert Record.objects.count() == 5
    assert recount(alice.pk).repaired == 0


def test_one_that_was_broken_off_is_begun_again(left: int, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adoption, "ROWS", 2)
    archive(alice, call("r1"))
    break_after_a_part(left, alice, monkeypatch)
    adopt(left)
    assert Record.objects.filter(archive_id=alice.pk).count() == 5
    assert recount(alice.pk).repaired == 0


def test_one_that_was_broken_off_at_its_end_is_begun_again(
    left: int, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(alice, call("r1"))
    with monkeypatch.context() as broken:
        broken.setattr("usage.adoption.ledger_writes.move", _break)
        with pytest.raises(InterruptedError):
            adopt_archive(left, alice)
    adopt(left)
    assert recount(alice.pk).repaired == 0
    assert not Run.objects.filter(archive_id=left).exists()


def test_one_that_was_broken_off_is_finished_by_the_housekeeping(
    left: int, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adoption, "ROWS", 2)
    break_after_a_part(left, alice, monkeypatch)
    # What was moved is whole, and nothing is in two places.
    assert (Record.objects.filter(archive_id=alice.pk).count(), Record.objects.count()) == (2, 5)
    assert recount(alice.pk).repaired == 0
    tasks.housekeeping()
    assert Record.objects.filter(archive_id=alice.pk).count() == 5
    assert not Setting.objects.filter(user_id=left).exists()
    assert "5 records" in Entry.objects.latest("pk").detail
    assert resume_adoptions() == 0


@pytest.mark.engine
def test_another_account_is_refused_while_one_adopts(left: int, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adoption, "ROWS", 2)
    make_user("carol")
    break_after_a_part(left, alice, monkeypatch)
    with pytest.raises(CommandError, match="alice is adopting"):
        adopt(left, "carol")
    assert adopt(left) == "alice has 5 more records.\n"


def test_an_heir_that_is_deleted_meanwhile_ends_it_and_leaves_the_rest(
    left: int, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adoption, "ROWS", 2)
    carol = make_user("carol")
    move = adoption._move

    def then_the_heir_goes(*ids: Any) -> int:
        moved = move(*ids)
        User.objects.filter(pk=alice.pk).delete()
        return moved

    monkeypatch.setattr(adoption, "_move", then_the_heir_goes)
    with pytest.raises(CommandError, match="alice was deleted meanwhile"):
        adopt(left)
    monkeypatch.undo()
    assert Record.objects.filter(archive_id=left).count() == 5
    assert adopt(left, carol.username) == "carol has 5 more records.\n"


def test_the_housekeeping_ends_one_whose_heir_is_gone(left: int, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adoption, "ROWS", 2)
    break_after_a_part(left, alice, monkeypatch)
    delete_account(alice.pk, keep_data=False, actor=Actor("command line", None))
    tasks.housekeeping()
    assert Record.objects.count() == Record.objects.filter(archive_id=left).count() == 3
    assert resume_adoptions() == 0
    make_user("carol")
    assert adopt(left, "carol") == "carol has 3 more records.\n"


@pytest.mark.django_db(transaction=True)
def test_two_at_once_move_each_record_once(left: int, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adoption, "ROWS", 1)
    archive(alice, call("r1"))
    adoptions.begin(left, alice)
    together(resume_adoptions, resume_adoptions)
    assert Record.objects.filter(archive_id=alice.pk).count() == Record.objects.count() == 5
    assert recount(alice.pk).repaired == 0
    assert Entry.objects.filter(action="user_update").count() == 1


def test_no_part_lacks_a_call_that_both_have(left: int, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adoption, "ROWS", 1)
    archive(alice, *[call(f"r{number}") for number in range(5)])
    Record.objects.filter(archive_id=alice.pk).update(updated_at=clock.now() - timedelta(days=9))
    seen = []

    def count(moved: int) -> None:
        assert recount_finds_nothing(alice)
        # Once before each part, and once in it.
        if moved:
            seen.append(Record.objects.filter(archive_id=alice.pk).count())

    adoption.move_records(left, alice.pk, count)
    assert seen == [5] * 5


def recount_finds_nothing(user: User) -> bool:
    return kept_rollups(user.pk) == counted_rollups(user.pk)


def break_after_a_part(old_id: int, heir: User, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: Iterator[Callable[[int, int, list[int]], int]] = iter([adoption._move, _break])
    with monkeypatch.context() as broken:
        broken.setattr(adoption, "_move", lambda *ids: next(steps)(*ids))
        with pytest.raises(InterruptedError):
            adopt_archive(old_id, heir)


def test_the_heirs_data_version_rises_with_every_step(left: int, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    raise_version(alice.pk)
    monkeypatch.setattr(adoption, "ROWS", 2)
    adopt(left)
    assert DataVersion.objects.get(archive_id=alice.pk).number >= 4


def test_it_is_in_the_audit_log(left: int, alice: User) -> None:
    adopt(left)
    entry = Entry.objects.latest("pk")
    assert (entry.actor, entry.user_id) == ("command line", None)
    assert all(words in entry.detail for words in (f"id {left}", "alice", "5 records"))


def test_the_name_is_found_in_other_spellings(left: int, alice: User) -> None:
    assert "5 more" in adopt(left, "ＡＬＩＣＥ")


def test_an_unknown_heir_is_refused(left: int) -> None:
    with pytest.raises(CommandError, match="no account nobody"):
        adopt(left, "nobody")


def test_the_archive_of_an_account_that_exists_is_not_taken_away(alice: User, bob: User) -> None:
    archive(bob, call("r1"))
    with pytest.raises(CommandError, match="account that exists"):
        adopt(bob.pk)
    with pytest.raises(CommandError, match="account that exists"):
        adopt(alice.pk)


@pytest.mark.engine
@pytest.mark.parametrize("old_id", [99999, 0, -1])
def test_an_id_that_left_nothing_is_refused(old_id: int, alice: User) -> None:
    with pytest.raises(CommandError, match="Nothing is kept"):
        adopt(old_id)


def test_an_id_that_left_nothing_but_settings_is_refused(bob: User, root: User, alice: User) -> None:
    Setting.objects.create(user_id=bob.pk, key="user_agent", value="bobs", updated_at=clock.now())
    delete_account(bob.pk, keep_data=True, actor=Actor("command line", None))
    with pytest.raises(CommandError, match="Nothing is kept"):
        adopt(bob.pk)
    assert Setting.objects.get().value == "bobs"


def test_an_id_that_left_a_budget_alone_is_adopted(bob: User, root: User, alice: User) -> None:
    stored_budgets.create(bob.pk, {"period": "month", "credits": 100})
    delete_account(bob.pk, keep_data=True, actor=Actor("command line", None))
    assert adopt(bob.pk) == "alice has 0 more records.\n"
    assert [budget.period for budget in stored_budgets.budgets_of(alice.pk)] == ["month"]


def test_what_is_being_erased_is_not_adopted(left: int, alice: User) -> None:
    Erasure.objects.create(user_id=left)
    with pytest.raises(CommandError, match="being erased"):
        adopt(left)


def test_the_settings_of_the_instance_are_no_archive(alice: User) -> None:
    Setting.objects.create(user_id=0, key="page_size", value="100", updated_at=clock.now())
    with pytest.raises(ValidationError):
        adopt_archive(0, alice)
    assert Setting.objects.filter(user_id=0).exists()


def _break(*arguments: object) -> int:
    raise InterruptedError


def test_the_heir_has_the_days_of_both_without_counts(left: int, alice: User) -> None:
    for owner, days in ((left, ("2026-09-01", "2026-09-02")), (alice.pk, ("2026-09-02", "2026-09-03"))):
        for day in days:
            CoverageDay.objects.create(archive_id=owner, day=day, upstream=5, settled_at=clock.now())
    Reach.objects.create(archive_id=left, first_day="2026-08-01")
    adopt(left)
    rows = CoverageDay.objects.order_by("day").values_list("archive_id", "day", "upstream", "settled_at")
    assert list(rows) == [(alice.pk, f"2026-09-0{number}", None, None) for number in (1, 2, 3)]
    assert not Reach.objects.exists()


def test_recent_days_of_the_heir_are_read_again(left: int, alice: User) -> None:
    yesterday = (clock.today() - timedelta(days=1)).isoformat()
    CoverageDay.objects.create(archive_id=left, day=yesterday, upstream=5)
    CoverageDay.objects.create(archive_id=left, day="2020-01-01", upstream=5)
    adopt(left)
    assert [day.isoformat() for day in ledger_writes.due(alice.pk, clock.now(), 9)] == [yesterday]


@pytest.mark.engine
def test_an_heir_gets_the_packages_and_orders_that_it_does_not_have(alice: User, bob: User, root: User) -> None:
    keep_packages(bob.pk)
    archive(bob, call("r1"))
    kept = kept_packages(bob.pk)
    delete_account(bob.pk, keep_data=True, actor=Actor("command line", None))
    adopt_archive(bob.pk, alice)
    assert (kept_packages(alice.pk), kept_packages(bob.pk)) == (kept, [[], [], [], []])


def test_its_own_packages_stay_as_they_are(alice: User, bob: User, root: User) -> None:
    keep_packages(bob.pk)
    keep_packages(alice.pk, FIRST + timedelta(days=3), names=("gift",))
    archive(bob, call("r1"))
    gift = Package.objects.get(archive_id=alice.pk)
    delete_account(bob.pk, keep_data=True, actor=Actor("command line", None))
    adopt_archive(bob.pk, alice)
    found = {one.resource_id: one for one in Package.objects.filter(archive_id=alice.pk)}
    assert (set(found), found["gift"].read_at) == ({"plan", "gift", "old"}, gift.read_at)


def test_an_adoption_that_dies_among_packages_goes_on(alice: User, bob: User, root: User) -> None:
    keep_packages(bob.pk)
    archive(bob, call("r1"))
    kept = kept_packages(bob.pk)
    delete_account(bob.pk, keep_data=True, actor=Actor("command line", None))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(taken_over, "take_order", interrupted)
        with pytest.raises(KeyboardInterrupt):
            adopt_archive(bob.pk, alice)
    assert resume_adoptions() == 1
    assert kept_packages(alice.pk) == kept


def interrupted(*given: Any) -> None:
    raise KeyboardInterrupt
