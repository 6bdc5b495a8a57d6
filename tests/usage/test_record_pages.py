"""Pages and chunks of records in every order: the same rows as a plain query, whatever way they are found."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import chain, count, product
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days
from tests.usage.filter_combinations import CALLS, combined
from tests.usage.record_factories import archive, call
from usage.filters import NEWEST_FIRST, ORDERS, RecordFilters
from usage.incoming.record import IncomingRecord
from usage.models import Record
from usage.record_lists import export_chunks, list_sums, page_ids

pytestmark = pytest.mark.django_db
accounts = count(5000)

NAMES = ["glm", "GLM", "模型", ""]
DAYS = [date(2026, 9, day) for day in (6, 7, 8, 9)]
calls = st.builds(
    IncomingRecord,
    request_id=st.sampled_from([f"{letter}{number}" for letter in "aBé" for number in range(10)]),
    amount=st.sampled_from([0, 1, 500_000, -5]),
    model=st.sampled_from(NAMES),
    client=st.sampled_from(NAMES[1:]),
    ts=st.sampled_from([f"{day} {time}" for day in DAYS[1:] for time in ("00:00:00", "12:00:00", "23:59:59")]),
    prompt=st.sampled_from(["", "why?"]),
    prompt_truncated=st.just(False),
    agent_purpose=st.sampled_from(["", "chat"]),
)
archives = st.lists(calls, max_size=25, unique_by=lambda one: one.request_id)
some_days = st.tuples(st.none() | st.sampled_from(DAYS), st.none() | st.sampled_from(DAYS)).map(
    lambda ends: Days(*ends) if None in ends else Days(*sorted(ends))  # type: ignore[type-var]
)
filters = st.builds(
    RecordFilters,
    some_days,
    st.none() | st.sampled_from([*NAMES, "no such", ("glm", "模型"), ("", "GLM", "no such")]),
    st.none() | st.sampled_from([*NAMES, ("GLM", "模型")]),
    st.none() | st.sampled_from(["", "chat", ("", "chat")]),
    is_free=st.sampled_from([None, None, True, False]),
    has_prompt=st.sampled_from([None, None, True, False]),
    credits_above=st.sampled_from([None, None, 0, 1, 500_000]),
    hour=st.sampled_from([None, None, 0, 12, 23, 5]),
)


def plain(user_id: int, filters: RecordFilters, order: str) -> list[int]:
    """All ids in order, from a plain query."""
    found = Record.objects.filter(archive_id=user_id)
    if filters.days.first:
        found = found.filter(day__gte=filters.days.first.isoformat())
    if filters.days.last:
        found = found.filter(day__lte=filters.days.last.isoformat())
    for column, names in filters.names.items():
        found = found.filter(**{f"{column}__in": names})
    if filters.is_free is not None:
        found = found.filter(credits=0) if filters.is_free else found.exclude(credits=0)
    if filters.has_prompt is not None:
        found = found.filter(prompt__isnull=not filters.has_prompt)
    if filters.credits_above is not None:
        found = found.filter(credits__gt=filters.credits_above)
    if filters.hour is not None:
        found = found.filter(hour=filters.hour)
    return list(found.order_by(*ORDERS[order]).values_list("pk", flat=True))


def all_of(owner: User, filters: RecordFilters, order: str) -> list[int]:
    return list(chain.from_iterable(export_chunks.chunks(owner.pk, filters, order)))


def names(ids: list[int]) -> str:
    found = Record.objects.in_bulk(ids)
    return "".join(found[pk].request_id for pk in ids)


# Any path, any archive.


@pytest.mark.engine
@given(archives, filters, st.integers(1, 7))
def test_every_page_of_every_order_has_the_rows_of_the_plain_query(
    archived: list[IncomingRecord], filters: RecordFilters, size: int
) -> None:
    owner = next(accounts)
    # Another account has the same calls.
    archive(owner, *archived)
    archive(next(accounts), *archived)
    for order, (near, few) in product(ORDERS, [(0, 0), (5000, 2000)]):
        expected = plain(owner, filters, order)
        with patch.multiple(page_ids, _NEAR=near, _FEW=few):
            for offset in range(0, len(expected) + size + 1, size):
                assert page_ids.page(owner, filters, order, offset, size) == expected[offset : offset + size]
    credits = Record.objects.filter(pk__in=plain(owner, filters, NEWEST_FIRST)).values_list("credits", flat=True)
    assert list_sums.totals(owner, filters) == (len(credits), sum(credits), list(credits).count(0))


@pytest.mark.engine
@given(archives, filters, st.sampled_from(sorted(ORDERS)), st.integers(1, 3), st.integers(1, 5))
def test_the_chunks_have_the_rows_of_the_plain_query(
    archived: list[IncomingRecord], filters: RecordFilters, order: str, first: int, size: int
) -> None:
    owner = next(accounts)
    archive(owner, *archived)
    archive(next(accounts), *archived)
    with patch.multiple(export_chunks, _FIRST_CHUNK=first, _CHUNK=size):
        found = list(export_chunks.chunks(owner, filters, order))
    assert list(chain.from_iterable(found)) == plain(owner, filters, order)
    assert all(0 < len(chunk) <= max(first, size) for chunk in found)


@given(archives, filters, st.integers(1, 30))
def test_the_top_are_the_most_expensive(archived: list[IncomingRecord], filters: RecordFilters, n: int) -> None:
    owner = next(accounts)
    archive(owner, *archived)
    assert page_ids.top(owner, filters, n) == plain(owner, filters, "credits_desc")[:n]


@pytest.fixture
def combined_calls(alice: User, bob: User) -> User:
    """An account with calls of every combination of filters; another has the same."""
    archive(bob, *CALLS)
    archive(alice, *CALLS)
    return alice


@pytest.mark.engine
@pytest.mark.landing
def test_a_page_of_combined_filters_has_the_rows_of_the_plain_query(combined_calls: User) -> None:
    owner = combined_calls.pk
    for filters, order in product(combined(), ORDERS):
        expected = plain(owner, filters, order)[1:3]
        for near, few in ((0, 0), (5000, 2000)):
            with patch.multiple(page_ids, _NEAR=near, _FEW=few):
                assert page_ids.page(owner, filters, order, 1, 2) == expected


@pytest.mark.engine
@pytest.mark.landing
def test_the_chunks_of_combined_filters_have_the_rows_of_the_plain_query(combined_calls: User) -> None:
    with patch.multiple(export_chunks, _FIRST_CHUNK=1, _CHUNK=40):
        for filters, order in product(combined(), ORDERS):
            assert all_of(combined_calls, filters, order) == plain(combined_calls.pk, filters, order)


@pytest.mark.engine
def test_combined_filters_sum_the_rows_of_the_plain_query(combined_calls: User) -> None:
    for filters in combined():
        found = Record.objects.filter(pk__in=plain(combined_calls.pk, filters, NEWEST_FIRST))
        credits = [*found.values_list("credits", flat=True)]
        assert credits, f"no call has {filters}"
        assert list_sums.totals(combined_calls.pk, filters) == (len(credits), sum(credits), credits.count(0))


def test_an_order_that_is_none_is_the_newest_first(alice: User) -> None:
    archive(alice, call("a"), call("b"))
    newest_first = page_ids.page(alice.pk, RecordFilters(), NEWEST_FIRST, 0, 2)
    assert page_ids.page(alice.pk, RecordFilters(), "model_desc", 0, 2) == newest_first
    assert all_of(alice, RecordFilters(), "") == newest_first
    assert names(newest_first) == "ba"


# Chunks.


@pytest.fixture
def days_of_calls(alice: User) -> User:
    """Three days of four calls each, a to l, of two models, alternately."""
    for day in (7, 8, 9):
        letters = "abcdefghijkl"[(day - 7) * 4 :][:4]
        archive(
            alice,
            *(
                call(letter, ts=f"2026-09-0{day} 0{hour}:00:00", model=("glm", "kimi")[hour % 2], credits=hour)
                for hour, letter in enumerate(letters)
            ),
        )
    return alice


@pytest.fixture
def small_chunks() -> Iterator[None]:
    with patch.multiple(export_chunks, _FIRST_CHUNK=1, _CHUNK=3):
        yield


EVERY_WAY = [
    *((RecordFilters(), order) for order in ORDERS),
    (RecordFilters(model="glm"), "ts_desc"),
    (RecordFilters(client="ide"), "ts_asc"),
]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(("filters", "order"), EVERY_WAY)
def test_the_first_chunk_is_the_smaller_one(days_of_calls: User, filters: RecordFilters, order: str) -> None:
    sizes = [len(chunk) for chunk in export_chunks.chunks(days_of_calls.pk, filters, order)]
    assert sizes[0] == 1
    assert max(sizes) == 3


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(("filters", "order"), EVERY_WAY)
def test_a_record_erased_meanwhile_is_absent_and_nothing_else(
    days_of_calls: User, filters: RecordFilters, order: str
) -> None:
    ids = plain(days_of_calls.pk, filters, order)
    found = export_chunks.chunks(days_of_calls.pk, filters, order)
    read = next(found)
    Record.objects.filter(pk__in=[ids[0], ids[-1]]).delete()
    assert read + list(chain.from_iterable(found)) == ids[:-1]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(("filters", "order"), EVERY_WAY)
def test_records_added_before_every_chunk_do_not_make_it_endless(
    days_of_calls: User, filters: RecordFilters, order: str
) -> None:
    ids = plain(days_of_calls.pk, filters, order)
    read: list[int] = []
    for number, chunk in enumerate(export_chunks.chunks(days_of_calls.pk, filters, order)):
        read += chunk
        archive(days_of_calls, call(f"new{number}", ts="2026-09-01 00:00:00", credits=0.5))
        assert number < 100
    assert [pk for pk in read if pk in ids] == ids
    assert len(read) == len(set(read))


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(("filters", "order"), EVERY_WAY)
def test_an_archive_erased_meanwhile_ends_the_chunks(days_of_calls: User, filters: RecordFilters, order: str) -> None:
    found = export_chunks.chunks(days_of_calls.pk, filters, order)
    assert next(found)
    Record.objects.all().delete()
    # More calls of the current day may still come.
    assert len(list(chain.from_iterable(found))) < 4


# Rollup and records from different moments.


@pytest.mark.engine
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "filters", [RecordFilters(), RecordFilters(model="glm"), RecordFilters(days=Days(DAYS[1], DAYS[2]))]
)
@pytest.mark.parametrize("few", [0, 2000])
def test_records_that_the_rollup_still_counts_are_only_absent(
    days_of_calls: User, order: str, filters: RecordFilters, few: int
) -> None:
    Record.objects.filter(archive_id=days_of_calls.pk, day="2026-09-08").delete()
    left = plain(days_of_calls.pk, filters, order)
    with patch.multiple(page_ids, _NEAR=0, _FEW=few):
        found = [page_ids.page(days_of_calls.pk, filters, order, offset, 3) for offset in range(0, 18, 3)]
    assert set(chain.from_iterable(found)) <= set(left)


@pytest.mark.parametrize("order", ORDERS)
def test_records_that_the_rollup_does_not_count_yet_break_nothing(alice: User, order: str) -> None:
    archive(alice, call("a"))
    [record] = Record.objects.all()
    fields = {name: value for name, value in vars(record).items() if name not in ("id", "_state")}
    Record.objects.bulk_create(
        Record(**{**fields, "request_id": letter, "ts": f"{fields['day']} 23:00:00"}) for letter in "bcd"
    )
    with patch.multiple(page_ids, _NEAR=0, _FEW=0):
        ids = page_ids.page(alice.pk, RecordFilters(), order, 0, 3)
    assert len(ids) == len(set(ids)) <= 3
    assert len(all_of(alice, RecordFilters(), order)) == 4


def test_a_name_order_of_one_name_is_the_order_of_time(days_of_calls: User) -> None:
    filters = RecordFilters(model="glm")
    assert page_ids.page(days_of_calls.pk, filters, "model_asc", 1, 2) == page_ids.page(
        days_of_calls.pk, filters, "ts_asc", 1, 2
    )
    assert names(all_of(days_of_calls, replace(filters, client="ide"), "client_asc")) == "acegik"
