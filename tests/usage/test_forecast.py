"""The forecast: /api/forecast, and how often and how well its range holds the truth (docs/api.md#forecast)."""

import math
from calendar import monthrange
from collections.abc import Callable
from datetime import date, datetime, timedelta
from random import Random

import pytest
from django.conf import settings
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call
from usage.coverage import left_windows
from usage.forecast.known_days import known_days
from usage.forecast.likely_sums import LEAST_DAYS, from_now_on, runs_out
from usage.forecast.month_end import month_end
from usage.models import CoverageDay

ApiOf = Callable[[User], ApiClient]
At = Callable[[datetime], None]
HISTORIES = 200
KINDS = ("steady", "weekends off", "growing", "bursty", "sparse", "another level", "follows the day before")
Days = dict[date, list[float]]


def history(seed: int) -> Days:
    """200 days of an account that is of one of the kinds, with its own weekdays, hours and noise."""
    random = Random(seed)
    kind = KINDS[seed % len(KINDS)]
    start = date(2026, 1, 1) + timedelta(days=random.randrange(300))
    base, level, before = random.choice([1, 20, 400]), 1.0, 0.0
    weekdays = [random.uniform(0.7, 1.3) for _ in range(7)]
    if kind != "steady":
        weekdays[5:] = [random.uniform(0.05, 0.5) for _ in range(2)]
    hours = [random.uniform(0.3, 1.5) if 9 <= hour < 23 else 0.02 for hour in range(24)]
    noise = {"steady": 0.25, "bursty": 1.0, "sparse": 0.8}.get(kind, 0.5)
    growth = math.exp(random.uniform(-0.004, 0.006)) if kind == "growing" else 1
    turns = random.randrange(100, 200) if kind == "another level" else None
    days = {}
    for number in range(200):
        day = start + timedelta(days=number)
        level *= growth * (random.choice([0.5, 1.8]) if number == turns else 1)
        before = 0.5 * before + random.gauss(0, 0.6 * noise) if kind == KINDS[-1] else random.gauss(0, noise)
        spent = base * level * weekdays[day.weekday()] * math.exp(before)
        if kind == "sparse" and random.random() < 0.5:
            spent = 0
        shares = [share * random.expovariate(1) for share in hours]
        days[day] = [spent * share / math.fsum(shares) for share in shares]
    return days


def one_month(seed: int) -> tuple[float, float, float, float, float]:
    """The forecast at some time of some month: low, middle, high, the truth, and the average so far times the days."""
    days, random = history(seed), Random(-seed)
    last_known = max(days)
    times = [day for day in sorted(days)[70:] if day.day >= 3 and last_of(day) <= last_known and day < last_of(day)]
    today = random.choice(times)
    now = datetime(today.year, today.month, today.day, random.randrange(24), random.randrange(60))
    month = [day for day in days if (day.year, day.month) == (today.year, today.month)]
    so_far = math.fsum(math.fsum(days[day]) for day in month if day < today)
    so_far += math.fsum(days[today][: now.hour]) + days[today][now.hour] * now.minute / 60
    found = from_now_on({day: days[day] for day in days if day < today}, now, last_of(today))
    assert found
    over = (today.day - 1) + (now.hour + now.minute / 60) / 24
    truth = math.fsum(math.fsum(days[day]) for day in month)
    return so_far + found.low, so_far + found.middle, so_far + found.high, truth, so_far / over * len(month)


def last_of(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])


@pytest.mark.thorough
@pytest.mark.parametrize("first", [0, 1000])
def test_the_truth_lies_in_the_range_and_the_middle_is_better_than_the_average_so_far(first: int) -> None:
    found = [one_month(seed) for seed in range(first, first + HISTORIES)]
    inside = sum(low <= truth <= high for low, _, high, truth, _ in found)
    errors = [abs(middle - truth) / truth for _, middle, _, truth, _ in found]
    plain = [abs(average - truth) / truth for *_, truth, average in found]
    assert 0.7 * HISTORIES <= inside <= 0.9 * HISTORIES
    assert sum(errors) <= 0.8 * sum(plain)
    assert all(low <= middle <= high for low, middle, high, *_ in found)


def flat(count: int, spent: float = 24.0, *, until: date = date(2026, 9, 20)) -> Days:
    """Days before this one, each with the same credits in each hour."""
    return {until - timedelta(days=back): [spent / 24] * 24 for back in range(1, count + 1)}


def test_equal_days_leave_no_doubt() -> None:
    found = from_now_on(flat(56), datetime(2026, 9, 20, 12), date(2026, 9, 30))
    assert found
    assert found.middle == pytest.approx(12 + 10 * 24, rel=0.02)
    # The level moves a little even so.
    assert 0.8 < found.low / found.middle < 1 < found.high / found.middle < 1.2


