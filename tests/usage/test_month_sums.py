"""Sums of past months, which reads over years take instead of days: docs/decisions/records.md#sums-of-months."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from archive_site import tasks
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.sql import fetch
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call, plans_of
from usage.filters import RecordFilters
from usage.models import MonthSums
from usage.reads.dimensions import dims
from usage.rollups import month_sums, recompute
from usage.rollups.figures import figures

pytestmark = pytest.mark.django_db
FIRST, LAST = date(2025, 11, 20), date(2026, 9, 8)
SPANS = [
    Days(),
    Days(FIRST, LAST),
    Days(None, date(2026, 3, 31)),
    Days(date(2025, 12, 1), None),
    Days(date(2025, 12, 1), date(2026, 8, 31)),
    Days(date(2025, 12, 2), date(2026, 8, 30)),
    Days(date(2026, 2, 1), date(2026, 2, 28)),
    Days(date(2026, 1, 31), date(2026, 3, 1)),
    Days(date(2020, 1, 1), date(2030, 1, 1)),
    Days(date(1, 1, 1), date(9999, 12, 31)),
    Days(date(2026, 9, 1), date(2026, 9, 8)),
]
NAMES: list[dict[str, Any]] = [
    {}, {"model": "a"}, {"client": ""}, {"purpose": "chat"}, {"purpose": "", "model": "b"},
    {"purpose": "chat", "model": "a", "client": "x"}, {"purpose": "unknown"},
]  # fmt: skip


@pytest.fixture(autouse=True)
def still(time: SetClock) -> None:
    time.now = datetime(2026, 9, 8, 12, tzinfo=UTC)


@pytest.fixture
def archived(alice: User) -> User:
    """Ten months, one of them without calls."""
    dice, calls = random.Random(1), []
    for number in range(200):
        day = FIRST + timedelta(days=dice.randrange((LAST - FIRST).days + 1))
        if day.month != 5:
            calls.append(
                call(
                    f"r{number}", ts=f"{day} {dice.randrange(24):02}:00:00", credits=dice.randrange(3) / 7,
                    model=dice.choice("abc"), client=dice.choice(["x", "", "y"]),
                    agent_purpose=dice.choice(["", "chat"]),
                )
            )  # fmt: skip
    archive(alice, *calls)
    return alice


def kept(user: User) -> list[str]:
    return list(MonthSums.objects.filter(archive_id=user.pk).order_by("month").values_list("month", flat=True))


def test_past_months_with_records_are_summed_once(archived: User, bob: User) -> None:
    archive(bob, call("theirs", ts="2026-01-05 00:00:00"))
    assert month_sums.fill(archived.pk) == 9
    assert kept(archived) == ["2025-11", "2025-12"] + [f"2026-{month:02}" for month in (1, 2, 3, 4, 6, 7, 8)]
    assert (month_sums.fill(archived.pk), kept(bob)) == (0, [])


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.parametrize("days", SPANS)
def test_answers_are_those_of_the_days(archived: User, days: Days) -> None:
    filters = [RecordFilters(days, **names) for names in NAMES]
    by_day = [(dims(archived.pk, each, "purpose"), figures(archived.pk, each)) for each in filters]
    month_sums.fill(archived.pk)
    assert [(dims(archived.pk, each, "purpose"), figures(archived.pk, each)) for each in filters] == by_day


@pytest.mark.parametrize("missing", [["2026-02"], ["2025-11", "2026-01", "2026-03", "2026-06", "2026-08"]])
def test_months_without_sums_are_read_by_their_days(archived: User, missing: list[str]) -> None:
    by_day = dims(archived.pk, RecordFilters())
    month_sums.fill(archived.pk)
    MonthSums.objects.filter(month__in=missing).delete()
    assert dims(archived.pk, RecordFilters()) == by_day


def test_the_answer_comes_from_the_sums(archived: User) -> None:
    month_sums.fill(archived.pk)
    before = dims(archived.pk, RecordFilters())
    MonthSums.objects.filter(month="2026-02").update(sums='{"model":[],"client":[],"hour":[]}')
    assert dims(archived.pk, RecordFilters()) != before


@pytest.mark.sqlite_only
def test_models_and_clients_of_a_purpose_come_from_the_sums_too(archived: User) -> None:
    month_sums.fill(archived.pk)
    filters = RecordFilters(Days(date(2025, 12, 1), date(2026, 3, 31)), purpose="chat")
    plans = plans_of(lambda: (dims(archived.pk, filters, "model"), figures(archived.pk, filters)))
    assert not [plan for plan in plans if "usage_daypurposegroup" in plan]


@pytest.mark.sqlite_only
def test_models_and_clients_of_a_model_come_from_the_days(archived: User) -> None:
    month_sums.fill(archived.pk)
    plans = plans_of(lambda: dims(archived.pk, RecordFilters(Days(FIRST, LAST), model="a"), "client"))
    assert [plan for plan in plans if "usage_daygroup" in plan]
    assert not [plan for plan in plans if "usage_monthsums" in plan]


@pytest.mark.parametrize(
    ("days", "queries"),
    [
        (Days(date(2025, 12, 1), date(2026, 4, 30)), 1),
        # The first and the last month in part, and the one without calls.
        (Days(FIRST, LAST), 1 + 3 * 3),
        (Days(date(2026, 8, 1), date(2026, 8, 31)), 3),
    ],
)
def test_a_read_takes_few_queries(
    archived: User, days: Days, queries: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    month_sums.fill(archived.pk)
    with django_assert_num_queries(queries):
        dims(archived.pk, RecordFilters(days))


def test_a_change_removes_the_sums_of_its_month_alone(archived: User) -> None:
    month_sums.fill(archived.pk)
    before = kept(archived)
    archive(archived, call("late", ts="2026-02-28 23:00:00"))
    assert kept(archived) == [month for month in before if month != "2026-02"]
    # A call that is already known changes nothing.
    archive(archived, call("late", ts="2026-02-28 23:00:00"))
    month_sums.fill(archived.pk)
    archive(archived, call("late", ts="2026-03-01 01:00:00"))
    assert kept(archived) == [month for month in before if month not in ("2026-02", "2026-03")]


def test_a_recount_removes_wrong_sums_and_says_how_many(archived: User) -> None:
    month_sums.fill(archived.pk)
    MonthSums.objects.filter(month="2026-02").update(sums="{}")
    assert recompute.recount(archived.pk).repaired == 1
    assert "2026-02" not in kept(archived)
    assert recompute.recount(archived.pk).repaired == 0


def test_the_housekeeping_sums_the_months_of_all_accounts(archived: User, bob: User) -> None:
    archive(bob, call("theirs", ts="2026-01-05 00:00:00"))
    tasks.housekeeping()
    assert (len(kept(archived)), kept(bob)) == (9, ["2026-01"])


def test_another_account_never_counts(archived: User, bob: User) -> None:
    month_sums.fill(archived.pk)
    assert dims(bob.pk, RecordFilters()).lists["model"] == []


@pytest.mark.sqlite_only
def test_no_statement_reads_the_sums_of_other_accounts(archived: User) -> None:
    [_, plan, *_] = plans_of(lambda: dims(archived.pk, RecordFilters()))
    assert plan == "SEARCH usage_monthsums USING PRIMARY KEY (user_id=? AND month>? AND month<?)"
    [step] = fetch(f"EXPLAIN QUERY PLAN {month_sums._FORGET}", [1, "2026-01"])
    assert step[3] == "SEARCH usage_monthsums USING PRIMARY KEY (user_id=? AND month=?)"


def test_a_month_that_changes_while_it_is_counted_is_left_to_the_next_time(
    archived: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = month_sums._counted

    def changing(user_id: int, month: str) -> list[str]:
        found = counted(user_id, month)
        archive(archived, call("meanwhile", ts="2020-01-01 00:00:00", credits=len(numbers)))
        numbers.append(1)
        return found

    numbers: list[int] = []
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(month_sums, "_counted", changing)
        month_sums.fill(archived.pk)
    assert kept(archived) == []
    month_sums.fill(archived.pk)
    assert kept(archived)
