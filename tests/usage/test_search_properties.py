"""Whatever the prompts and the needle, a search finds what plain LIKE finds: every page, the number, every chunk."""

from dataclasses import replace
from datetime import date
from itertools import chain, count, cycle, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days
from tests.usage.filter_combinations import CALLS, NEEDLES, combined
from tests.usage.record_factories import archive, call, rows_of
from tests.usage.search_reference import check_integrity, index_contents, index_made_afresh, limits, plain_like, tidied
from usage.erasure import delete_records
from usage.filters import ORDERS, Choice, RecordFilters
from usage.incoming.record import IncomingRecord
from usage.models import Record
from usage.rollups.recompute import recount
from usage.search import plan as search

pytestmark = pytest.mark.django_db
accounts = count(1000)

# Both cases, what folds to them elsewhere (Kelvin, long s, dotless and dotted i, fullwidth), what SQL and FTS5 take for
# their own, marks that combine, characters of one to four bytes, the search index's own mark.
HOSTILE = (
    "aAkKsSiIzZ1%_\"'\\ \n*^(\u212a\u017f\u0131\u0130ßẞéÉÀ中文字。Ａａ\u0301\u0250\u024f\ue000\ufffd\uffff👩👍\u200d"
)
texts = st.text(alphabet=HOSTILE, max_size=12) | st.text(alphabet="aK中文", max_size=8)
calls = st.builds(
    call,
    request_id=st.sampled_from("abcdefghij"),
    credits=st.sampled_from([0, 1, 2]),
    model=st.sampled_from(["glm", "模型"]),
    client=st.sampled_from(["ide", ""]),
    agent_purpose=st.sampled_from(["chat", ""]),
    ts=st.sampled_from(["1999-12-31", "2026-08-30", "2026-08-31", "2026-09-07", "2026-11-30", "2300-01-01"]).map(
        lambda day: f"{day} {12 + (day < '2026-09')}:00:00"
    ),
    prompt=texts,
)
days = st.builds(
    Days,
    st.sampled_from([None, date(2026, 8, 31), date(2400, 1, 1)]),
    st.sampled_from([None, date(2026, 9, 7), date(2026, 8, 30), date(1999, 1, 1)]),
)
pages_of_calls = st.lists(st.tuples(st.integers(0, 1), st.lists(calls, max_size=10)), max_size=4)


@st.composite
def archives_and_needles(draw: st.DrawFn) -> tuple[list[tuple[int, list[IncomingRecord]]], str]:
    """Pages of calls, and a needle that often is a part of one of the prompts, in either case."""
    pages = draw(pages_of_calls)
    prompts = [one.prompt for _, page in pages for one in page if one.prompt]
    if not prompts or draw(st.integers(0, 3)) == 0:
        return pages, draw(texts.filter(bool))
    prompt = draw(st.sampled_from(prompts))
    first = draw(st.integers(0, len(prompt) - 1))
    part = prompt[first : first + draw(st.integers(1, 5))]
    return pages, draw(st.sampled_from([part, part.swapcase(), part.upper(), part.lower()]))


@pytest.mark.engine
@given(
    given=archives_and_needles(),
    gone=st.sets(st.sampled_from("abcdefghij"), max_size=3),
    days=days,
    model=st.sampled_from([None, "glm", ("glm", "模型")]),
    values=st.sampled_from([{}, {"is_free": True}, {"is_free": False}, {"credits_above": 1_000_000}, {"hour": 12}]),
    purpose=st.sampled_from([None, "chat", ""]),
    order=st.sampled_from(sorted(ORDERS)),
    few=st.sampled_from([0, 1, 3, 2000]),
    chunks_first=st.integers(0, 1),
    size=st.integers(1, 4),
    tidy=st.booleans(),
    walked=st.integers(0, 6),
    counted_again=st.booleans(),
    long=st.sampled_from([0, 64]),
)
def test_a_search_finds_what_plain_like_finds(
    given: tuple[list[tuple[int, list[IncomingRecord]]], str],
    gone: set[str],
    days: Days,
    model: Choice,
    values: dict[str, Any],
    purpose: str | None,
    order: str,
    few: int,
    chunks_first: int,
    size: int,
    tidy: bool,
    walked: int,
    counted_again: bool,
    long: int,
) -> None:
    pages, needle = given
    owners = (next(accounts), next(accounts))
    for place, page in pages:
        archive(owners[place], *page)
    ids = rows_of("SELECT id, request_id FROM usage_record WHERE user_id IN (%s, %s)", *owners)
    delete_records([record_id for record_id, request_id in ids if request_id in gone])
    if counted_again:
        recount(owners[0])
    if tidy:
        tidied()
    filters = RecordFilters(days=days, model=model, purpose=purpose, text=needle, **values)
    for owner in owners:
        expected = plain_like(owner, filters, order)
        with limits(few, chunks_first, walked=walked, long=long):
            offsets = range(0, len(expected) + size, size)
            assert [search.page(owner, filters, order, at, size) for at in offsets] == [
                expected[at : at + size] for at in offsets
            ]
            credits = Record.objects.filter(pk__in=expected).values_list("credits", flat=True)
            assert search.sums(owner, filters) == (len(expected), sum(credits), list(credits).count(0))
            assert list(chain.from_iterable(search.chunks(owner, filters, order))) == expected


def check(owner: int, filters: RecordFilters, order: str) -> None:
    """A search with either strategy finds what plain LIKE finds: a page, the sums, every chunk."""
    expected = plain_like(owner, filters, order)
    credits = [*Record.objects.filter(pk__in=expected).values_list("credits", flat=True)]
    for few, chunks_first in ((2000, 0), (0, 1)):
        with limits(few, chunks_first):
            assert search.page(owner, filters, order, 1, 2) == expected[1:3]
            assert list(chain.from_iterable(search.chunks(owner, filters, order))) == expected
    assert search.sums(owner, filters) == (len(expected), sum(credits), credits.count(0))


@pytest.mark.engine
def test_every_kind_of_needle_is_found_in_every_order(alice: User, bob: User, root: User) -> None:
    archive(alice, *CALLS)
    archive(bob, *CALLS)
    # The administrator has no calls.
    for owner, needle, order, model in product((alice, root), NEEDLES, ORDERS, (None, ("glm", "模型"))):
        check(owner.pk, RecordFilters(text=needle, model=model), order)


def test_a_search_with_combined_filters_finds_what_plain_like_finds(alice: User, bob: User) -> None:
    archive(alice, *CALLS)
    archive(bob, *CALLS)
    orders = cycle(ORDERS)
    for filters in combined():
        check(alice.pk, replace(filters, text="ask"), next(orders))


@pytest.mark.sqlite_only
@given(pages=pages_of_calls, gone=st.sets(st.sampled_from("abcdefghij"), max_size=5), tidy=st.booleans())
def test_after_any_pages_and_deletions_the_index_holds_what_the_prompts_say(
    pages: list[tuple[int, list[IncomingRecord]]], gone: set[str], tidy: bool
) -> None:
    owners = (next(accounts), next(accounts))
    for place, page in pages:
        archive(owners[place], *page)
    ids = rows_of("SELECT id, request_id FROM usage_record WHERE user_id IN (%s, %s)", *owners)
    delete_records([record_id for record_id, request_id in ids if request_id in gone])
    if tidy:
        tidied()
    check_integrity()
    assert index_contents() == index_made_afresh()