def test_too_few_days_give_no_range() -> None:
    now = datetime(2026, 9, 20, 12)
    assert from_now_on(flat(LEAST_DAYS - 1), now, date(2026, 9, 30)) is None
    assert from_now_on(flat(LEAST_DAYS), now, date(2026, 9, 30)) is not None
    assert from_now_on(flat(30, until=date(2026, 6, 1)), now, date(2026, 9, 30)) is None


def test_an_account_without_calls_is_expected_to_go_on_so() -> None:
    assert from_now_on(flat(30, 0), datetime(2026, 9, 20, 12), date(2026, 9, 30)) == (0, 0, 0)


def test_the_same_days_give_the_same_range() -> None:
    days, now = history(3), datetime(2026, 9, 20, 12)
    days = {now.date() - timedelta(days=back): hours for back, hours in enumerate(days.values(), start=1)}
    assert from_now_on(days, now, date(2026, 9, 30)) == from_now_on(days, now, date(2026, 9, 30))


def test_the_hour_in_which_credits_run_out() -> None:
    now, end = datetime(2026, 9, 20, 12, 30), date(2026, 9, 30)
    assert runs_out(flat(30), now, end, 0.4) == datetime(2026, 9, 20, 13)
    assert runs_out(flat(30), now, end, 0.5 + 24) == datetime(2026, 9, 21, 13)
    assert runs_out(flat(30), now, end, 0) == now
    assert runs_out(flat(30), now, end, 1000) is None
    assert runs_out(flat(3), now, end, 1) is None


# The endpoint


@pytest.fixture
def spender(alice: User, at: At) -> User:
    """An account with a call of one credit at each noon of the weekdays since 1 August, all days read."""
    at(datetime(2026, 9, 16, 18, tzinfo=settings.SERVER_ZONE))
    days = [date(2026, 8, 3) + timedelta(days=number) for number in range(45)]
    archive(alice, *(call(f"r{day}", ts=f"{day} 12:00:00", credits=1) for day in days if day.weekday() < 5))
    CoverageDay.objects.bulk_create(CoverageDay(archive_id=alice.pk, day=str(day)) for day in days)
    return alice


@pytest.mark.django_db
def test_the_forecast_of_the_month(spender: User, api_of: ApiOf) -> None:
    answer = api_of(spender).get("/api/forecast").json()
    assert [*answer] == ["month", "so_far", "low", "middle", "high", "method"]
    assert (answer["month"], answer["so_far"], answer["method"]) == ("2026-09", 12, "weekdays")
    # Ten weekdays are left.
    assert answer["low"] <= 22 <= answer["high"]
    assert answer["middle"] == pytest.approx(22, abs=1)


@pytest.mark.django_db
def test_days_that_nobody_asked_for_do_not_count_as_days_without_calls(spender: User) -> None:
    before = month_end(spender.pk)
    CoverageDay.objects.filter(archive_id=spender.pk, day__lt="2026-09-01").delete()
    # Of August only the days with calls are known now: none of them is a weekend.
    assert (month_end(spender.pk).middle or 0) > (before.middle or 0)


@pytest.mark.django_db
def test_a_day_that_the_upstream_contradicts_for_good_counts(spender: User) -> None:
    # The upstream counts one call more than it gives.
    CoverageDay.objects.filter(archive_id=spender.pk, day="2026-09-15").update(upstream=2)
    short = known_days(spender.pk, date(2026, 9, 16))
    midnight = datetime(2026, 9, 15, tzinfo=settings.SERVER_ZONE)
    left_windows.note(spender.pk, (midnight, midnight + timedelta(days=1, seconds=-1)), is_failed=False)
    counted = known_days(spender.pk, date(2026, 9, 16))
    assert {*counted} - {*short} == {date(2026, 9, 15)}


@pytest.mark.django_db
def test_without_enough_days_there_is_no_range(alice: User, api_of: ApiOf, at: At) -> None:
    at(datetime(2026, 9, 16, 18, tzinfo=settings.SERVER_ZONE))
    nothing = {"month": "2026-09", "so_far": 0, "low": None, "middle": None, "high": None, "method": "none"}
    assert api_of(alice).get("/api/forecast").json() == nothing
    archive(alice, call("r1", ts="2026-09-15 12:00:00", credits=2.5))
    assert api_of(alice).get("/api/forecast").json() == {**nothing, "so_far": 2.5}


@pytest.mark.django_db
def test_calls_of_others_change_nothing(spender: User, bob: User, api_of: ApiOf) -> None:
    before = api_of(spender).get("/api/forecast").json()
    archive(bob, *(call(f"b{day}", ts=f"2026-09-{day:02} 12:00:00", credits=99) for day in range(1, 16)))
    assert api_of(spender).get("/api/forecast").json() == before


@pytest.mark.django_db
def test_a_forecast_costs_few_queries(spender: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(7):
        month_end(spender.pk)
