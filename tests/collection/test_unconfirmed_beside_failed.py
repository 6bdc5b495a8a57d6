"""Windows that are not confirmed, while another that cannot be read holds the mark.

The rules: docs/decisions/collection.md#windows-that-are-read-again.
"""

from collections.abc import Iterator

import pytest

from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from collection import watermark
from collection.models import Run
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import call_at, collected, contents, every_window, set_up, truth
from tests.collection.refused_windows import lasting, refuse
from tests.collection.scheduling import berlin
from tests.standing_clock import SetClock
from usage.coverage.ledger import ledger
from usage.models import LeftWindow

pytestmark = pytest.mark.landing
FAULT = "2026-08-19"
# Days of the week before the fault; of its own, before it and after it; and of later ones.
ODD = ["2026-08-10", "2026-08-16", "2026-08-21", "2026-08-25", "2026-09-06"]


@pytest.fixture
def upstream(time: SetClock) -> Iterator[Simulator]:
    with lasting(time) as running:
        yield running


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    """Alice with the cookie of the upstream's first account, of whose windows those with `FAULT` are refused."""
    set_up(alice, upstream, verify_days=3, page_size=1000)
    refuse(upstream, berlin(f"{FAULT} 12:00"))
    return alice


def make_odd(upstream: Simulator, day: str) -> None:
    moment = berlin(f"{day} 10:00")
    upstream.add(0, call_at(moment, f"twice {day}"), call_at(moment, f"twice {day}"))


def days_in(user: User, *states: str) -> list[str]:
    found = ledger(user.pk, Days(), wants_prompts=True)
    return [day for day in found.days() if str(found.state(day)) in states]


def left_of(user: User) -> list[LeftWindow]:
    return list(LeftWindow.objects.filter(archive_id=user.pk, is_failed=False).order_by("win_from"))


def readings_of(day: str, upstream: Simulator) -> int:
    """How many requests were for windows that hold the call of a day that comes twice, in the upstream's wall clock."""
    return sum(start <= f"{day} 16:00:00" <= end for start, end in every_window(upstream))


@pytest.mark.parametrize("odd", [*(pytest.param([day], marks=pytest.mark.thorough) for day in ODD), ODD])
def test_only_the_days_at_fault_remain(alice: User, upstream: Simulator, time: SetClock, odd: list[str]) -> None:
    for day in odd:
        make_odd(upstream, day)
    for _ in range(7):
        collected(alice)
        time.pass_by(hours=24)
    assert days_in(alice, "unconfirmed") == odd
    assert watermark.mark(alice.pk) == berlin("2026-08-18 23:59:59")
    assert [str(clock.local_day(left.win_to)) for left in left_of(alice)] == odd


@pytest.mark.thorough
@pytest.mark.parametrize("day", ["2026-08-21", "2026-08-25"])
def test_the_gaps_between_its_readings_grow(alice: User, upstream: Simulator, time: SetClock, day: str) -> None:
    set_up(alice, upstream, verify_days=0, page_size=1000)
    make_odd(upstream, day)
    asked = []
    for number in range(12):
        before = readings_of(day, upstream)
        collected(alice)
        if readings_of(day, upstream) > before:
            asked.append(number)
        time.pass_by(hours=3)
    # In the runs after 0, 1, 4 and 16 hours.
    assert asked == [0, 1, 2, 4, 10]


@pytest.mark.thorough
def test_days_that_have_settled_stay_so(alice: User, upstream: Simulator, time: SetClock) -> None:
    for _ in range(6):
        collected(alice)
        time.pass_by(hours=24)
    settled = days_in(alice, "settled", "proved")
    assert {"2026-08-21", "2026-09-08"} <= set(settled)
    make_odd(upstream, "2026-09-10")
    make_odd(upstream, "2026-09-12")
    for _ in range(5):
        collected(alice)
        time.pass_by(hours=24)
        assert set(settled) <= set(days_in(alice, "settled", "proved"))
    assert days_in(alice, "unconfirmed") == ["2026-09-10", "2026-09-12"]


@pytest.mark.thorough
@pytest.mark.parametrize("odd", [[], ODD])
def test_once_the_window_is_read_the_mark_passes_all(
    alice: User, upstream: Simulator, time: SetClock, odd: list[str]
) -> None:
    for day in odd:
        make_odd(upstream, day)
    for _ in range(5):
        collected(alice)
        time.pass_by(hours=24)
    refuse(upstream)
    time.pass_by(days=8)
    run = collected(alice).run
    assert (run.status, watermark.mark(alice.pk)) == (Run.Status.OK, time.now)
    assert contents(alice) == truth(upstream)


def test_calls_of_today_come_though_their_window_is_not_confirmed(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    make_odd(upstream, "2026-09-07")
    for number in range(4):
        upstream.add(0, call_at(berlin("2026-09-07 10:30"), f"late {number}"))
        collected(alice)
        assert f"late {number}" in contents(alice)
        time.pass_by(minutes=30)


@pytest.mark.thorough
def test_a_run_reads_at_most_five_of_them(alice: User, upstream: Simulator, time: SetClock) -> None:
    set_up(alice, upstream, verify_days=0, page_size=1000)
    upstream.faults.total_above = 1
    for _ in range(4):
        collected(alice)
        time.pass_by(hours=1)
    before = len(every_window(upstream))
    collected(alice)
    # Its own windows, those before the mark and of today, and at most five in two halves; each is read twice.
    assert len(every_window(upstream)) - before <= 2 * (2 + 5 * 2) * 2
