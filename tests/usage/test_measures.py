"""What is stored of a call beside its amount: after any pages it is what the sources gave last, and sums follow."""

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from tests.collection.rollup_errors import ROLLUP_ERRORS
from tests.factories import further_archive
from tests.usage.record_factories import archive, call, rows_of
from tests.usage.stored_measures import contents
from usage import adoption, bulk_ingest
from usage.erasure import erase_archive
from usage.incoming.record import IncomingRecord
from usage.ingest import take_in
from usage.measures import NO_MEASURES, Measures, Provenance, Status, Tokens
from usage.models import DataVersion, DayMeasures, RecordMeasures
from usage.rollups.day_measures import FIGURES
from usage.rollups.recompute import Recount, recount
from usage.stored_size import AccountFull

pytestmark = [pytest.mark.django_db, pytest.mark.engine]
accounts = count(1000)
AT = datetime(2026, 9, 7, 12, 30, 0, 123456, tzinfo=UTC)
TOKENS = Tokens(1000, 200, 30, 4)

measures = st.builds(
    Measures,
    st.sampled_from(Provenance),
    st.none() | st.builds(Tokens, *[st.sampled_from([0, 1, 2**40])] * 4),
    st.none() | st.sampled_from([AT, AT + timedelta(microseconds=1)]),
    st.sampled_from([Status.OK, Status.REFUND]),
)


def as_sources_give(one: IncomingRecord) -> IncomingRecord:
    """An unknown amount is 0."""
    is_unknown = one.measures is not None and one.measures.provenance is Provenance.UNKNOWN
    return replace(one, amount=0) if is_unknown else one


calls = st.builds(
    IncomingRecord,
    request_id=st.sampled_from("abc"),
    amount=st.sampled_from([0, 1, 10**12]),
    model=st.sampled_from(["glm", ""]),
    client=st.just("ide"),
    ts=st.sampled_from(["2026-09-07 00:00:00", "2026-09-08 23:00:00"]),
    prompt=st.just(""),
    prompt_truncated=st.just(False),
    agent_purpose=st.just(""),
    measures=st.none() | measures,
).map(as_sources_give)
pages = st.lists(st.tuples(st.integers(0, 1), st.lists(calls, max_size=5)), max_size=6)


def given_last(kept: IncomingRecord | None, new: IncomingRecord) -> IncomingRecord:
    """The rules of docs/decisions/records.md#measures, written in the simplest way."""
    if new.measures or not kept or not kept.measures:
        return new
    was_unknown = kept.measures.provenance is Provenance.UNKNOWN and new.amount
    return replace(new, measures=replace(kept.measures, provenance=Provenance.BILLED) if was_unknown else kept.measures)


def sums(archive_id: int) -> dict[tuple[str, str], tuple[int, ...]]:
    rows = DayMeasures.objects.filter(archive_id=archive_id).values_list("day", "model", *FIGURES)
    return {(day, model): tuple(figures) for day, model, *figures in rows if any(figures)}


def summed(records: list[IncomingRecord]) -> dict[tuple[str, str], tuple[int, ...]]:
    found: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * 7)
    for one in records:
        if not one.measures:
            continue
        tokens = one.measures.tokens
        for place, value in enumerate((
            one.measures.provenance == "unknown", one.measures.provenance == "estimated", tokens is not None,
            *((tokens.input, tokens.output, tokens.cache_read, tokens.cache_write) if tokens else (0,) * 4),
        )):  # fmt: skip
            found[one.ts[:10], one.model][place] += value
    return {key: tuple(figures) for key, figures in found.items() if any(figures)}


