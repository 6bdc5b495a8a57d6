"""The mark: the instant up to which an archive is complete (docs/decisions/collection.md#the-mark)."""

from datetime import date, datetime, timedelta

import pytest
from django.conf import settings

from accounts.credentials import credential
from accounts.models import User
from collection import watermark
from collection.models import Lease, Progress, Run
from collection.reading.collector import collect
from collection.runs import run_start
from collection.runs.run_start import Span
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.watermark import mark, move_mark
from tests.collection.collector_run import call_at, collected, contents, set_up, truth
from tests.collection.simulator_client import NOW
from tests.standing_clock import SetClock

FIRST_DAY = datetime(2026, 8, 8, tzinfo=settings.SERVER_ZONE)


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, verify_days=0)
    return alice


def test_there_is_no_mark_before_the_first_run(alice: User) -> None:
    assert mark(alice.pk) is None


def test_the_start_of_a_first_run_is_the_mark_before_its_first_page(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("api_code")
    assert collected(alice).run.status == Run.Status.FAILED
    assert mark(alice.pk) == FIRST_DAY


def test_a_run_that_ends_well_moves_the_mark_to_its_end(alice: User) -> None:
    collected(alice)
    assert mark(alice.pk) == NOW


def test_a_run_that_fails_leaves_the_mark_behind_the_last_window_it_finished(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(FIRST_DAY, "first"), call_at(FIRST_DAY + timedelta(days=8), "second"))
    upstream.faults.fail("api_code", after_pages=2)
    assert collected(alice).run.status == Run.Status.FAILED
    assert mark(alice.pk) == FIRST_DAY + timedelta(days=14, seconds=-1)


def test_a_window_that_is_not_finished_does_not_move_the_mark(alice: User, upstream: Simulator) -> None:
    # Three weeks without a call, twice each, and two pages of the fourth.
    upstream.faults.fail("api_code", after_pages=8)
    run = collected(alice).run
    assert (run.status, run.added > 0) == (Run.Status.FAILED, True)
    assert mark(alice.pk) == FIRST_DAY + timedelta(days=21, seconds=-1)


def test_no_hole_stays_behind_a_run_that_failed_within_a_window(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("api_code", after_pages=8)
    collected(alice)
    upstream.faults.clear()
    collected(alice)
    assert contents(alice) == truth(upstream)


def test_a_window_that_was_empty_only_once_leaves_the_mark(alice: User, upstream: Simulator) -> None:
    collected(alice, NOW.date())
    upstream.faults.fail("null_data", after_pages=7)
    assert collected(alice).run.exit_code == 5
    assert mark(alice.pk) == FIRST_DAY + timedelta(days=21, seconds=-1)


def test_missing_rows_leave_the_mark(alice: User, upstream: Simulator) -> None:
    collected(alice)
    upstream.faults.fail("total_too_large")
    assert collected(alice).run.exit_code == 5
    assert mark(alice.pk) == NOW


def test_the_halves_of_a_capped_window_move_it_one_by_one(alice: User, upstream: Simulator) -> None:
    upstream.faults.window_cap = 1000
    set_up(alice, upstream, page_size=1000)
    upstream.add(0, *(call_at(NOW - timedelta(seconds=300 * n), f"more-{n}") for n in range(1000)))
    collected(alice)
    assert (mark(alice.pk), contents(alice)) == (NOW, truth(upstream))


def test_it_moves_no_further_than_the_moment_a_window_was_first_asked_for(alice: User, time: SetClock) -> None:
    first_pages: list[datetime] = []

    def show(line: str) -> None:
        if "page 1," in line:
            first_pages.append(time.now)
        time.pass_by(seconds=5)

    run, token = run_start.take_run(
        alice.pk, Run.Trigger.CLI, Span(FIRST_DAY, NOW + timedelta(hours=1), is_ranged=False)
    )
    collect(run, token, actor="test", show=show)
    assert mark(alice.pk) == first_pages[-1] < time.now


def test_a_ranged_run_that_leaves_a_gap_does_not_move_it(alice: User, time: SetClock) -> None:
    collected(alice)
    time.pass_by(days=3)
    collected(alice, date(2026, 9, 9))
    assert mark(alice.pk) == NOW


def test_a_ranged_run_that_joins_moves_it(alice: User, time: SetClock) -> None:
    collected(alice)
    time.pass_by(days=1)
    collected(alice, date(2026, 9, 7))
    assert mark(alice.pk) == NOW + timedelta(days=1)


def test_a_ranged_run_of_the_past_never_moves_it_back(alice: User) -> None:
    collected(alice)
    collected(alice, date(2026, 9, 1), date(2026, 9, 2))
    move_mark(alice.pk, NOW - timedelta(days=1))
    assert mark(alice.pk) == NOW


def test_a_ranged_run_before_the_first_other_one_makes_none(alice: User) -> None:
    collected(alice, date(2026, 9, 1))
    assert mark(alice.pk) is None


def test_nobody_moves_it_whose_lease_is_lost(alice: User) -> None:
    def lose(line: str) -> None:
        if "page 1, 0 rows" in line:
            Lease.objects.update(token="another")

    run = collected(alice, show=lose).run
    assert (run.status, mark(alice.pk)) == (Run.Status.INTERRUPTED, FIRST_DAY)


# Interrupted ranged runs

LEFT = (NOW - timedelta(days=60), NOW - timedelta(days=41))


@pytest.fixture
def left(alice: User, upstream: Simulator) -> None:
    """A complete archive, and a span far back that a ranged run did not finish; two calls lie in it."""
    collected(alice)
    watermark.begin_range(alice.pk, *LEFT)
    upstream.add(0, *(call_at(moment, f"left {moment:%d}") for moment in LEFT))


@pytest.mark.usefixtures("left")
def test_what_a_ranged_run_broke_off_is_completed_by_the_next_run_without_dates(
    alice: User, upstream: Simulator
) -> None:
    run = collected(alice).run
    assert (run.status, run.added, contents(alice)) == (Run.Status.OK, 2, truth(upstream))
    assert watermark.unfinished(alice.pk) is None
    assert "left to be read again" in run.detail


@pytest.mark.usefixtures("left")
def test_what_cannot_be_completed_fails_its_run_and_comes_last_in_the_next_one(
    alice: User, upstream: Simulator
) -> None:
    upstream.add(0, call_at(NOW, "new"))
    upstream.faults.fail("api_code", after_pages=1)
    run = collected(alice).run
    assert (run.exit_code, run.added, mark(alice.pk)) == (5, 1, NOW)
    upstream.faults.clear()
    run = collected(alice).run
    assert (run.status, contents(alice)) == (Run.Status.OK, truth(upstream))
    assert watermark.unfinished(alice.pk) is None


@pytest.mark.usefixtures("left")
def test_an_expired_cookie_forgets_nothing_and_what_was_read_is_not_read_again(
    alice: User, upstream: Simulator
) -> None:
    upstream.faults.fail("expired_401_html", after_pages=2)
    assert collected(alice).run.exit_code == 4
    start, end = watermark.unfinished(alice.pk) or (NOW, NOW)
    assert (start > LEFT[0] + timedelta(days=6), end) == (True, LEFT[1])
    upstream.faults.clear()
    assert collected(alice).run.added == 1
    assert contents(alice) == truth(upstream)


def test_what_is_left_does_not_move_the_start_of_the_next_run(alice: User) -> None:
    watermark.ensure_mark(alice.pk, NOW)
    watermark.begin_range(alice.pk, *LEFT)
    assert watermark.default_start(alice.pk, rewind_minutes=0, range_days=31) == NOW


def test_a_ranged_run_that_finished_leaves_nothing(alice: User) -> None:
    watermark.begin_range(alice.pk, *LEFT)
    watermark.finish_range(alice.pk, *LEFT)
    assert watermark.unfinished(alice.pk) is None


def test_a_later_shorter_range_does_not_finish_an_older_one(alice: User) -> None:
    watermark.begin_range(alice.pk, *LEFT)
    watermark.begin_range(alice.pk, NOW - timedelta(days=40), NOW - timedelta(days=30))
    watermark.finish_range(alice.pk, NOW - timedelta(days=40), NOW - timedelta(days=30))
    assert watermark.unfinished(alice.pk) == (LEFT[0], NOW - timedelta(days=30))


def test_a_ranged_run_without_a_cookie_leaves_nothing_unfinished(alice: User) -> None:
    credential.clear(alice.pk)
    result = collected(alice, date(2026, 1, 1), date(2026, 1, 7))
    assert result.run.exit_code == 2
    assert not Progress.objects.exclude(unfinished_from=None).exists()


def test_a_mark_that_a_wrong_clock_left_in_the_future_hides_nothing(alice: User, upstream: Simulator) -> None:
    Progress.objects.create(archive_id=alice.pk, complete_through=NOW + timedelta(days=19))
    run = collected(alice).run
    assert (run.status, run.win_from) == (Run.Status.OK, FIRST_DAY)
    assert mark(alice.pk) == NOW
    assert contents(alice) == truth(upstream)


def test_a_mark_a_little_ahead_is_read_again_from_behind_it(alice: User) -> None:
    Progress.objects.create(archive_id=alice.pk, complete_through=NOW + timedelta(minutes=5))
    assert collected(alice).run.win_from == NOW + timedelta(minutes=5) - timedelta(minutes=180)
    assert mark(alice.pk) == NOW


def test_calls_are_read_until_the_mark_or_the_end_of_a_ranged_run(alice: User, bob: User, time: SetClock) -> None:
    assert watermark.read_until(alice.pk) is None
    collected(alice, date(2026, 9, 1))
    assert watermark.read_until(alice.pk) == NOW
    collected(alice)
    collected(alice, date(2026, 9, 1), date(2026, 9, 2))
    assert watermark.read_until(alice.pk) == NOW
    assert watermark.read_until(bob.pk) is None


def test_calls_are_not_read_until_the_end_of_a_run_that_failed(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("api_code")
    collected(alice, date(2026, 9, 1))
    assert watermark.read_until(alice.pk) is None
