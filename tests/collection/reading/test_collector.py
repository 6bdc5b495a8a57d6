"""One run against the real simulator over HTTP: what it asks for, what it stores, what it counts."""

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest
from django.conf import settings

from accounts.models import User
from collection.models import Run
from collection.sources.codebuddy.reader import Upstream
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import asked_for, call_at, collected, contents, days_of, set_up, truth
from tests.collection.simulator_client import NOW
from tests.standing_clock import SetClock
from usage.models import Prompt, Record

CHECK_SIZE = 10


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    """Alice with the cookie of the upstream's first account; nothing is checked after a run."""
    set_up(alice, upstream, verify_days=0)
    return alice


def pages_asked(upstream: Simulator, size: int = 20) -> int:
    return sum(1 for request in upstream.requests_seen if request.body and request.body["pageSize"] == size)


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
    kept = Record.objects.filter(request_id="shared").values_list("archive_id", "credits")
    assert set(kept) == {(alice.pk, 3_000_000), (bob.pk, 5_000_000)}


# An account in use


@pytest.mark.thorough
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
    """Two runs: the first does not see the last twenty hours, and the second begins behind them."""
    set_up(alice, upstream, verify_days=verify_days, rewind_minutes=0)
    upstream.faults.hide_minutes = 1200
    collected(alice)
    time.pass_by(hours=8)
    upstream.faults.hide_minutes = 0
    return collected(alice).run


def test_rows_that_showed_up_late_are_found_by_the_check(alice: User, upstream: Simulator, time: SetClock) -> None:
    run = hide_and_show(alice, upstream, time, verify_days=1)
    assert contents(alice) == truth(upstream)
    assert "2026-09-07: " in run.detail
    assert "read again" in run.detail


def test_rows_that_showed_up_late_are_not_found_without_the_check(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
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


def test_a_source_that_does_not_count_is_not_asked_for_counts(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Upstream, "traits", replace(Upstream.traits, counts=False))
    set_up(alice, upstream, verify_days=2)
    collected(alice)
    assert (pages_asked(upstream, CHECK_SIZE), contents(alice)) == (0, truth(upstream))


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
