"""Windows in which the upstream caps, misses or hides rows."""

import json
from collections.abc import Callable
from datetime import date, datetime, timedelta

import pytest
from django.utils import translation

from accounts import config
from accounts.models import INSTANCE, User
from collection.models import Run
from collection.reading import window_reader
from collection.sources.codebuddy.simulator.answers import json_reply
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.over_http.simulator_server import Reply
from tests.collection.collector_run import (
    WEEK,
    asked_for,
    call_at,
    collected,
    contents,
    days_of,
    every_window,
    pages,
    set_up,
    truth,
    week_of,
)
from tests.collection.scheduling import berlin
from tests.collection.scripted_upstream import ScriptedUpstream, in_json, rows
from tests.collection.simulator_client import NOW


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    """Alice with the cookie of the upstream's first account; nothing is checked after a run."""
    set_up(alice, upstream, verify_days=0)
    return alice


# Windows that the upstream caps


@pytest.mark.thorough
@pytest.mark.parametrize("cap", [1000, 3000])
def test_a_capped_window_is_read_in_halves(alice: User, upstream: Simulator, cap: int) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.faults.window_cap = cap
    upstream.add(0, *(call_at(NOW - timedelta(seconds=40 * n), f"more-{n}") for n in range(cap)))
    run = collected(alice, date(2026, 9, 3)).run
    assert (run.status, contents(alice)) == (Run.Status.OK, days_of(truth(upstream), "2026-09-03", "2026-09-07"))
    with translation.override("en"):
        assert f"capped at {cap:,}, asked again in halves" in run.detail


