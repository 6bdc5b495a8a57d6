"""One run against the real simulator over HTTP: what it asks for, what it stores, what it counts."""

from datetime import date, datetime, timedelta

import pytest
from django.conf import settings

from accounts import config
from accounts.models import INSTANCE, User
from collection import window_reader
from collection.models import Run
from collection.simulator.simulator import Simulator
from tests.collection.collector_run import Contents, SetClock, call_at, collected, contents, set_up, truth
from tests.collection.scripted_upstream import ScriptedUpstream, rows, told
from tests.collection.simulator_client import NOW
from usage.models import Prompt, Record

CHECK_SIZE = 10
# The first day of a span that is one window.
WEEK = date(2026, 9, 1)


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    """Alice with the cookie of the upstream's first account; nothing is checked after a run."""
    set_up(alice, upstream, verify_days=0)
    return alice


def asked_for(upstream: Simulator) -> list[tuple[str, str]]:
    """The windows asked for, in the upstream's wall clock, each once."""
    return list(dict.fromkeys(every_window(upstream)))


def every_window(upstream: Simulator) -> list[tuple[str, str]]:
    return [(request.body["startTime"], request.body["endTime"]) for request in upstream.requests_seen if request.body]


def pages_asked(upstream: Simulator, size: int = 20) -> int:
    return sum(1 for request in upstream.requests_seen if request.body and request.body["pageSize"] == size)


def days_of(rows: Contents, first: str, last: str) -> Contents:
    return {key: row for key, row in rows.items() if first <= row[1][:10] <= last}


def week_of(upstream: Simulator) -> Contents:
    return days_of(truth(upstream), str(WEEK), "2026-09-07")


