"""Hours of models and clients in past months: docs/decisions/records.md#hours-of-a-model."""

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import fetch
from tests.standing_clock import SetClock
from tests.usage.record_factories import answers, archive, call, plans_of, stored
from usage.erasure import erase_archive
from usage.filters import RecordFilters
from usage.models import MonthHours, MonthSums, Record
from usage.reads.daily_series import daily_pieces
from usage.reads.dimensions import dims
from usage.rollups import month_hours, month_sums, recompute

pytestmark = pytest.mark.django_db
FIRST, LAST = date(2026, 2, 20), date(2026, 9, 8)
SPANS = [
    Days(),
    Days(FIRST, LAST),
    Days(None, date(2026, 4, 12)),
    Days(date(2026, 3, 5), None),
    Days(date(2026, 3, 1), date(2026, 8, 31)),
    Days(date(2026, 4, 10), date(2026, 4, 11)),
    Days(date(2026, 4, 10), date(2026, 4, 10)),
    Days(date(1, 1, 1), date(1, 1, 1)),
    Days(date(1, 1, 1), date(9999, 12, 31)),
    Days(date(2026, 9, 1), date(2026, 9, 8)),
]
FILTERS = [
    RecordFilters(model="a"),
    RecordFilters(client=""),
    RecordFilters(model=("a", "b")),
    RecordFilters(client=("x", "", "unknown")),
    RecordFilters(model="unknown"),
    # The same name in the other dimension.
    RecordFilters(client="a"),
    RecordFilters(model="a", client="x"),
    RecordFilters(model="a", purpose="chat"),
]


@pytest.fixture(autouse=True)
def still(time: SetClock) -> None:
    time.now = datetime(2026, 9, 8, 12, tzinfo=UTC)


@pytest.fixture
def archived(alice: User) -> User:
    """Eight months, one of them without calls."""
    dice, calls = random.Random(2), []
    for number in range(150):
        day = FIRST + timedelta(days=dice.randrange((LAST - FIRST).days + 1))
        if day.month != 5:
            calls.append(
                call(
                    f"r{number}", ts=f"{day} {dice.randrange(24):02}:{dice.randrange(60):02}:00",
                    credits=dice.randrange(3) / 7, model=dice.choice("abc"), client=dice.choice(["x", "", "a"]),
                    agent_purpose=dice.choice(["", "chat"]),
                )
            )  # fmt: skip
    archive(alice, *calls)
    return alice


def kept(user_id: int) -> set[str]:
    return month_hours.months(user_id)


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.parametrize("days", SPANS)
@pytest.mark.parametrize("until", ["", "11:30"])
def test_answers_are_those_of_the_records(archived: User, days: Days, until: str) -> None:
    filters = [replace(each, days=days) for each in FILTERS]
    of_records = [answers(archived.pk, each, until) for each in filters]
    month_sums.fill(archived.pk)
    assert kept(archived.pk) == {f"2026-{month:02}" for month in (2, 3, 4, 6, 7, 8)}
    assert [answers(archived.pk, each, until) for each in filters] == of_records


def test_months_without_hours_are_read_from_the_records(archived: User) -> None:
    of_records = [answers(archived.pk, each) for each in FILTERS]
    month_sums.fill(archived.pk)
    month_sums.forget(archived.pk, ["2026-02-20", "2026-06-01", "2026-08-31"])
    assert [answers(archived.pk, each) for each in FILTERS] == of_records


def test_the_answer_comes_from_the_hours(archived: User) -> None:
    filters = RecordFilters(model="a")
    month_sums.fill(archived.pk)
    before = answers(archived.pk, filters)
    MonthHours.objects.filter(month="2026-03").update(days="{}")
    changed = answers(archived.pk, filters)
    assert changed[0] != before[0]
    assert changed[1].lists["hour"] != before[1].lists["hour"]


def test_hours_without_the_sums_of_their_month_are_never_read(archived: User) -> None:
    month_sums.fill(archived.pk)
    before = answers(archived.pk, RecordFilters(model="a"))
    MonthHours.objects.filter(month="2026-03").update(days="{}")
    MonthSums.objects.filter(month="2026-03").delete()
    assert answers(archived.pk, RecordFilters(model="a")) == before


# What removes them.


def _new(user: User) -> None:
    archive(user, call("late", ts="2026-03-28 23:00:00"))


def _changed(user: User) -> None:
    record = Record.objects.filter(archive_id=user.pk, day__startswith="2026-03").order_by("pk")[0]
    archive(user, replace(_as_call(record), amount=record.credits + 1))


def _of_another_purpose(user: User) -> None:
    record = Record.objects.filter(archive_id=user.pk, day__startswith="2026-03").order_by("pk")[0]
    archive(user, replace(_as_call(record), agent_purpose="review"))


def _moved_to_another_month(user: User) -> None:
    record = Record.objects.filter(archive_id=user.pk, day__startswith="2026-03").order_by("pk")[0]
    archive(user, replace(_as_call(record), ts="2026-09-01 00:00:00"))


def _as_call(record: Record) -> Any:
    return call(
        record.request_id, credits=record.credits / 10**6, model=record.model, client=record.client, ts=record.ts,
        agent_purpose=record.agent_purpose,
    )  # fmt: skip


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.parametrize("change", [_new, _changed, _of_another_purpose, _moved_to_another_month])
def test_a_change_removes_those_of_its_month_alone(archived: User, change: Callable[[User], None]) -> None:
    month_sums.fill(archived.pk)
    before = kept(archived.pk)
    change(archived)
    assert kept(archived.pk) == before - {"2026-03"}
    of_records = [answers(archived.pk, each) for each in FILTERS]
    month_sums.fill(archived.pk)
    assert kept(archived.pk) == before
    assert [answers(archived.pk, each) for each in FILTERS] == of_records