@given(pages=pages)
def test_after_any_pages_measures_and_their_sums_are_what_came_last(
    pages: list[tuple[int, list[IncomingRecord]]],
) -> None:
    owners = (next(accounts), next(accounts))
    known: tuple[dict[str, IncomingRecord], ...] = ({}, {})
    for place, page in pages:
        archive(owners[place], *page)
        # Of several values of one page, the last ones count (`with_last_values`).
        first, last = ({one.request_id: one for one in ordered} for ordered in (page[::-1], page))
        for key, one in last.items():
            known[place][key] = given_last(known[place].get(key, first[key]), one)
    for owner, expected in zip(owners, known, strict=True):
        assert contents(owner) == {key: (one.amount, one.measures or NO_MEASURES) for key, one in expected.items()}
        assert sums(owner) == summed([*expected.values()])
        assert recount(owner) == Recount(len(expected), 0)
    assert [rows_of(query) for query in ROLLUP_ERRORS] == [[]] * len(ROLLUP_ERRORS)


def test_a_page_that_is_seen_again_changes_nothing(alice: User) -> None:
    page = [call("a", measures=Measures(Provenance.ESTIMATED, TOKENS, AT)), call("b", measures=NO_MEASURES)]
    archive(alice, *page)
    before = DataVersion.objects.get(archive_id=alice.pk).number
    assert (archive(alice, *page).dup, RecordMeasures.objects.count()) == (2, 1)
    assert DataVersion.objects.get(archive_id=alice.pk).number == before


@pytest.mark.parametrize(
    ("measures", "words"),
    [
        (Measures(Provenance.UNKNOWN, TOKENS, AT), "the amount was an estimate"),
        (Measures(Provenance.ESTIMATED, Tokens(1, 2), AT),
         "tokens were 1000 in, 200 out, 30 from the cache and 4 into it"),
        (Measures(Provenance.ESTIMATED, TOKENS, AT + timedelta(hours=1)),
         "the instant was 2026-09-07T12:30:00.123456+00:00"),
    ],
)  # fmt: skip
def test_another_measure_of_a_known_call_is_a_conflict(alice: User, measures: Measures, words: str) -> None:
    archive(alice, call("a", measures=Measures(Provenance.ESTIMATED, TOKENS, AT)))
    before = DataVersion.objects.get(archive_id=alice.pk).number
    result = archive(alice, call("a", measures=measures))
    assert [str(line) for line in result.lines] == [f"conflict a: {words}"]
    assert contents(alice.pk)["a"][1] == measures
    assert DataVersion.objects.get(archive_id=alice.pk).number > before
    again = archive(alice, call("a", measures=Measures(Provenance.ESTIMATED, TOKENS, AT)), run_id=2)
    assert again.conflicts == 1


def test_a_conflict_of_another_unit_names_it(alice: User) -> None:
    dollars = further_archive(alice, unit="USD")
    archive(dollars, replace(call("a"), amount=1_000_000_000_001))
    assert [str(line) for line in archive(dollars, replace(call("a"), amount=1)).lines] == [
        "conflict a: the amount was 1.000000000001 USD"
    ]


def test_a_source_that_gives_no_measures_leaves_them_as_they_are(alice: User) -> None:
    archive(alice, call("a", measures=Measures(Provenance.INCLUDED, TOKENS, AT)))
    assert archive(alice, call("a")).dup == 1
    archive(alice, call("a", ts="2026-09-08 00:00:00"))
    assert contents(alice.pk)["a"][1] == Measures(Provenance.INCLUDED, TOKENS, AT)
    assert [day for day, _ in sums(alice.pk)] == ["2026-09-08"]


def test_an_amount_that_comes_later_is_no_longer_unknown(alice: User) -> None:
    archive(alice, call("a", credits=0, measures=Measures(Provenance.UNKNOWN, TOKENS)))
    assert [str(line) for line in archive(alice, call("a")).lines] == ["conflict a: the amount was not known"]
    assert contents(alice.pk)["a"] == (1_500_000, Measures(Provenance.BILLED, TOKENS))


def test_several_pages_in_one_transaction_have_their_sums(alice: User) -> None:
    storing = bulk_ingest.Bulk(alice.pk, run_id=None, max_prompt=9)
    for name in "ab":
        storing.take_in([call(name, measures=Measures(tokens=TOKENS))])
    storing.finish()
    assert sums(alice.pk) == {("2026-09-07", "glm"): (0, 0, 2, 2000, 400, 60, 8)}