@pytest.mark.thorough
def test_a_minute_that_is_capped_is_halved_no_further_and_named(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.faults.window_cap = 1000
    upstream.add(0, *(call_at(NOW, f"more-{n}") for n in range(1001)))
    run = collected(alice, date(2026, 9, 7)).run
    assert (run.status, run.detail.count("may be capped")) == (Run.Status.OK, 1)
    shortest = min(datetime.fromisoformat(end) - datetime.fromisoformat(start) for start, end in asked_for(upstream))
    assert timedelta(seconds=29) <= shortest < timedelta(minutes=1)


# Missing rows


def test_a_window_that_gives_too_few_rows_twice_fails_and_keeps_what_came(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("total_too_large")
    run = collected(alice, date(2026, 9, 7)).run
    assert (run.status, run.exit_code) == (Run.Status.FAILED, 5)
    assert "twice" in run.message
    assert contents(alice) == days_of(truth(upstream), "2026-09-07", "2026-09-07")


def test_a_window_that_gives_too_few_rows_once_is_asked_once_more(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.faults.fail("total_too_large", times=1)
    run = collected(alice, date(2026, 9, 7)).run
    assert (run.status, run.detail.count("asked once more")) == (Run.Status.OK, 1)


def test_two_readings_that_are_complete_together_are_enough(alice: User) -> None:
    end = in_json({"code": 10001, "msg": "invalid"}, 400)
    halves = [rows({"requestId": name, "requestTime": "2026-09-07 12:00:00"}, total=2) for name in ("one", "other")]
    with ScriptedUpstream(halves[0], end, halves[1], end) as server:
        config.write({"api_base": server.url}, archive_id=INSTANCE, may_edit_instance=True)
        run = collected(alice, date(2026, 9, 7)).run
    assert (run.status, set(contents(alice))) == (Run.Status.OK, {"one", "other"})


@pytest.mark.parametrize("first", [date(2026, 9, 7), date(2026, 8, 8)])
def test_a_run_ends_though_its_total_never_does(alice: User, upstream: Simulator, first: date) -> None:
    upstream.faults.fail("endless_total")
    run = collected(alice, first).run
    assert run.status in (Run.Status.OK, Run.Status.FAILED)
    assert upstream.request_count < 100
    assert contents(alice).items() <= truth(upstream).items()


def test_pages_that_do_not_end_are_read_so_far_and_no_further(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window_reader, "MOST_PAGES", 2)
    run = collected(alice, date(2026, 9, 1)).run
    assert (run.exit_code, run.fetched) == (5, 40)
    assert "do not end; 2 were read" in run.message


# Counts that say nothing


def counting(upstream: Simulator, count: Callable[[int, int], int]) -> None:
    """Let answers say another `total`, from the one they had and from their number of rows."""

    def respond(method: str, path: str, headers: dict[str, str], raw: bytes) -> Reply:
        reply = Simulator.respond(upstream, method, path, headers, raw)
        if reply.status != 200:
            return reply
        data = json.loads(reply.body)["data"]
        total = count(data["total"], len(data["data"]))
        return json_reply(200, {"code": 0, "data": {**data, "total": total}})

    upstream.respond = respond  # type: ignore[method-assign]


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(
    "count", [lambda total, rows: total // 2, lambda total, rows: rows], ids=["half of the rows", "rows of the page"]
)
@pytest.mark.parametrize("size", [20, 30, 500])
def test_a_count_below_the_rows_hides_none_of_them(
    alice: User, upstream: Simulator, count: Callable[[int, int], int], size: int
) -> None:
    set_up(alice, upstream, page_size=size)
    counting(upstream, count)
    run = collected(alice, WEEK).run
    assert (run.status, contents(alice)) == (Run.Status.OK, week_of(upstream))
    assert ("not confirmed by CodeBuddy" in run.message) == (size < 500 or count(2, 2) == 1)


@pytest.mark.parametrize(("calls", "requests"), [(19, 1), (20, 2), (21, 2), (40, 2), (60, 3)])
def test_only_a_first_page_of_all_rows_that_is_full_costs_a_further_request(
    alice: User, upstream: Simulator, calls: int, requests: int
) -> None:
    day = date(2026, 8, 20)
    start = berlin(f"{day} 10:00")
    upstream.add(0, *(call_at(start + timedelta(minutes=number), f"call-{number}") for number in range(calls)))
    run = collected(alice, day, day).run
    assert (run.status, len(contents(alice)), upstream.request_count) == (Run.Status.OK, calls, requests)


# Empty windows


@pytest.mark.parametrize("pages_before", [0, 2])
def test_rows_that_an_answer_without_data_hid_are_asked_for_once_more(
    alice: User, upstream: Simulator, pages_before: int
) -> None:
    upstream.faults.fail("null_data", times=1, after_pages=pages_before)
    run = collected(alice, WEEK).run
    assert (run.status, contents(alice)) == (Run.Status.OK, week_of(upstream))
    assert upstream.request_count == pages_before + 1 + pages(week_of(upstream))


def test_windows_that_are_empty_twice_are(alice: User, upstream: Simulator) -> None:
    run = collected(alice, date(2026, 7, 1), date(2026, 7, 21)).run
    windows = [(f"2026-{first} 06:00:00", f"2026-{last} 05:59:59") for first, last in
               (("07-01", "07-08"), ("07-08", "07-15"), ("07-15", "07-22"))]  # fmt: skip
    assert every_window(upstream) == [asked for asked in windows for _ in range(2)]
    assert (run.status, run.detail.count("no rows came, asked once more")) == (Run.Status.OK, 3)


@pytest.mark.thorough
def test_rows_that_came_once_and_are_all_gone_the_second_time_are_no_success(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("null_data", after_pages=1)
    run = collected(alice, WEEK).run
    assert (run.status, run.exit_code, upstream.request_count) == (Run.Status.FAILED, 5, 3)
    assert len(contents(alice)) == run.added == 20
    upstream.faults.clear()
    collected(alice)
    assert contents(alice) == truth(upstream)


@pytest.mark.thorough
def test_a_cap_that_only_the_second_asking_shows_is_a_cap(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.faults.window_cap = 1000
    upstream.faults.fail("null_data", times=1)
    upstream.add(0, *(call_at(NOW - timedelta(seconds=40 * n), f"more-{n}") for n in range(1000)))
    collected(alice, WEEK)
    assert contents(alice) == week_of(upstream)
