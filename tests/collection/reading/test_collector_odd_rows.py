"""Rows that cannot be read, and rows that are only strange, in a run against the real simulator."""

from datetime import date, timedelta

import pytest

from accounts import config
from accounts.models import INSTANCE, User
from collection.models import Run
from collection.sources.codebuddy.rows import MAX_ROWS
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import WEEK, call_at, collected, contents, pages, set_up, truth, week_of
from tests.collection.scripted_upstream import ROW, ScriptedUpstream, in_json
from tests.collection.simulator_client import NOW
from tests.factories import ApiClient
from usage.amounts.units import CREDITS


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    """Alice with the cookie of the upstream's first account; nothing is checked after a run."""
    set_up(alice, upstream, verify_days=0)
    return alice


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("row_without_time", "requestTime cannot be read"),
        ("row_bad_time", "requestTime cannot be read"),
        ("row_not_object", "it is not an object"),
        ("nan_credit", "credit is not a finite number"),
        ("infinite_credit", "credit is "),
        ("infinite_text_credit", "credit is not a finite number"),
        ("huge_credit", "credit is above 1e6 in size"),
    ],
)
def test_an_odd_row_is_asked_for_twice_more_skipped_counted_and_named(
    alice: User, upstream: Simulator, fault: str, why: str
) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.faults.fail(fault)
    run = collected(alice, WEEK).run
    rows = len(week_of(upstream))
    assert (run.status, len(contents(alice)), upstream.request_count) == (Run.Status.OK, rows - 1, 3)
    assert f"skipped row {rows} of page 1: {why}" in run.detail
    assert ", 1 row could not be read and was skipped" in run.message


@pytest.mark.parametrize("fault", ["row_bad_time", "row_not_object", "nan_credit"])
def test_a_row_that_was_odd_only_once_is_read_the_second_time(alice: User, upstream: Simulator, fault: str) -> None:
    upstream.faults.fail(fault, times=1)
    run = collected(alice, WEEK).run
    assert (run.status, contents(alice)) == (Run.Status.OK, week_of(upstream))
    assert upstream.request_count == 2 * pages(week_of(upstream))
    assert "could not be read" not in run.message


def test_a_row_that_is_odd_in_two_ways_is_read_the_third_time(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.faults.fail("row_bad_time", times=1)
    upstream.faults.fail("row_not_object", times=1)
    run = collected(alice, WEEK).run
    assert (run.status, contents(alice), upstream.request_count) == (Run.Status.OK, week_of(upstream), 3)


def test_another_row_that_is_odd_the_second_time_is_known_from_the_first(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("row_bad_time", times=1)
    upstream.faults.fail("row_bad_time", times=1, after_pages=pages(week_of(upstream)) + 1)
    run = collected(alice, WEEK).run
    assert (run.status, contents(alice)) == (Run.Status.OK, week_of(upstream))
    assert (run.detail.count("skipped row"), "could not be read" in run.message) == (2, False)


def test_rows_without_request_id_end_the_run_as_api_and_what_had_one_is_stored(
    alice: User, upstream: Simulator
) -> None:
    upstream.faults.fail("rows_without_id", times=1)
    run = collected(alice, date(2026, 9, 1)).run
    assert (run.status, run.exit_code) == (Run.Status.FAILED, 5)
    assert "rows without requestId (1). The others are stored" in run.message
    assert "skipped row 20 of page 1: requestId is missing" in run.detail
    # All other rows of the span, including those of the pages after the broken one.
    assert len(contents(alice)) == run.fetched - 1 > 100


@pytest.mark.parametrize("first", [date(2026, 9, 1), None])
def test_rows_that_had_no_request_id_are_read_by_the_next_run(
    alice: User, upstream: Simulator, first: date | None
) -> None:
    upstream.faults.fail("rows_without_id")
    collected(alice, first)
    upstream.faults.clear()
    assert contents(alice) != truth(upstream)
    assert collected(alice).run.status == Run.Status.OK
    assert contents(alice) == truth(upstream)


def test_rows_without_request_id_that_only_the_check_of_a_day_finds_are_no_success(
    alice: User, upstream: Simulator
) -> None:
    set_up(alice, upstream, verify_days=1, rewind_minutes=0, page_size=1000)
    collected(alice)
    # Too old for the days that the next run reads again, so only the count of the day reveals it.
    upstream.add(0, call_at(NOW - timedelta(hours=20), "late"))
    upstream.faults.fail("rows_without_id", after_pages=2)
    run = collected(alice).run
    assert (run.status, run.exit_code) == (Run.Status.FAILED, 5)


def test_an_odd_row_that_is_read_twice_is_counted_once(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, verify_days=1, page_size=1000)
    upstream.faults.fail("huge_credit")
    run = collected(alice, date(2026, 9, 6), date(2026, 9, 6)).run
    # The three readings of its window, and three after the count of the day.
    assert run.detail.count("skipped row") == 6
    assert ", 1 row could not be read" in run.message


@pytest.mark.parametrize("fault", ["lone_surrogate", "nul_in_prompt", "negative_credit"])
def test_a_row_that_is_only_strange_is_kept(alice: User, upstream: Simulator, fault: str) -> None:
    upstream.faults.fail(fault, times=1)
    run = collected(alice, date(2026, 9, 1)).run
    assert len(contents(alice)) == run.fetched


@pytest.mark.thorough
def test_credits_that_no_sum_could_hold_cost_their_rows_alone(alice: User) -> None:
    rows = [{**ROW, "requestId": f"r{number}", "credit": "1e9"} for number in range(9300)]
    with ScriptedUpstream(in_json({"code": 0, "data": {"total": 9301, "data": [*rows, ROW]}})) as server:
        config.write({"api_base": server.url}, archive_id=INSTANCE, may_edit_instance=True)
        run = collected(alice, WEEK).run
    assert (run.status, list(contents(alice))) == (Run.Status.OK, [ROW["requestId"]])
    assert "9,300 rows could not be read and were skipped" in run.message


@pytest.mark.thorough
def test_as_many_of_the_largest_credits_as_a_page_may_hold_have_a_sum(alice: User) -> None:
    rows = [{**ROW, "requestId": f"r{number}", "credit": CREDITS.most} for number in range(MAX_ROWS)]
    with ScriptedUpstream(in_json({"code": 0, "data": {"total": MAX_ROWS + 1, "data": rows}})) as server:
        config.write({"api_base": server.url}, archive_id=INSTANCE, may_edit_instance=True)
        assert collected(alice, WEEK).run.status == Run.Status.OK
    assert ApiClient.signed_in(alice).get("/api/summary").json()["credits"] == MAX_ROWS * CREDITS.most
