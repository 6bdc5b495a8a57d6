"""Searching prompts: which way a search goes, and what it reads."""

from collections.abc import Callable
from datetime import date
from itertools import chain
from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days
from tests.usage.record_factories import archive, call, plans_of
from tests.usage.search_reference import limits, plain_like
from usage import prompt_match
from usage.filters import ORDERS, RecordFilters
from usage.search import plan as search
from usage.search.query import SearchQuery
from usage.search.sqlite.candidate_sort import sort_candidates
from usage.search.sqlite.candidates import Candidates, fewest_candidates
from usage.search.sqlite.terms import NARROW, WIDE, questions

pytestmark = pytest.mark.django_db

OLD, NEW = "2026-01-05 12:00:00", "2026-09-07 12:00:00"
# One strategy each: answered by the index at once, walked first, then by periods or sorted.
WAYS: dict[str, dict[str, int]] = {
    "sorted": {"few": 2000},
    "among others": {"few": 0, "walked": 2000},
    "among too many others": {"few": 0, "walked": 2},
    "walked": {"few": 0, "chunks_first": 5, "walked_first": 5000},
    "long way": {"few": 0},
}


@pytest.fixture
def archived(alice: User, bob: User) -> None:
    """Alice's old calls say `needle` and 函数, her new ones something else; bob's all say both."""
    both = "a needle in 函数 code"
    old = [call(f"old{n}", ts=OLD, credits=n % 3, model=f"m{n % 2}", prompt=both) for n in range(20)]
    new = [call(f"new{n}", ts=NEW, credits=n % 3, model=f"m{n % 2}", prompt="the needing 字 of edl") for n in range(20)]
    archive(alice, *old, *new)
    archive(bob, *(call(f"his{n}", ts=NEW, prompt=both) for n in range(30)))


def looked_at(ask: Callable[[], object]) -> int:
    """The number of prompts that a query compares with the needle."""
    compared = []

    def contains(text: str, needle: str) -> bool:
        compared.append(text)
        return needle in text

    connection.ensure_connection()
    connection.connection.create_function("contains_needle", 2, contains)
    with patch.object(prompt_match, "verified", lambda text: ("contains_needle(p.text, %s)", text)):
        ask()
    return len(compared)


def search_for(owner: User, needle: str) -> SearchQuery:
    return SearchQuery(owner.pk, RecordFilters(text=needle), "ts_desc")


def found_by(owner: User, needle: str) -> Candidates:
    found = fewest_candidates(search_for(owner, needle), 9)
    assert found is not None
    return found


