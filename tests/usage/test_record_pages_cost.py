"""What a page of records costs: plans without scans and sorts, short ways, and a fixed number of queries."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from archive_site.lib.http.parameter_parsing import Days, Paging
from tests.usage.record_factories import plans_of
from tests.usage.record_plans import BY_CREDITS, BY_TIME, CREDITS, EVERY, NAMED, SPAN, TIMES, by_group, is_sound
from usage.filters import ORDERS, RecordFilters
from usage.reads import list_parts, queries
from usage.record_lists import list_sums, page_ids

pytestmark = pytest.mark.django_db

# The most expensive or cheapest calls, which cost the same, then those beyond; each looks up its credits.
PART_BY_PART = {
    order: [BY_CREDITS + end for end in (" AND credits=? AND ts>? AND ts<?)", ")", f" AND credits{beyond}?)", ")")]
    for order, beyond in (("credits_desc", "<"), ("credits_asc", ">"))
}
NAMES = ["model_asc", "client_asc"]
DAY = Days(date(2026, 9, 4), date(2026, 9, 4))
HOURS = [
    RecordFilters(DAY, hour=3),
    RecordFilters(DAY, hour=3, model="kimi"),
    RecordFilters(DAY, hour=3, client="cli", purpose="chat"),
    RecordFilters(DAY, hour=3, has_prompt=False),
    RecordFilters(DAY, hour=3, credits_above=0),
]


@pytest.fixture(autouse=True)
def way() -> Iterator[None]:
    """Treat every archive as a large one."""
    with patch.multiple(page_ids, _NEAR=0, _FEW=0):
        yield


def offsets(ask: Callable[[], object]) -> list[int]:
    """How many rows each query of a page skips."""
    with CaptureQueriesContext(connection) as captured:
        ask()
    return [int(skipped) for query in captured for skipped in re.findall(r"OFFSET (\d+)", query["sql"])]


def searches(plan: str) -> list[str]:
    """The steps of a plan that look something up."""
    return re.findall(r"SEARCH [^;]*", plan)


def plan_over_records(plans: list[str]) -> str:
    """The one plan that reads records."""
    [plan] = [plan for plan in plans if "record_by_" in plan or "usage_record" in plan]
    return plan


# Plans.


@pytest.mark.sqlite_only
@pytest.mark.parametrize("order", TIMES)
@pytest.mark.parametrize("filters", [RecordFilters(), SPAN])
@pytest.mark.parametrize("offset", [0, 20])
def test_a_page_in_time_walks_the_index_of_time(owner: int, order: str, filters: RecordFilters, offset: int) -> None:
    plans = plans_of(lambda: page_ids.page(owner, filters, order, offset, 5))
    assert plan_over_records(plans).startswith(BY_TIME)
    assert all(is_sound(plan) for plan in plans)


@pytest.mark.sqlite_only
@pytest.mark.parametrize("order", CREDITS)
@pytest.mark.parametrize("filters", EVERY)
@pytest.mark.parametrize("offset", [0, 12, 40])
def test_a_page_by_credits_walks_their_index_under_every_filter(
    owner: int, order: str, filters: RecordFilters, offset: int
) -> None:
    plans = plans_of(lambda: page_ids.page(owner, filters, order, offset, 5))
    # Beyond the end there is nothing to read.
    if offset < list_sums.count(owner, filters):
        assert searches(plan_over_records(plans)) in ([BY_CREDITS + ")"], *PART_BY_PART.values())
    assert all(is_sound(plan) for plan in plans)


@pytest.mark.sqlite_only
@pytest.mark.parametrize("order", CREDITS)
def test_a_page_by_credits_begins_at_its_days_among_the_calls_that_cost_the_same(owner: int, order: str) -> None:
    plans = plans_of(lambda: page_ids.page(owner, SPAN, order, 0, 5))
    assert searches(plan_over_records(plans)) == PART_BY_PART[order]


@pytest.mark.sqlite_only
@pytest.mark.parametrize("order", TIMES)
@pytest.mark.parametrize("filters", NAMED)
def test_a_page_of_names_in_time_reads_the_groups_of_its_days(owner: int, order: str, filters: RecordFilters) -> None:
    plans = plans_of(lambda: page_ids.page(owner, filters, order, 4, 5))
    assert plan_over_records(plans).endswith(by_group(filters))
    assert all(is_sound(plan) for plan in plans)


@pytest.mark.sqlite_only
@pytest.mark.parametrize("order", [*TIMES, *NAMES])
def test_least_credits_keep_to_the_records_of_the_groups(owner: int, order: str) -> None:
    plans = plans_of(lambda: page_ids.page(owner, RecordFilters(client="ide", credits_above=5), order, 0, 5))
    assert plans[-1].endswith(by_group(RecordFilters()))


@pytest.mark.sqlite_only
@pytest.mark.parametrize("order", NAMES)
@pytest.mark.parametrize("filters", EVERY)
def test_a_page_by_name_reads_the_groups_of_its_name_and_days(owner: int, order: str, filters: RecordFilters) -> None:
    plans = plans_of(lambda: page_ids.page(owner, filters, order, 4, 5))
    assert plan_over_records(plans).endswith(by_group(filters))
    assert is_sound(plan_over_records(plans))
    # Names are summed from the rollup, whose key begins with the day.
    assert not [plan for plan in plans if "SCAN usage" in plan]


@pytest.mark.sqlite_only
@pytest.mark.parametrize("order", CREDITS)
@pytest.mark.parametrize("filters", [SPAN, *NAMED])
def test_few_records_are_read_by_their_groups(owner: int, order: str, filters: RecordFilters) -> None:
    with patch.object(page_ids, "_FEW", 100):
        plans = plans_of(lambda: page_ids.page(owner, filters, order, 4, 5))
    assert plan_over_records(plans).endswith(by_group(filters))
    assert all(is_sound(plan) for plan in plans)


@pytest.mark.sqlite_only
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("filters", HOURS)
def test_a_page_of_an_hour_of_a_day_reads_nothing_of_other_days(owner: int, order: str, filters: RecordFilters) -> None:
    with patch.object(page_ids, "_FEW", 100):
        plans = plans_of(lambda: page_ids.page(owner, filters, order, 0, 5))
    assert plans[-1].endswith(by_group(filters))
    assert [plan for plan in plans if not re.search(r"\(user_id=\? AND day[=>]\?", plan)] == []
    assert not [plan for plan in plans if "SCAN usage" in plan]


@pytest.mark.sqlite_only
def test_the_rows_of_a_page_are_looked_up_by_their_keys(owner: int) -> None:
    *_, rows = plans_of(lambda: list_parts.page_of_records(owner, RecordFilters(), "ts_desc", Paging(1, 5), lean=True))
    assert rows == "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)"


@pytest.mark.sqlite_only
@pytest.mark.parametrize("filters", EVERY)
def test_a_total_is_read_in_the_rollup(owner: int, filters: RecordFilters) -> None:
    horizon, plan = plans_of(lambda: queries.count_records(owner, filters))
    assert horizon == "SEARCH usage_horizon USING INDEX sqlite_autoindex_usage_horizon_1 (user_id=?)"
    assert "usage_record" not in plan
    assert is_sound(plan)


@pytest.mark.sqlite_only
def test_the_ends_of_an_archive_are_two_lookups(owner: int) -> None:
    [plan] = plans_of(lambda: queries.window(owner, Days()))
    assert plan.count("SEARCH usage_daytotal USING PRIMARY KEY") == plan.count("SCALAR SUBQUERY") == 2


# Short ways.


@pytest.mark.parametrize("order", TIMES)
@pytest.mark.parametrize("filters", [RecordFilters(), SPAN])
@pytest.mark.parametrize("offset", [5, 23, 44])
def test_a_page_in_time_skips_less_than_a_days_calls(
    owner: int, order: str, filters: RecordFilters, offset: int
) -> None:
    assert offsets(lambda: page_ids.page(owner, filters, order, offset, 5)) == [offset % 5]


@pytest.mark.parametrize(
    ("offset", "size", "days"), [(0, 3, 1), (3, 3, 1), (2, 1, 1), (2, 2, 2), (4, 6, 3), (26, 9, 1)]
)
def test_a_page_of_names_reads_no_day_in_which_it_does_not_lie(owner: int, offset: int, size: int, days: int) -> None:
    with CaptureQueriesContext(connection) as captured:
        page_ids.page(owner, RecordFilters(model="glm"), "ts_asc", offset, size)
    assert captured[-1]["sql"].count("('2026-09-") == days


def test_a_page_near_the_beginning_does_not_ask_the_rollup(owner: int) -> None:
    with patch.object(page_ids, "_NEAR", 10):
        assert offsets(lambda: page_ids.page(owner, RecordFilters(), "ts_desc", 10, 5)) == [10]
        assert offsets(lambda: page_ids.page(owner, RecordFilters(), "credits_desc", 10, 5)) == [10]


@pytest.mark.parametrize("order", CREDITS)
@pytest.mark.parametrize(("offset", "skipped"), [(10, 10), (20, 20), (25, 15), (40, 0), (43, 0)])
def test_a_page_by_credits_is_read_from_the_nearer_end(owner: int, order: str, offset: int, skipped: int) -> None:
    assert offsets(lambda: page_ids.page(owner, RecordFilters(), order, offset, 5)) == [skipped]


@pytest.mark.sqlite_only
def test_the_top_of_an_archive_is_one_query_that_reads_as_many_entries_as_it_returns(owner: int) -> None:
    plans = plans_of(lambda: page_ids.top(owner, RecordFilters(), 5))
    assert plans == [BY_CREDITS + ")"]
    assert offsets(lambda: page_ids.top(owner, RecordFilters(), 5)) == [0]


# Queries.


@pytest.mark.parametrize(
    ("order", "filters", "number"),
    [
        *((order, RecordFilters(), 2) for order in [*TIMES, *CREDITS]),
        *((order, SPAN, 2) for order in [*TIMES, *CREDITS]),
        *((order, NAMED[0], 2) for order in [*TIMES, *CREDITS, "model_asc"]),
        *((order, RecordFilters(), 3) for order in NAMES),
        ("client_asc", NAMED[0], 3),
    ],
)
@pytest.mark.parametrize("size", [1, 4, 17])
def test_a_page_makes_a_fixed_number_of_queries_whatever_its_size_and_place(
    owner: int,
    django_assert_num_queries: DjangoAssertNumQueries,
    order: str,
    filters: RecordFilters,
    number: int,
    size: int,
) -> None:
    for offset in (1, 9, 26):
        with django_assert_num_queries(number):
            page_ids.page(owner, filters, order, offset, size)


@pytest.mark.sqlite_only
def test_a_list_with_total_and_window_makes_six_queries(
    owner: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    # Two of them look up the horizon.
    with patch.object(page_ids, "_NEAR", 5000), django_assert_num_queries(6):
        page = list_parts.page_of_records(owner, RecordFilters(), "ts_desc", Paging(2, 5), lean=False)
        assert (len(page), queries.count_records(owner, RecordFilters())) == (5, 45)
        assert queries.window(owner, Days()).length == 9