def pages(rows: Contents, size: int = 20) -> int:
    return -(-len(rows) // size)


# Which days


def test_a_first_run_archives_every_call_as_it_was(alice: User, upstream: Simulator) -> None:
    result = collected(alice)
    assert (result.run.status, contents(alice)) == (Run.Status.OK, truth(upstream))


def test_a_first_run_goes_back_the_longest_range_in_whole_days(alice: User) -> None:
    run = collected(alice).run
    assert run.win_from == datetime(2026, 8, 8, tzinfo=settings.SERVER_ZONE)
    assert run.win_to == NOW


def test_a_ranged_run_archives_its_days_and_no_others(alice: User, upstream: Simulator) -> None:
    collected(alice, date(2026, 9, 2), date(2026, 9, 4))
    assert contents(alice) == days_of(truth(upstream), "2026-09-02", "2026-09-04")


def test_a_range_may_begin_long_ago_and_end_now(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(NOW - timedelta(days=200), "old"))
    collected(alice, date(2026, 1, 1))
    assert contents(alice) == truth(upstream)


def test_windows_are_seven_days_of_the_servers_calendar_oldest_first(alice: User, upstream: Simulator) -> None:
    collected(alice, date(2026, 8, 20))
    assert asked_for(upstream) == [
        ("2026-08-20 06:00:00", "2026-08-27 05:59:59"),
        ("2026-08-27 06:00:00", "2026-09-03 05:59:59"),
        ("2026-09-03 06:00:00", "2026-09-07 23:59:30"),
    ]


def test_an_incremental_run_begins_the_rewind_before_the_mark(alice: User, upstream: Simulator, time: SetClock) -> None:
    set_up(alice, upstream, rewind_minutes=45)
    collected(alice)
    time.pass_by(hours=2)
    assert collected(alice).run.win_from == NOW - timedelta(minutes=45)


# What is counted


def test_a_run_counts_what_it_fetched_and_added(alice: User, upstream: Simulator) -> None:
    run = collected(alice).run
    calls = len(upstream.rows())
    assert (run.fetched, run.added, run.dup, run.conflicts, run.total) == (calls, calls, 0, 0, calls)


def test_a_second_run_adds_nothing_and_counts_the_overlap_as_known(alice: User) -> None:
    first = collected(alice, date(2026, 9, 1)).run
    second = collected(alice, date(2026, 9, 1)).run
    assert (second.added, second.dup, second.conflicts) == (0, first.added, 0)


def test_a_run_says_in_its_message_what_it_found(alice: User) -> None:
    added = collected(alice, date(2026, 9, 7)).run.added
    assert collected(alice, date(2026, 9, 7)).run.message == f"0 new records, {added} already known."


def test_settling_credits_count_as_conflicts_and_the_newer_ones_stay(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    upstream.faults.settle_minutes = 600
    collected(alice)
    assert contents(alice) != truth(upstream)
    time.pass_by(hours=11)
    run = collected(alice, date(2026, 9, 6)).run
    assert (run.conflicts > 0, run.status, contents(alice)) == (True, Run.Status.OK, truth(upstream))


def test_a_conflict_leaves_the_older_values_in_the_detail_but_no_prompt(alice: User, upstream: Simulator) -> None:
    upstream.faults.settle_on_second = True
    upstream.add(0, call_at(NOW, "settled-late", credits=8, prompt="nobody's business"))
    collected(alice, date(2026, 9, 7))
    run = collected(alice, date(2026, 9, 7)).run
    assert "conflict settled-late: credits were 4\n" in run.detail
    assert "nobody's business" not in run.detail


def test_a_prompt_that_comes_late_is_taken_and_is_no_conflict(alice: User, upstream: Simulator, time: SetClock) -> None:
    upstream.faults.late_prompt_minutes = 60
    upstream.add(0, call_at(NOW, "late", prompt="at last"))
    collected(alice, date(2026, 9, 7))
    time.pass_by(hours=2)
    run = collected(alice, date(2026, 9, 7)).run
    assert (run.conflicts, Prompt.objects.get(record__request_id="late").text) == (0, "at last")


def test_no_more_of_a_prompt_is_kept_than_the_setting_says(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, max_prompt=5)
    upstream.add(0, call_at(NOW, "cut", prompt="a long question"))
    collected(alice, date(2026, 9, 7))
    assert Prompt.objects.get(record__request_id="cut").text == "a lon"


def test_two_accounts_keep_the_same_request_id_each(alice: User, bob: User, upstream: Simulator) -> None:
    set_up(bob, upstream, account=1)
    for account, credits in ((0, 3), (1, 5)):
        upstream.add(account, call_at(NOW, "shared", credits=credits))
    collected(alice, date(2026, 9, 7))
    collected(bob, date(2026, 9, 7))
    kept = Record.objects.filter(request_id="shared").values_list("user_id", "credits")
    assert set(kept) == {(alice.pk, 3_000_000), (bob.pk, 5_000_000)}


# An account in use


@pytest.mark.parametrize("growing", [1, 7])
def test_rows_that_slide_while_the_account_grows_fail_nothing(alice: User, upstream: Simulator, growing: int) -> None:
    before = truth(upstream)
    upstream.faults.growing = growing
    run = collected(alice).run
    assert (run.status, run.exit_code, before.items() <= contents(alice).items()) == (Run.Status.OK, 0, True)


def test_a_run_after_the_growth_has_it_all(alice: User, upstream: Simulator) -> None:
    upstream.faults.growing = 3
    collected(alice)
    upstream.faults.growing = 0
    collected(alice)
    assert contents(alice) == truth(upstream)


# Windows that the upstream caps


@pytest.mark.parametrize("cap", [1000, 3000])
def test_a_capped_window_is_read_in_halves(alice: User, upstream: Simulator, cap: int) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.faults.window_cap = cap
    upstream.add(0, *(call_at(NOW - timedelta(seconds=40 * n), f"more-{n}") for n in range(cap)))
    run = collected(alice, date(2026, 9, 3)).run
    assert (run.status, contents(alice)) == (Run.Status.OK, days_of(truth(upstream), "2026-09-03", "2026-09-07"))
    assert f"capped at {cap}, asked again in halves" in run.detail


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
    end = told({"code": 10001, "msg": "invalid"}, 400)
    halves = [rows({"requestId": name, "requestTime": "2026-09-07 12:00:00"}, total=2) for name in ("one", "other")]
    with ScriptedUpstream(halves[0], end, halves[1], end) as server:
        config.write({"api_base": server.url}, user_id=INSTANCE, may_edit_instance=True)
        run = collected(alice, date(2026, 9, 7)).run
    assert (run.status, set(contents(alice))) == (Run.Status.OK, {"one", "other"})


@pytest.mark.parametrize("first", [date(2026, 9, 7), date(2026, 8, 8)])
def test_a_total_that_never_ends_does(alice: User, upstream: Simulator, first: date) -> None:
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


def test_rows_that_came_once_and_are_all_gone_the_second_time_are_no_success(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("null_data", after_pages=1)
    run = collected(alice, WEEK).run
    assert (run.status, run.exit_code, upstream.request_count) == (Run.Status.FAILED, 5, 3)
    assert len(contents(alice)) == run.added == 20
    upstream.faults.clear()
    collected(alice)
    assert contents(alice) == truth(upstream)


def test_a_cap_that_only_the_second_asking_shows_is_a_cap(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.faults.window_cap = 1000
    upstream.faults.fail("null_data", times=1)
    upstream.add(0, *(call_at(NOW - timedelta(seconds=40 * n), f"more-{n}") for n in range(1000)))
    collected(alice, WEEK)
    assert contents(alice) == week_of(upstream)


# Odd rows


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("row_without_time", "requestTime cannot be read"),
        ("row_bad_time", "requestTime cannot be read"),
        ("row_not_object", "it is not an object"),
        ("nan_credit", "credit is not a finite number"),
        ("infinite_credit", "credit is "),
        ("infinite_text_credit", "credit is not a finite number"),
        ("huge_credit", "credit is above 1e9 in size"),
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
    assert ", 1 rows could not be read and were skipped" in run.message


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
    upstream.add(0, call_at(NOW - timedelta(hours=5), "late"))
    upstream.faults.fail("rows_without_id", after_pages=2)
    run = collected(alice).run
    assert (run.status, run.exit_code) == (Run.Status.FAILED, 5)


def test_an_odd_row_that_is_read_twice_is_counted_once(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, verify_days=1, page_size=1000)
    upstream.faults.fail("huge_credit")
    run = collected(alice, date(2026, 9, 7)).run
    # The three readings of its window, and one for the count of the day.
    assert run.detail.count("skipped row") == 4
    assert ", 1 rows could not be read" in run.message


@pytest.mark.parametrize("fault", ["lone_surrogate", "nul_in_prompt", "negative_credit"])
def test_a_row_that_is_only_strange_is_kept(alice: User, upstream: Simulator, fault: str) -> None:
    upstream.faults.fail(fault, times=1)
    run = collected(alice, date(2026, 9, 1)).run
    assert len(contents(alice)) == run.fetched


# Prompts that are gone


def test_a_run_without_a_single_prompt_says_so(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(NOW - timedelta(days=60), "old"))
    run = collected(alice, date(2026, 7, 1), date(2026, 7, 31)).run
    assert (run.added, "None of them came with a prompt" in run.message) == (1, True)


def test_a_run_says_nothing_of_prompts_where_none_are_kept(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, max_prompt=0)
    upstream.add(0, call_at(NOW - timedelta(days=60), "old"))
    assert "prompt" not in collected(alice, date(2026, 7, 1), date(2026, 7, 31)).run.message


@pytest.mark.parametrize("day", [date(2026, 9, 7), date(2026, 1, 1)])
def test_a_run_with_prompts_or_without_rows_says_nothing_of_them(alice: User, day: date) -> None:
    assert "prompt" not in collected(alice, day, day).run.message


# The check afterwards


def hide_and_show(alice: User, upstream: Simulator, time: SetClock, verify_days: int) -> Run:
    """Two runs: the first does not see the last ten hours, and the second begins behind them."""
    set_up(alice, upstream, verify_days=verify_days, rewind_minutes=0)
    upstream.faults.hide_minutes = 600
    collected(alice)
    time.pass_by(hours=3)
    upstream.faults.hide_minutes = 0
    return collected(alice).run


def test_rows_that_showed_up_late_are_found_by_the_check(alice: User, upstream: Simulator, time: SetClock) -> None:
    run = hide_and_show(alice, upstream, time, verify_days=1)
    assert contents(alice) == truth(upstream)
    assert "2026-09-07: " in run.detail
    assert "read again" in run.detail


def test_without_the_check_they_are_not(alice: User, upstream: Simulator, time: SetClock) -> None:
    hide_and_show(alice, upstream, time, verify_days=0)
    assert contents(alice) != truth(upstream)


def test_a_day_that_is_complete_is_counted_and_not_read(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, verify_days=2)
    collected(alice)
    pages = pages_asked(upstream)
    collected(alice, date(2026, 9, 5))
    assert pages_asked(upstream, CHECK_SIZE) == 4
    assert "read again" not in Run.objects.latest("pk").detail
    assert pages_asked(upstream) - pages == -(-len(days_of(truth(upstream), "2026-09-05", "2026-09-07")) // 20)


# The detail, and stopping


def test_each_line_of_the_detail_is_shown_as_it_is_written(alice: User) -> None:
    shown: list[str] = []
    run = collected(alice, date(2026, 9, 7), show=shown.append).run
    assert run.detail == "".join(shown) + f"2026-09-07 17:59:30 {run.message}\n"
    assert all(line.startswith("2026-09-07 17:59:30 ") for line in shown)


def test_a_run_asked_to_stop_ends_after_its_page(alice: User) -> None:
    def stop(line: str) -> None:
        if "page 2" in line:
            Run.objects.update(stop_requested=True)

    run = collected(alice, show=stop).run
    assert (run.status, run.exit_code, run.fetched) == (Run.Status.INTERRUPTED, 6, len(contents(alice)))
    assert "Stopped on request" in run.message


def test_the_run_after_a_stopped_one_completes_the_archive(alice: User, upstream: Simulator) -> None:
    test_a_run_asked_to_stop_ends_after_its_page(alice)
    collected(alice)
    assert contents(alice) == truth(upstream)