def test_a_call_that_is_known_removes_nothing(archived: User) -> None:
    month_sums.fill(archived.pk)
    before = kept(archived.pk)
    archive(archived, _as_call(stored(archived, "r1")))
    assert kept(archived.pk) == before


def test_an_erasure_removes_them(archived: User, bob: User) -> None:
    archive(bob, call("theirs", ts="2026-03-05 00:00:00"))
    month_sums.fill_all()
    assert erase_archive(archived.pk)
    assert (kept(archived.pk), kept(bob.pk)) == (set(), {"2026-03"})


def test_a_month_whose_records_are_gone_meanwhile_gets_none(archived: User, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = month_sums._missing

    def gone_after_the_first_look(user_id: int) -> list[str]:
        found = missing(user_id)
        # Only the first look is outside of the part that stores.
        monkeypatch.setattr(month_sums, "_missing", missing)
        erase_archive(user_id)
        return found

    monkeypatch.setattr(month_sums, "_missing", gone_after_the_first_look)
    month_sums.fill(archived.pk)
    monkeypatch.undo()
    assert kept(archived.pk) == set()


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.parametrize(
    "spoil",
    [
        lambda: MonthHours.objects.filter(month="2026-03", dimension="model", name="a").update(days="{}"),
        lambda: MonthHours.objects.filter(month="2026-03", dimension="client", name="x").delete(),
        lambda: MonthHours.objects.create(
            archive_id=MonthSums.objects.all()[0].archive_id, month="2026-03", dimension="model", name="more", days="{}"
        ),
        lambda: MonthSums.objects.filter(month="2026-03").delete(),
    ],
    ids=["wrong", "missing", "one too many", "without their sums"],
)
def test_a_recount_removes_wrong_ones_and_counts_their_month(archived: User, spoil: Callable[[], object]) -> None:
    month_sums.fill(archived.pk)
    before = kept(archived.pk)
    spoil()
    assert recompute.recount(archived.pk).repaired == 1
    assert kept(archived.pk) == before - {"2026-03"}
    assert recompute.recount(archived.pk).repaired == 0


def test_a_housekeeping_that_dies_leaves_whole_months(archived: User, monkeypatch: pytest.MonkeyPatch) -> None:
    store = month_hours.store

    def die_at_the_second(user_id: int, month: str, rows: Any) -> None:
        store(user_id, month, rows)
        if len(kept(user_id)) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(month_hours, "store", die_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        month_sums.fill(archived.pk)
    assert kept(archived.pk) == {"2026-02"}
    monkeypatch.undo()
    assert MonthSums.objects.filter(archive_id=archived.pk).count() == 1


def test_another_account_never_counts(archived: User, bob: User) -> None:
    archive(bob, call("theirs", ts="2026-03-05 09:00:00", model="a"))
    month_sums.fill_all()
    hours = dims(bob.pk, RecordFilters(model="a"), "hour").lists["hour"]
    assert [(hour.name, hour.calls) for hour in hours if hour.calls] == [("09", 1)]


# Their cost.


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("days", "queries"),
    [
        (Days(date(2026, 2, 20), date(2026, 4, 30)), 3),
        (Days(date(2026, 3, 10), date(2026, 4, 10)), 3),
        # The month without calls, and this one.
        (Days(FIRST, LAST), 3 + 2),
    ],
)
def test_a_read_takes_few_queries_and_no_record_of_a_past_month(
    archived: User, days: Days, queries: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    month_sums.fill(archived.pk)
    filters = RecordFilters(days, model=("a", "b"))
    with django_assert_num_queries(queries):
        [*daily_pieces(archived.pk, filters)]
    with django_assert_num_queries(queries):
        dims(archived.pk, filters)
    # Calls of unknown purpose have an index of their own.
    plans = [plan for plan in plans_of(lambda: answers(archived.pk, filters)) if "record_without_prompt" not in plan]
    assert len([plan for plan in plans if "usage_record" in plan or "record_by_group" in plan]) == 2 * (queries - 3)


@pytest.mark.sqlite_only
@pytest.mark.parametrize("names", [("a",), ("a", "b")])
def test_no_statement_reads_the_hours_of_others(archived: User, names: tuple[str, ...]) -> None:
    plans = plans_of(lambda: month_hours.stored(archived.pk, RecordFilters(model=names)))
    assert plans == [
        "SEARCH summed USING PRIMARY KEY (user_id=? AND month>? AND month<?); "
        "SEARCH named USING PRIMARY KEY (user_id=? AND month=? AND dimension=? AND name=?) LEFT-JOIN"
    ]
    [step] = fetch(f"EXPLAIN QUERY PLAN {month_hours._FORGET}", [1, "2026-01"])
    assert step[3] == "SEARCH usage_monthhours USING PRIMARY KEY (user_id=? AND month=?)"


@pytest.mark.sqlite_only
def test_a_month_is_computed_from_an_index_alone(archived: User) -> None:
    # After the counts of its names, and beside the sums of erased days.
    plans = plans_of(lambda: month_hours.counted(archived.pk, "2026-03"))[-4:]
    assert [plan.startswith("SEARCH usage_erasedsums USING PRIMARY KEY (user_id=? AND day>?") for plan in plans] == [
        True, False,
    ] * 2  # fmt: skip
    for plan in plans[1::2]:
        assert plan.startswith(
            "SEARCH usage_record USING COVERING INDEX record_by_group (user_id=? AND day>? AND day<?)"
        )
