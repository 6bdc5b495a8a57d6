"""The first records of a list on PostgreSQL: pages are those that the rollups lead to, and a search has each once."""

from datetime import date
from itertools import product
from unittest.mock import patch

import pytest

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days, Paging
from tests.usage.record_factories import archive, call
from usage.filters import ORDERS, RecordFilters
from usage.reads import list_parts
from usage.record_lists.first_pages import postgres as first_pages
from usage.search.postgres.first_records import FirstRecords
from usage.search.query import SearchQuery

pytestmark = pytest.mark.postgres_only

FILTERS = [
    RecordFilters(),
    RecordFilters(Days(date(2026, 9, 4), date(2026, 9, 9))),
    RecordFilters(model="m1"),
    RecordFilters(model=("m1", "m2"), client="c0"),
    RecordFilters(purpose="chat"),
    RecordFilters(is_free=True, model="m1"),
    RecordFilters(is_free=False, client="c1"),
    RecordFilters(credits_above=2_000_000, model="m0"),
    RecordFilters(has_prompt=True),
    RecordFilters(hour=7),
    RecordFilters(Days(date(2026, 9, 4), date(2026, 9, 9)), model="m1", hour=7, is_free=True),
]


@pytest.fixture
def archived(alice: User, bob: User) -> User:
    for user, count in ((alice, 240), (bob, 40)):
        archive(user, *(
            call(f"r{number}", ts=f"2026-09-{1 + number % 12:02} {number % 5 + 5:02}:00:{number % 7:02}",
                 credits=max(0, number % 9 - 4), model=f"m{number % 4}", client=f"c{number % 3}",
                 agent_purpose="chat" if number % 5 else "", prompt="" if number % 6 == 0 else "a prompt")
            for number in range(count)
        ))  # fmt: skip
    return alice


def page(user: User, filters: RecordFilters, order: str, paging: Paging) -> list[str]:
    return [record.request_id for record in list_parts.page_of_records(user.pk, filters, order, paging, lean=False)]


def test_both_ways_give_the_same_records(archived: User) -> None:
    served = 0
    for filters, order, number in product(FILTERS, ORDERS, (1, 2, 5)):
        paging = Paging(number, 4)
        with patch.object(first_pages, "_FIRST", 0):
            expected = page(archived, filters, order, paging)
        with patch.multiple(first_pages, _FIRST=60, _ends={}):
            assert page(archived, filters, order, paging) == expected, (filters, order, number)
            columns = ["r.request_id"]
            served += bool(first_pages.rows_among_first(archived.pk, filters, order, paging, columns))
    # All of the others lie further back, or are sorted by model or client.
    assert served >= 60


@pytest.mark.parametrize("order", ["ts_desc", "credits_asc"])
def test_an_end_that_was_found_before_the_archive_grew_only_reads_further(archived: User, order: str) -> None:
    filters, paging = RecordFilters(model="m1"), Paging(1, 4)
    with patch.multiple(first_pages, _FIRST=60, _ends={}):
        page(archived, filters, order, paging)
        archive(archived, *(call(f"new{n}", ts=f"2026-09-{20 - n} 09:00:00", credits=0, model="m1") for n in range(9)))
        found = page(archived, filters, order, paging)
    with patch.object(first_pages, "_FIRST", 0):
        assert found == page(archived, filters, order, paging)
    assert order != "ts_desc" or found == ["new0", "new1", "new2", "new3"]


def test_an_end_is_not_kept_for_ever(archived: User) -> None:
    with patch.multiple(first_pages, _FIRST=10, _ends={}, _MOST_ENDS=3):
        for day in range(1, 9):
            page(
                archived, RecordFilters(Days(date(2026, 9, day), date(2026, 9, 12)), model="m1"), "ts_asc", Paging(1, 2)
            )
            assert 0 < len(first_pages._ends) <= 3


@pytest.mark.parametrize("order", ["ts_desc", "credits_desc"])
def test_a_search_finds_a_record_once_though_others_come_between_its_parts(archived: User, order: str) -> None:
    first = FirstRecords(SearchQuery(archived.pk, RecordFilters(text="prompt"), order))
    first.compare(10, 50)
    before = first.ids[:]
    archive(archived, *(call(f"new{n}", ts="2026-09-30 09:00:00", credits=99, prompt="a prompt") for n in range(5)))
    first.compare(20, 50)
    assert first.ids[: len(before)] == before
    assert len(first.ids) == len({*first.ids}) > len(before)