@pytest.mark.parametrize("spoiled", [{"tokens_in": 1}, {"without_amount": 7}, {"model": "other"}])
def test_a_recount_repairs_the_sums(alice: User, spoiled: dict[str, Any]) -> None:
    archive(alice, call("a", measures=Measures(Provenance.UNKNOWN, TOKENS)), call("b"))
    before = sums(alice.pk)
    DayMeasures.objects.update(**spoiled)
    assert recount(alice.pk).repaired == (2 if "model" in spoiled else 1)
    assert sums(alice.pk) == before


def test_an_erasure_leaves_no_measures_and_none_of_anothers(alice: User, bob: User) -> None:
    for user in (alice, bob):
        archive(user, call("a", measures=Measures(Provenance.UNKNOWN, TOKENS)))
    assert erase_archive(alice.pk)
    assert (contents(alice.pk), sums(alice.pk)) == ({}, {})
    assert len(contents(bob.pk)) == len(sums(bob.pk)) == 1


def test_an_adoption_takes_measures_along(alice: User, bob: User) -> None:
    archive(bob, call("a", measures=Measures(tokens=TOKENS)), call("b", measures=Measures(Provenance.UNKNOWN)))
    archive(alice, call("a", measures=Measures(tokens=Tokens(9, 9))))
    expected = contents(bob.pk)
    adoption.move_records(bob.pk, alice.pk, lambda moved: None)
    assert contents(alice.pk).keys() == expected.keys()
    assert contents(alice.pk)["b"] == expected["b"]
    assert recount(alice.pk) == Recount(2, 0)
    for _ in adoption.erase_rest(bob.pk):
        pass
    assert not DayMeasures.objects.filter(archive_id=bob.pk).exists()


def test_a_sum_that_no_store_holds_is_refused_in_words(alice: User) -> None:
    dollars = further_archive(alice, unit="USD")
    million = 10**18
    archive(dollars, *(replace(call(f"a{n}"), amount=million) for n in range(8)))
    with pytest.raises(AccountFull) as refused, transaction.atomic():
        archive(dollars, *(replace(call(f"b{n}", ts="2026-09-08 00:00:00"), amount=million) for n in range(2)))
    assert str(refused.value.message) == "The sum of all amounts would be larger than the archive can store in USD."
    archive(dollars, replace(call("b", ts="2026-09-08 00:00:00"), amount=million))
    assert sum(amount for amount, _ in contents(dollars).values()) == 9 * million


def test_a_sum_of_several_pages_in_one_transaction_is_refused_too(alice: User) -> None:
    storing = bulk_ingest.Bulk(alice.pk, run_id=None, max_prompt=9)
    storing.take_in([replace(call(f"a{n}"), amount=10**18) for n in range(8)])
    with pytest.raises(AccountFull):
        storing.take_in([replace(call(f"b{n}"), amount=10**18) for n in range(2)])


# What an archive without measures pays.


def statements(archive_id: int, *records: IncomingRecord) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        take_in(archive_id, records, run_id=None, max_prompt=9)
    return [query["sql"] for query in captured.captured_queries]


def test_a_page_without_measures_asks_nothing_more(alice: User) -> None:
    for page in ([call("a"), call("b")], [call("a", credits=2), call("b", measures=NO_MEASURES)]):
        asked = statements(alice.pk, *page)
        assert [sql for sql in asked if "measures" in sql and "usage_prompt" not in sql] == []
        # The one that looks the known calls up has their measures, too.
        assert sum("measures" in sql for sql in asked) == 1


def test_measures_cost_as_many_statements_for_many_as_for_one(alice: User) -> None:
    def page(number: int) -> int:
        records = [call(f"{number}-{n}", measures=Measures(tokens=TOKENS)) for n in range(number)]
        return sum(not sql.startswith("INSERT") or "measures" not in sql for sql in statements(alice.pk, *records))

    assert page(1) == page(20)
