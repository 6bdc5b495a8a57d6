"""What the chunks of an export cost: plans without scans and sorts; each chunk goes on behind the last one."""

import re
from datetime import date
from unittest.mock import patch

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days
from tests.usage.record_factories import archive, call, plans_of
from tests.usage.record_plans import BY_CREDITS, BY_TIME, CREDITS, EVERY, TIMES, by_group, is_sound
from usage.filters import ORDERS, RecordFilters
from usage.models import Record
from usage.record_lists import export_chunks

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("leads", ["model", "client"])
def test_names_with_few_records_are_read_together(
    alice: User, leads: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    archive(alice, *(call(f"r{number}", **{leads: f"{1500 - number:04}"}) for number in range(1500)))
    # The names, then the days and the records of each chunk.
    with django_assert_num_queries(1 + 2 * 3):
        chunks = list(export_chunks.chunks(alice.pk, RecordFilters(), f"{leads}_asc"))
    assert [len(chunk) for chunk in chunks] == [100, 1000, 400]
    ids = [one for chunk in chunks for one in chunk]
    assert ids == list(Record.objects.order_by(leads).values_list("pk", flat=True))


@pytest.mark.sqlite_only
@pytest.mark.parametrize("order", TIMES)
def test_chunks_of_an_hour_read_the_groups_of_its_days(owner: int, order: str) -> None:
    with patch.multiple(export_chunks, _FIRST_CHUNK=2, _CHUNK=4):
        days, *chunks = plans_of(lambda: list(export_chunks.chunks(owner, RecordFilters(hour=3), order)))
    assert "usage_dayhour" in days
    assert len(chunks) > 2
    assert all(plan.endswith(by_group(RecordFilters())) and is_sound(plan) for plan in chunks)


@pytest.mark.sqlite_only
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("filters", EVERY)
def test_no_chunk_scans_or_sorts_records(owner: int, order: str, filters: RecordFilters) -> None:
    with patch.multiple(export_chunks, _FIRST_CHUNK=2, _CHUNK=4):
        plans = plans_of(lambda: list(export_chunks.chunks(owner, filters, order)))
    over_records = [plan for plan in plans if "record_by_" in plan]
    assert len(over_records) > 2
    assert [plan for plan in over_records if not is_sound(plan)] == []
    assert not [plan for plan in plans if "SCAN usage" in plan]


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("order", "index"), [(order, BY_TIME) for order in TIMES] + [(order, BY_CREDITS) for order in CREDITS]
)
def test_a_chunk_goes_on_behind_the_key_of_the_last_one(owner: int, order: str, index: str) -> None:
    with patch.multiple(export_chunks, _FIRST_CHUNK=2, _CHUNK=4):
        first, *rest = plans_of(lambda: list(export_chunks.chunks(owner, RecordFilters(), order)))
    assert first == index + ")"
    assert all(re.match(re.escape(index) + r" AND \((credits,)?ts,request_id\)[<>]\(", plan) for plan in rest)


@pytest.mark.sqlite_only
@pytest.mark.parametrize("order", TIMES)
def test_a_chunk_of_some_days_goes_on_behind_the_key_too(owner: int, order: str) -> None:
    span = RecordFilters(Days(date(2026, 9, 1), date(2026, 9, 30)))
    with patch.multiple(export_chunks, _FIRST_CHUNK=2, _CHUNK=4):
        _, *rest = plans_of(lambda: list(export_chunks.chunks(owner, span, order)))
    # The query does not start at the first day and skip what was read before.
    assert rest
    assert all("(ts,request_id)" + ("<" if order == "ts_desc" else ">") + "(?,?)" in plan for plan in rest)
