"""What an account stores, and its limit: docs/decisions/accounts.md#what-an-account-stores."""

import importlib

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.test.utils import CaptureQueriesContext

from accounts import config
from accounts.config import MEGABYTE
from accounts.models import INSTANCE, User
from tests.concurrency import together
from tests.factories import further_archive
from tests.usage.record_factories import archive, call, counted_bytes, kept_bytes, prompt_of
from usage import stored_size
from usage.data_version import raise_version
from usage.erasure import erase_archive
from usage.ingest import fill_prompts
from usage.models import DataVersion, Record
from usage.rollups.recompute import recount
from usage.stored_size import AccountFull, StoredSize

pytestmark = pytest.mark.django_db
# With its record 600,000 bytes: one fits into a megabyte.
LARGE = "x" * 599_000
MOST = 200_000


def limit(megabytes: object) -> None:
    written = config.write({"max_account_megabytes": str(megabytes)}, archive_id=INSTANCE, may_edit_instance=True)
    assert not written.errors


def used(user: User) -> int:
    return stored_size.of_account(user.pk).used


def large(user: User, *names: str) -> None:
    """Store calls with large prompts as one page."""
    archive(user, *(call(name, prompt=LARGE) for name in names), max_prompt=len(LARGE))


# What is counted


def test_a_record_counts_a_thousand_bytes_and_the_bytes_of_its_prompt(alice: User) -> None:
    archive(alice, call("a", prompt="why?"), call("b", prompt="为什么"), call("c"))
    assert used(alice) == 3000 + 4 + 9


def test_the_same_page_again_adds_nothing(alice: User) -> None:
    for _ in range(2):
        archive(alice, call("a", prompt="why?"), call("b"))
    assert used(alice) == 2004


def test_a_call_that_comes_twice_in_a_page_counts_once(alice: User) -> None:
    archive(alice, call("a", prompt="why?"), call("a", prompt="why is that?"))
    assert used(alice) == 1012


def test_a_more_complete_prompt_counts_what_it_adds(alice: User) -> None:
    archive(alice, call("a", prompt="为", prompt_truncated=True))
    archive(alice, call("a", prompt="why is that?"))
    assert used(alice) == 1012


def test_a_prompt_that_is_filled_counts(alice: User) -> None:
    archive(alice, call("a"))
    fill_prompts(alice.pk, [call("a", prompt="why?")], max_prompt=MOST)
    assert used(alice) == 1004


def test_a_prompt_counts_as_it_is_cut(alice: User) -> None:
    archive(alice, call("a", prompt="why?"), max_prompt=2)
    assert used(alice) == 1002


def test_other_values_of_a_call_count_nothing(alice: User) -> None:
    archive(alice, call("a", prompt="why?"))
    archive(alice, call("a", credits=9, prompt="why?"))
    assert used(alice) == 1004


def test_it_is_of_each_account_alone(alice: User, bob: User) -> None:
    archive(alice, call("a"))
    archive(bob, call("a"), call("b"))
    assert (used(alice), used(bob), stored_size.of_all()) == (1000, 2000, {alice.pk: 1000, bob.pk: 2000})


def test_it_takes_no_statement_of_its_own(alice: User) -> None:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        archive(alice, call("a", prompt="why?"))
    assert len([query for query in seen if "dataversion" in query["sql"]]) == 1


# The limit


def test_there_is_none_by_default(alice: User) -> None:
    large(alice, "a", "b")
    assert stored_size.of_account(alice.pk) == StoredSize(1_200_000, None)


@pytest.mark.django_db(transaction=True)
def test_a_page_that_does_not_fit_is_refused_whole(alice: User) -> None:
    limit(1)
    large(alice, "a")
    with pytest.raises(AccountFull):
        archive(alice, call("b"), call("c", prompt=LARGE), max_prompt=len(LARGE))
    assert stored_size.of_account(alice.pk) == StoredSize(600_000, MEGABYTE)
    assert (Record.objects.count(), kept_bytes(alice.pk)) == (1, counted_bytes(alice.pk))


@pytest.mark.django_db(transaction=True)
def test_what_fills_it_to_the_byte_fits(alice: User) -> None:
    limit(1)
    archive(alice, call("a", prompt="x" * (MEGABYTE - 1000)), max_prompt=MEGABYTE)
    with pytest.raises(AccountFull):
        archive(alice, call("b"))
    assert used(alice) == MEGABYTE


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_the_archives_of_an_account_share_its_limit(alice: User, bob: User) -> None:
    limit(1)
    further = further_archive(alice)
    large(alice, "a")
    with pytest.raises(AccountFull):
        archive(further, call("b", prompt=LARGE), max_prompt=len(LARGE))
    archive(further, call("b"))
    with pytest.raises(AccountFull):
        large(alice, "c")
    large(bob, "a")
    assert (used(alice), used(bob), stored_size.of_all()) == (601_000, 600_000, {alice.pk: 601_000, bob.pk: 600_000})


