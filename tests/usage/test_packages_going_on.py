"""How packages will be used up, by the usual hours of an archive (docs/decisions/collection.md#packages)."""

import math
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from random import Random
from statistics import mean, median, quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.usage.test_forecast import Days, history
from usage.forecast.likely_sums import LOOKS_BACK, usual_hours
from usage.packages.going_on import Outlook, Usable, outlook
from usage.packages.package import Kind

NOW = datetime(2026, 9, 8, 10)
HOUR = timedelta(hours=1)
HISTORIES, AHEAD, BEGUN = 200, timedelta(days=14), timedelta(days=16)


def steady(cost: float, hours: int = 24 * 60) -> Iterator[tuple[datetime, float]]:
    return ((NOW + number * HOUR, cost) for number in range(hours))


def gift(left: float, days: float | None, kind: Kind = Kind.GIFT) -> Usable:
    return Usable(kind, round(left), None if days is None else NOW + timedelta(days=days))


def test_the_earliest_end_is_used_first() -> None:
    found = outlook([gift(100, 10), gift(100, 2)], steady(1))
    assert found == Outlook(NOW + 148 * HOUR, {0: 0.0, 1: 52.0})


def test_at_equal_ends_plans_come_before_gifts() -> None:
    found = outlook([gift(24, 2), gift(24, 2, Kind.PLAN), gift(24, 2, Kind.ADD_ON)], steady(1))
    assert found.unused == {0: 24.0, 1: 0.0, 2: 0.0}


def test_what_never_ends_is_used_last() -> None:
    assert outlook([gift(24, None), gift(24, 30)], steady(1)) == Outlook(NOW + 48 * HOUR, {0: 0.0, 1: 0.0})


def test_credits_that_end_unused_do_not_last_until_a_time() -> None:
    assert outlook([gift(100, 1)], steady(1)) == Outlook(None, {0: 76.0})


def test_without_known_hours_there_is_no_outlook() -> None:
    assert outlook([gift(100, 1)], ()) == Outlook(None, {})


PACKAGES = st.lists(
    st.tuples(st.integers(1, 500), st.one_of(st.none(), st.integers(1, 20)), st.sampled_from(Kind)), max_size=6
)


@given(PACKAGES, st.lists(st.integers(0, 9), max_size=600))
def test_all_that_was_left_is_used_or_unused_or_still_there(
    packages: list[tuple[int, int | None, Kind]], costs: list[int]
) -> None:
    hours = [(NOW + number * HOUR, float(cost)) for number, cost in enumerate(costs)]
    usable = [gift(left, days, kind) for left, days, kind in packages]
    found = outlook(usable, hours)
    assert all(0 <= unused <= usable[place].left for place, unused in found.unused.items())
    ended = {place for place, one in enumerate(usable) if one.expires_at and hours and one.expires_at <= hours[-1][0]}
    if found.lasts_until is None:
        assert ended <= found.unused.keys()
    else:
        assert found.unused.keys() == set(range(len(usable)))
        assert sum(costs) >= sum(one.left for one in usable) - sum(found.unused.values())


def used(days: Days, start: datetime, end: datetime) -> float:
    """What the hours of a history cost between two times, each evenly."""
    hours = [
        (datetime.combine(day, time(hour)), cost)
        for day, costs in days.items()
        if start.date() <= day <= end.date()
        for hour, cost in enumerate(costs)
    ]
    return math.fsum(
        cost * max(timedelta(), min(end, begin + HOUR) - max(start, begin)) / HOUR for begin, cost in hours
    )


def one_package(seed: int) -> tuple[float, float] | None:
    """By how much of its size what is foretold to be unused of a package in 14 days is wrong, and what the mean of the
    last 14 days would have said. None where it is used up already."""
    days, random = history(seed), Random(-seed)
    known = sorted(days)
    today = random.choice(known[70:-16])
    now = datetime.combine(today, time(random.randrange(24), random.randrange(60)))
    begun, end = now - BEGUN, now + AHEAD
    size = used(days, begun - timedelta(days=30), begun) * random.uniform(0.8, 1.8)
    left = size - used(days, begun, now)
    if left <= 0:
        return None
    truth = max(0.0, left - used(days, now, end))
    before = {day: days[day] for day in known if timedelta() < today - day <= timedelta(days=LOOKS_BACK)}
    found = outlook([Usable(Kind.GIFT, round(left), end)], usual_hours(before, now, end.date() + timedelta(days=1)))
    naive = max(0.0, left - used(days, now - AHEAD, now))
    return abs(found.unused[0] - truth) / size, abs(naive - truth) / size


@pytest.mark.thorough
@pytest.mark.parametrize("first", [0, 1000, 2000])
def test_what_will_be_unused_is_foretold_within_a_twentieth_of_the_package(first: int) -> None:
    found = [one for seed in range(first, first + 2 * HISTORIES) if (one := one_package(seed))][:HISTORIES]
    assert len(found) == HISTORIES
    ours, naive = ([each[side] for each in found] for side in (0, 1))
    assert median(ours) <= 0.05
    assert quantiles(ours, n=10)[-1] <= 0.15
    assert mean(ours) < mean(naive)
