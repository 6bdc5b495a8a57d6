"""Filters and orders as SQL: the conditions that every list and sum shares."""

from datetime import date

import pytest

from archive_site.lib.http.parameter_parsing import Days
from usage.filter_sql import records_by_day, records_by_time, rows_by_day, sorting
from usage.filters import ORDERS, RecordFilters, order_named

SPAN = Days(date(2026, 9, 1), date(2026, 9, 30))


def test_records_of_a_span_are_bounded_by_the_first_and_last_second_of_it() -> None:
    assert records_by_time(7, RecordFilters(SPAN)) == (
        "user_id = %s AND ts >= %s AND ts <= %s",
        [7, "2026-09-01 00:00:00", "2026-09-30 23:59:59"],
    )


def test_records_without_filters_are_those_of_the_account() -> None:
    assert records_by_time(7, RecordFilters()) == ("user_id = %s", [7])


def test_rows_by_day_have_both_bounds_even_where_the_filters_have_none() -> None:
    assert rows_by_day(7, RecordFilters()) == (
        "user_id = %s AND day >= %s AND day <= %s",
        [7, "0001-01-01", "9999-12-31"],
    )


def test_every_condition_names_the_table_that_was_given() -> None:
    where = records_by_time(7, RecordFilters(SPAN, model="glm", client="ide", purpose="chat"), "r")
    assert [condition.partition(" ")[0] for condition in where.conditions.split(" AND ")] == [
        "r.user_id", "r.ts", "r.ts", "r.model", "r.client", "r.agent_purpose",
    ]  # fmt: skip


def test_the_empty_name_is_a_condition_and_none_is_not() -> None:
    assert records_by_time(7, RecordFilters(model="", client=None)) == ("user_id = %s AND model = %s", [7, ""])


def test_several_names_are_one_condition() -> None:
    filters = RecordFilters(model=("glm", "kimi"), client=("ide",))
    assert records_by_time(7, filters, "r") == (
        "r.user_id = %s AND r.model IN (%s, %s) AND r.client = %s",
        [7, "glm", "kimi", "ide"],
    )


def test_filters_of_lists_are_conditions_on_records_and_never_on_rollups() -> None:
    filters = RecordFilters(is_free=False, has_prompt=True, credits_above=2_500_000)
    conditions = "credits <> 0 AND credits > %s AND NOT without_prompt"
    assert records_by_time(7, filters) == (f"user_id = %s AND {conditions}", [7, 2_500_000])
    assert records_by_day(7, filters).conditions.endswith(f" AND {conditions}")
    assert "credits" not in rows_by_day(7, filters).conditions
    assert records_by_time(7, RecordFilters(is_free=True, has_prompt=False), "r").conditions == (
        "r.user_id = %s AND r.credits = 0 AND r.without_prompt"
    )


def test_an_hour_narrows_the_bounds_of_time_and_is_read_from_the_time() -> None:
    assert records_by_time(7, RecordFilters(SPAN, hour=9), "r") == (
        "r.user_id = %s AND r.ts >= %s AND r.ts <= %s AND SUBSTR(r.ts, 12, 2) = %s",
        [7, "2026-09-01 09:00:00", "2026-09-30 09:59:59", "09"],
    )


def test_an_hour_is_a_condition_on_records_and_rollups_by_day() -> None:
    for where in (rows_by_day, records_by_day):
        conditions, values = where(7, RecordFilters(SPAN, hour=0))
        assert (conditions.split(" AND ")[-1], values[-1]) == ("hour = %s", 0)


def test_no_value_of_a_filter_is_part_of_the_sql() -> None:
    hostile = "x' OR 1=1 --"
    for where in (records_by_time, rows_by_day):
        conditions, values = where(7, RecordFilters(model=hostile, client=hostile, purpose=hostile, text=hostile))
        assert (hostile in conditions, values.count(hostile)) == (False, 3)


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("ts_desc", "ts DESC, request_id DESC"),
        ("credits_asc", "credits, ts, request_id"),
        ("model_asc", "model, ts, request_id"),
        ("no such order", "ts DESC, request_id DESC"),
    ],
)
def test_an_order_is_sorted_by_its_columns(name: str, sql: str) -> None:
    assert sorting(order_named(name)) == sql


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_goes_in_one_direction(name: str) -> None:
    """`Order` has one direction for all columns, so it cannot express a mixed order."""
    assert len({column.startswith("-") for column in ORDERS[name]}) == 1