@pytest.mark.thorough_after(24)
@pytest.mark.parametrize("needle", ["needle", "函数", "函", "n 函", "ee", "e"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_finds_the_same(archived: None, alice: User, way: str, order: str, needle: str) -> None:
    filters = RecordFilters(text=needle)
    expected = plain_like(alice.pk, filters, order)
    assert expected
    with limits(**WAYS[way]):
        assert search.page(alice.pk, filters, order, 3, 5) == expected[3:8]
        assert search.sums(alice.pk, filters).calls == len(expected)
        assert list(chain.from_iterable(search.chunks(alice.pk, filters, order))) == expected


@pytest.mark.sqlite_only
@pytest.mark.parametrize("order", ["ts_desc", "ts_asc"])
def test_the_periods_without_candidates_are_not_looked_at(archived: None, alice: User, order: str) -> None:
    with limits(0):
        assert looked_at(lambda: search.page(alice.pk, RecordFilters(text="needle"), order, 0, 5)) == 5


@pytest.mark.parametrize("order", ["ts_desc", "ts_asc"])
def test_no_period_is_left_out_or_read_twice(alice: User, order: str) -> None:
    months = [f"{year}-{month:02}-15 12:00:00" for year in range(2021, 2026) for month in range(1, 13)]
    archive(alice, *(call(ts, ts=ts, prompt="needle") for ts in months))
    filters = RecordFilters(text="needle")
    expected = plain_like(alice.pk, filters, order)
    with limits(0):
        assert list(chain.from_iterable(search.chunks(alice.pk, filters, order))) == expected
        assert search.page(alice.pk, filters, order, 0, 50) == expected[:50]


@pytest.mark.sqlite_only
def test_only_the_own_candidates_in_the_periods_asked_for_are_looked_at(archived: None, alice: User, bob: User) -> None:
    filters = RecordFilters(text="needle")
    with limits(1, walked=50):
        assert looked_at(lambda: search.sums(bob.pk, filters)) == 30
        assert looked_at(lambda: search.page(alice.pk, filters, "credits_desc", 0, 20)) == 20
        assert looked_at(lambda: search.page(alice.pk, filters, "credits_desc", 0, 5)) == 5
        days = Days(date(2026, 9, 1), None)
        assert looked_at(lambda: search.page(alice.pk, RecordFilters(days=days, text="needle"), "ts_desc", 0, 50)) == 0


@pytest.mark.sqlite_only
def test_a_common_needle_is_found_by_walking_a_few_records(archived: None, bob: User) -> None:
    with limits(1, 5):
        assert looked_at(lambda: search.page(bob.pk, RecordFilters(text="needle"), "model_asc", 0, 5)) == 30


@pytest.mark.sqlite_only
def test_what_turned_out_no_match_among_those_sorted_first_is_made_up_for(archived: None, alice: User) -> None:
    # All trigrams of 'needle' that the index is asked for, in other words.
    archive(alice, *(call(f"like{n}", ts=NEW, credits=n % 3, model="m0", prompt="needing edle") for n in range(20)))
    filters = RecordFilters(text="needle")
    for order in ORDERS:
        with limits(2000):
            assert search.page(alice.pk, filters, order, 0, 5) == plain_like(alice.pk, filters, order)[:5]


@pytest.mark.sqlite_only
def test_a_walk_by_credits_goes_along_their_index_past_the_other_records(archived: None, alice: User) -> None:
    with limits(1, walked=50):
        plans = plans_of(lambda: search.page(alice.pk, RecordFilters(text="needle"), "credits_desc", 0, 5))
    [plan] = [plan for plan in plans if "record_by_credits" in plan and NARROW in plan]
    assert "SEARCH r USING COVERING INDEX record_by_credits (user_id=?)" in plan
    assert "TEMP B-TREE" not in plan
    assert f"SCAN {NARROW} VIRTUAL TABLE INDEX" in plan
    assert "SEARCH p USING INTEGER PRIMARY KEY" in plan


def test_the_days_of_a_period_that_were_not_asked_for_are_left_out(alice: User) -> None:
    archive(alice, *(call(day, ts=f"{day} 12:00:00", prompt="needle") for day in ("2026-09-08", "2026-09-09")))
    filters = RecordFilters(days=Days(date(2026, 9, 9), date(2026, 9, 9)), text="needle")
    with limits(1):
        assert search.sums(alice.pk, filters).calls == len(search.page(alice.pk, filters, "ts_desc", 0, 9)) == 1


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("needle", "table"), [("needle", NARROW), ("函数", WIDE), ("数", WIDE), ("函数 code", NARROW), ("a函", WIDE)]
)
def test_candidates_come_from_the_index_and_lead_to_rows_by_their_keys(
    archived: None, alice: User, needle: str, table: str
) -> None:
    with limits(1):
        *_, plan = plans_of(lambda: sort_candidates(search_for(alice, needle), found_by(alice, needle)))
    assert f"SCAN {table} VIRTUAL TABLE INDEX" in plan
    assert "SEARCH r USING INTEGER PRIMARY KEY" in plan
    assert "SEARCH p USING INTEGER PRIMARY KEY" in plan
    assert "SCAN usage" not in plan.replace(f"SCAN {table}", "")


@pytest.mark.sqlite_only
def test_candidates_are_counted_within_the_account_and_no_further_than_asked(archived: None, alice: User) -> None:
    found = fewest_candidates(search_for(alice, "needle"), 7)
    assert found is not None
    assert found.number == 7
    [plan, *_] = plans_of(lambda: found.counted(7))
    # FTS5's notation: a match between two row numbers.
    assert "VIRTUAL TABLE INDEX 0:M" in plan
    assert "><" in plan or "<" in plan


@pytest.mark.sqlite_only
def test_one_and_two_latin_characters_have_no_candidates(archived: None, alice: User) -> None:
    found = [fewest_candidates(search_for(alice, needle), 9) for needle in ("e", "ne", "%", "é")]
    assert found == [None] * 4


def test_a_long_needle_asks_for_a_few_terms_only() -> None:
    long = "".join(chr(0x4E00 + n) for n in range(500)) + "".join(f"{n:03}" for n in range(160))
    assert {table: question.count(" AND ") < 16 for table, question in questions(long).items()} == {
        NARROW: True,
        WIDE: True,
    }


@pytest.mark.parametrize("needle", ["needle", "ne"])
def test_a_page_takes_a_fixed_number_of_queries(archived: None, alice: User, needle: str) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as captured:
            search.page(alice.pk, RecordFilters(text=needle), "ts_desc", 0, 5)
        return len(captured)

    few = asked()
    archive(alice, *(call(f"more{n}", ts=NEW, prompt="needle") for n in range(60)))
    assert asked() == few
