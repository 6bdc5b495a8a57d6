"""A day or an hour far above what is usual."""

from datetime import date, timedelta

import pytest

from accounts.models import User
from tests.usage.record_factories import archive, call
from usage.spikes import spikes_of, unusual

DAY = date(2026, 9, 8)
MICRO = 10**6


def day_of(**hours: int) -> list[int]:
    """Credits by hour, as in h9=3."""
    return [hours.get(f"h{hour}", 0) * MICRO for hour in range(24)]


USUAL = {str(DAY - timedelta(days=number)): day_of(h9=2, h10=3, h15=5) for number in range(1, 29)}


def test_a_usual_day_is_no_spike() -> None:
    assert unusual(day_of(h9=4, h10=5, h15=9), USUAL) is None


def test_a_day_of_several_times_the_median_is_one() -> None:
    assert unusual(day_of(h9=9, h10=9, h11=9, h12=9), USUAL) == (None, 36 * MICRO, 10 * MICRO)


def test_an_hour_is_one_before_the_day_is() -> None:
    assert unusual(day_of(h9=2, h11=21), USUAL) == (11, 21 * MICRO, 3 * MICRO)


def test_days_that_vary_have_a_higher_measure() -> None:
    before = {**USUAL, **{str(DAY - timedelta(days=number)): day_of(h9=30) for number in range(1, 6)}}
    assert unusual(day_of(h9=9, h10=9, h11=9, h12=9), before) is None


@pytest.mark.parametrize("days", [0, 6])
def test_few_days_do_not_show_what_is_usual(days: int) -> None:
    assert unusual(day_of(h9=500), dict(list(USUAL.items())[:days])) is None


def test_days_without_calls_do_not_count() -> None:
    before = {**{day: day_of() for day in USUAL}, str(DAY - timedelta(days=1)): day_of(h9=1)}
    assert unusual(day_of(h9=500), before) is None


def test_it_names_the_model_and_the_dearest_call(alice: User, bob: User) -> None:
    usual = [
        call(f"u{number}{hour}", ts=f"{DAY - timedelta(days=number)} {hour:02}:00:00", credits=1)
        for number in range(1, 15)
        for hour in (9, 12)
    ]
    today = [
        call("t1", ts=f"{DAY} 10:00:00", credits=20, model="model-x"),
        call("t2", ts=f"{DAY} 11:30:00", credits=15, model="model-y"),
        call("t3", ts=f"{DAY} 12:30:00", credits=16, model="model-y"),
    ]
    archive(alice, *usual, *today)
    archive(bob, *usual)
    (found,) = spikes_of(alice.pk, [DAY - timedelta(days=1), DAY])
    assert (found.hour, found.spent, found.usual) == (None, 51 * MICRO, 2 * MICRO)
    assert (found.model, found.dearest, found.at) == ("model-y", 20 * MICRO, f"{DAY} 10:00:00")
    assert spikes_of(bob.pk, [DAY]) == []