def test_it_says_what_is_used_and_who_can_raise_it(alice: User) -> None:
    limit(1)
    large(alice, "a")
    with pytest.raises(AccountFull) as full:
        large(alice, "b")
    assert str(full.value.message) == (
        "The account is full: it stores 0.6 MB of the 1.0 MB that it may, and the next calls do not fit. "
        "An administrator can raise the limit (max_account_megabytes)."
    )


def test_repeats_and_other_values_still_pass(alice: User) -> None:
    large(alice, "a", "b")
    limit(1)
    result = archive(alice, call("a", prompt=LARGE), call("b", credits=7, prompt=LARGE), max_prompt=len(LARGE))
    assert (result.dup, result.conflicts) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_a_longer_prompt_does_not_pass(alice: User) -> None:
    archive(alice, call("b", prompt="short"))
    large(alice, "a", "c")
    limit(1)
    with pytest.raises(AccountFull):
        fill_prompts(alice.pk, [call("b", prompt="longer than short")], max_prompt=MOST)
    assert prompt_of(alice, "b") == "short"


def test_a_full_account_stops_no_other_one(alice: User, bob: User) -> None:
    limit(1)
    large(alice, "a")
    large(bob, "a")
    assert used(bob) == 600_000


@pytest.mark.parametrize("more", ["2", "0", ""])
def test_a_raised_limit_holds_at_once(alice: User, more: str) -> None:
    limit(1)
    large(alice, "a")
    limit(more)
    large(alice, "b")
    assert used(alice) == 1_200_000


@pytest.mark.django_db(transaction=True)
def test_of_two_pages_at_once_one_fits(alice: User) -> None:
    limit(1)
    results = together(lambda: large(alice, "a"), lambda: large(alice, "b"))
    assert sorted(map(repr, results)) == sorted([repr(None), repr(AccountFull(600_000, MEGABYTE))])
    assert (used(alice), Record.objects.count()) == (600_000, 1)


# What is deleted


def test_nothing_is_left_of_an_erased_archive(alice: User) -> None:
    archive(alice, call("a", prompt="why?"))
    erase_archive(alice.pk)
    assert not DataVersion.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_erasure_that_breaks_off_leaves_the_sum_of_the_rest(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    archive(alice, *(call(f"r{number}", prompt="why?") for number in range(5)))
    parts: list[int] = []

    def breaking_off(ids: list[int]) -> None:
        stored_size.note_removed(ids)
        parts.append(len(ids))
        if len(parts) == 2:
            raise RuntimeError

    monkeypatch.setattr("usage.erasure.ROWS", 2)
    monkeypatch.setattr("usage.erasure.note_removed", breaking_off)
    with pytest.raises(RuntimeError):
        erase_archive(alice.pk)
    assert (parts, Record.objects.count(), used(alice)) == ([2, 2], 3, 3012)


# The recount


@pytest.mark.engine
def test_a_recount_repairs_a_wrong_sum(alice: User) -> None:
    archive(alice, call("a", prompt="why?"), call("b"))
    DataVersion.objects.update(stored_bytes=77)
    assert (recount(alice.pk).repaired, used(alice), recount(alice.pk).repaired) == (1, 2004, 0)


def test_a_sum_that_changes_while_it_is_counted_is_compared_again(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    archive(alice, call("a", prompt="why?"))
    DataVersion.objects.update(stored_bytes=77)
    later = iter([lambda: archive(alice, call("b"))])

    def raised(user_id: int) -> None:
        # What another process stores between the count and the repair.
        next(later, lambda: None)()
        raise_version(user_id)

    monkeypatch.setattr(stored_size, "raise_version", raised)
    assert (stored_size.repair(alice.pk), used(alice)) == (True, 2004)


def test_an_account_without_records_has_nothing_to_repair(alice: User) -> None:
    assert not stored_size.repair(alice.pk)


# The migration


@pytest.mark.engine
def test_the_migration_counts_what_is_there(alice: User, bob: User) -> None:
    archive(alice, call("a", prompt="为什么"), call("b"))
    archive(bob, call("a"))
    DataVersion.objects.filter(archive_id=bob.pk).delete()
    DataVersion.objects.update(stored_bytes=0)
    before = DataVersion.objects.get().number
    before_it = MigrationLoader(connection).project_state(("usage", "0018_stored_bytes"))
    migration = importlib.import_module("usage.migrations.0019_count_stored_bytes")
    for _ in range(2):
        migration.count(before_it.apps, connection.schema_editor())
    assert (stored_size.of_all(), DataVersion.objects.get(archive_id=alice.pk).number) == (
        {alice.pk: 2009, bob.pk: 1000},
        before,
    )
