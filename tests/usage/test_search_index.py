"""The search index of SQLite stays in step with the prompts, whatever happens to them."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from unittest.mock import patch

import pytest
from django.core.management import CommandError
from django.db import OperationalError, transaction

from accounts.models import Archive, User
from archive_site.archive_adoption import adopt_archive
from tests.usage.record_factories import archive, call, rows_of, stored
from tests.usage.search_reference import check_integrity, index_contents, index_made_afresh, tidied
from usage.erasure import erase_archive
from usage.filters import RecordFilters
from usage.models import Record
from usage.rollups import recompute as rollup
from usage.search import plan as search
from usage.search.entry import Entry
from usage.search.sqlite import index as search_index
from usage.search.sqlite.terms import NARROW, WIDE, place

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite_only]
OTHER_DAY = "2027-01-07 12:30:00"


@contextmanager
def in_step() -> Iterator[None]:
    """The block leaves a valid index that matches the prompts exactly."""
    yield
    check_integrity()
    assert index_contents() == index_made_afresh()


def test_a_prompt_is_indexed_with_its_record(alice: User) -> None:
    with in_step():
        archive(alice, call("a", prompt="some words"), call("b", prompt="中文"), call("c"), call("d", prompt="ab"))
    at = {one: place(alice.pk, "2026-09-07", stored(alice, one).pk) for one in "ab"}
    contents = index_contents()
    assert ("wor", at["a"]) in contents[NARROW]
    assert contents[WIDE] == [("中", at["b"]), ("中文", at["b"]), ("文", at["b"])]


def test_a_more_complete_prompt_takes_the_place_of_the_old_one(alice: User) -> None:
    archive(alice, call("a", prompt="old 旧"), call("b", prompt="old too"))
    with in_step():
        archive(alice, call("a", prompt="newer 新字"), call("b", prompt="newer again"), call("c", prompt="one more"))


def test_a_prompt_moves_with_the_day_of_its_record(alice: User) -> None:
    archive(alice, call("a", prompt="words 字"))
    with in_step():
        archive(alice, call("a", ts=OTHER_DAY))


def test_a_prompt_that_comes_and_grows_within_one_page_is_indexed_once(alice: User) -> None:
    with in_step():
        archive(alice, call("a", prompt="first"), call("a", prompt="second and longer", ts=OTHER_DAY))


def test_a_page_that_is_undone_leaves_nothing_in_the_index(alice: User) -> None:
    archive(alice, call("a", prompt="first words"))
    before = index_contents()
    with transaction.atomic():
        archive(alice, call("a", prompt="other words, and more"), call("b", prompt="new ones"))
        transaction.set_rollback(True)
    assert index_contents() == before == index_made_afresh()


@pytest.mark.django_db(transaction=True)
def test_a_page_that_fails_at_its_end_leaves_the_store_as_it_was(alice: User) -> None:
    archive(alice, call("a", prompt="first words"))
    before = index_contents()
    with (
        patch("usage.rollups.recompute.compute_again", side_effect=ZeroDivisionError),
        pytest.raises(ZeroDivisionError),
    ):
        archive(alice, call("a", prompt="other words, and more"), call("b", prompt="new ones"))
    assert index_contents() == before
    assert Record.objects.filter(archive_id=alice.pk).count() == 1
    check_integrity()


def test_an_erased_archive_leaves_nothing_in_the_index_and_another_everything(alice: User, bob: User) -> None:
    archive(alice, *(call(f"a{n}", prompt=f"words {n} 字") for n in range(5)))
    archive(bob, call("b", prompt="words 字"))
    with in_step():
        erase_archive(alice.pk)
        tidied()
    assert {doc for _, doc in index_contents()[NARROW]} == {place(bob.pk, "2026-09-07", stored(bob, "b").pk)}


def test_once_tidied_no_trigram_of_an_erased_prompt_is_in_the_file(alice: User, bob: User) -> None:
    archive(alice, call("a", prompt="zqxjvw"))
    archive(bob, call("b", prompt="words"))
    erase_archive(alice.pk)
    tidied()
    blocks = b"".join(row[0] for row in rows_of(f"SELECT block FROM {NARROW}_data"))
    assert b"zqx" not in blocks
    assert b"wor" in blocks


def test_an_adopted_archive_is_indexed_under_its_heir(alice: User) -> None:
    archive(7777, call("a", prompt="hers alone"), call("both", prompt="older 旧"))
    archive(alice, call("both", prompt="newer 新"))
    with in_step():
        adopt_archive(7777, alice)
        tidied()
    assert search.sums(alice.pk, RecordFilters(text="hers alone")).calls == 1


def test_a_recount_leaves_the_index_as_it_is(alice: User, bob: User) -> None:
    # A text that is indexed twice is found twice in larger indexes and is never removed completely.
    for user in (alice, bob):
        for part in range(4):
            prompts = [f"{user} asks {part * 500 + n} for words {n * 7919 % 10007}" for n in range(500)]
            archive(user, *(call(f"{part}-{n}", prompt=prompt) for n, prompt in enumerate(prompts)))
    rollup.recount(alice.pk)
    with in_step():
        erase_archive(alice.pk)
        tidied()


def test_the_migration_indexes_the_prompts_that_are_there_and_goes_back(alice: User) -> None:
    migration = import_module("usage.migrations.0003_search_index")
    filling = import_module("usage.migrations.0006_index_prompts")
    archive(alice, *(call(f"a{n}", prompt=f"words {n} 字") for n in range(5)))
    migration.remove(None, None)
    assert rows_of("SELECT name FROM sqlite_master WHERE name LIKE 'usage_search%%'") == []
    migration.build(None, None)
    with patch.object(search_index, "STEP", 2), in_step():
        filling.build(None, None)


def test_what_an_earlier_version_indexed_is_forgotten(alice: User) -> None:
    archive(alice, call("a", prompt="words"))
    search_index.add([Entry(alice.pk, 77, "2026-09-08", "of another layout")])
    with in_step():
        import_module("usage.migrations.0006_index_prompts").build(None, None)


def test_a_sqlite_without_fts5_is_named_in_one_line() -> None:
    search_index.drop()
    missing = OperationalError("no such module: fts5")
    with (
        patch("django.db.backends.utils.CursorWrapper.execute", side_effect=missing),
        pytest.raises(CommandError, match=r"^The search index needs SQLite 3.34 or newer with FTS5: no such module"),
    ):
        search_index.create()


def test_tidying_goes_in_steps_and_comes_to_an_end(alice: User) -> None:
    for page in range(3):
        archive(alice, *(call(f"{page}-{n}", prompt=f"words {page} {n} 字") for n in range(3)))
    assert search_index.tidy(1)
    with in_step():
        tidied()
    assert not search_index.tidy()


FURTHER = Archive.FIRST_OF_FURTHER


@pytest.mark.parametrize(
    ("archive_id", "record_id"),
    [(1 << 19, 1), (FURTHER - 1, 1), (FURTHER + (1 << 19), 1), (1, 1 << 33), (-1, 1)],
)
def test_a_place_beyond_the_index_is_refused(archive_id: int, record_id: int) -> None:
    with pytest.raises(OverflowError):
        place(archive_id, "2026-09-07", record_id)


def test_places_follow_account_then_period_then_record() -> None:
    days = ["0001-01-01", "2026-08-30", "2026-08-31", "2026-11-30", "2254-06-01", "9999-12-31"]
    places = [place(archive_id, day, 1) for archive_id in (1, 2, (1 << 19) - 1, FURTHER, FURTHER + 1) for day in days]
    assert places == sorted(places)
    assert place(1, "2026-08-31", 2) > place(1, "2026-11-29", 1)
    assert place(FURTHER + (1 << 19) - 1, "9999-12-31", (1 << 33) - 1) == (1 << 63) - 1
