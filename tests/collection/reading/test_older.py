"""Reaching back: `manage.py collect --older`, against the real simulator over HTTP."""

import signal
from collections import Counter
from datetime import date, timedelta
from typing import Any

import pytest

from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from collection import watermark
from collection.models import Progress, Run
from collection.runs.run_progress import RunProgress
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.archive_site.commands import manage_here
from tests.collection.collector_run import asked_for, call_at, collected, contents, set_up, truth
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.refused_windows import refuse
from tests.collection.running_instance import Instance
from tests.collection.scheduling import berlin
from tests.collection.simulator_client import simulator_at
from tests.standing_clock import SetClock
from usage.coverage import left_windows
from usage.coverage.ledger import ledger
from usage.coverage.missing_days import missing_days
from usage.models import CoverageDay, Reach, Record

# The first collection reaches back to this day.
FIRST = date(2026, 8, 8)


@pytest.fixture
def upstream(upstream_of_60_days: Simulator) -> Simulator:
    return upstream_of_60_days


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, page_size=100)
    collected(alice)
    return alice


def fetch_older(code: int = 0) -> Run:
    done = manage_here("collect", "alice", "--older")
    assert done.returncode == code, done
    return Run.objects.latest("pk")


def first_day(upstream: Simulator) -> date:
    """The day of the first call."""
    return date.fromisoformat(min(ts for _, ts in truth(upstream).values())[:10])


def asked_days() -> list[date]:
    return [date.fromisoformat(day) for day in CoverageDay.objects.order_by("day").values_list("day", flat=True)]


def states(user: User) -> dict[str, str]:
    found = ledger(user.pk, Days(), wants_prompts=False)
    return {day: str(found.state(day)) for day in found.days()}


def stopped_after(windows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the next run to stop after a number of windows were noted."""
    should_stop = RunProgress.should_stop
    before = CoverageDay.objects.count()

    def stop_later(progress: RunProgress) -> bool:
        if CoverageDay.objects.count() >= before + 7 * windows:
            Run.objects.filter(pk=progress.run.pk).update(stop_requested=True)
        return should_stop(progress)

    monkeypatch.setattr(RunProgress, "should_stop", stop_later)


# How far it goes


@pytest.mark.thorough
def test_it_stores_every_call_that_the_upstream_still_has(alice: User, upstream: Simulator) -> None:
    assert contents(alice) != truth(upstream)
    run = fetch_older()
    assert contents(alice) == truth(upstream)
    assert (run.kind, run.trigger, run.status, run.cause) == ("older", "cli", "ok", "older_fetched")
    assert f"CodeBuddy has no calls from before {first_day(upstream)}" in run.message


def test_it_ends_once_90_days_in_a_row_are_empty(alice: User, upstream: Simulator) -> None:
    fetch_older()
    empty = first_day(upstream) - asked_days()[0]
    assert timedelta(days=90) <= empty < timedelta(days=97)
    assert len(asked_days()) == (date(2026, 9, 7) - asked_days()[0]).days


def test_it_ends_though_the_upstream_gives_no_count_that_proves_it(alice: User, upstream: Simulator) -> None:
    upstream.faults.null_when_empty = "data"
    run = fetch_older()
    assert (run.status, run.cause, contents(alice)) == ("ok", "collected", truth(upstream))
    assert timedelta(days=90) <= first_day(upstream) - asked_days()[0] < timedelta(days=104)
    assert not Reach.objects.exists()
    assert states(alice)[str(asked_days()[0])] == "unconfirmed"
    assert "8 more" in run.message


def test_a_week_with_one_call_twice_ends_nothing(alice: User, upstream: Simulator) -> None:
    moment = berlin("2026-07-22 12:00")
    upstream.add(0, call_at(moment, "twice"), call_at(moment, "twice"))
    run = fetch_older()
    assert (run.status, run.cause, contents(alice)) == ("ok", "older_fetched", truth(upstream))
    assert states(alice)["2026-07-22"] == "unconfirmed"


@pytest.mark.engine
def test_a_week_that_cannot_be_read_keeps_no_older_one_from_the_next_run(alice: User, upstream: Simulator) -> None:
    moment = berlin("2026-07-22 12:00")
    upstream.add(0, call_at(moment, "refused"))
    refuse(upstream, moment)
    fetch_older(code=1)
    fetch_older(code=1)
    missing = truth(upstream).keys() - contents(alice).keys()
    assert "refused" in missing
    assert {ts[:10] for key, (_, ts) in truth(upstream).items() if key in missing} <= {
        f"2026-07-{day}" for day in range(18, 25)
    }
    refuse(upstream)
    fetch_older()
    assert "refused" in contents(alice)


@pytest.mark.thorough
def test_a_day_that_is_given_up_fails_no_run_and_the_end_is_reached(alice: User, upstream: Simulator) -> None:
    refuse(upstream, berlin("2026-05-20 12:00"))
    while not left_windows.given_up_days(alice.pk):
        fetch_older(code=1)
    run = fetch_older()
    assert (run.cause, left_windows.given_up_days(alice.pk)) == ("older_fetched", {"2026-05-20"})
    assert "2026-05-20 23:59:59: left to be read again" in run.detail
    before = upstream.request_count
    assert (fetch_older().cause, upstream.request_count) == ("older_fetched", before + 1)
    refuse(upstream)
    fetch_older()
    assert left_windows.given_up_days(alice.pk) == set()


@pytest.mark.thorough
def test_of_two_bad_days_in_a_week_only_these_stay_unread(alice: User, upstream: Simulator) -> None:
    good = [f"2026-07-{day}" for day in range(19, 24)]
    upstream.add(0, *(call_at(berlin(f"{day} 10:00"), day) for day in good))
    refuse(upstream, berlin("2026-07-18 12:00"), berlin("2026-07-24 12:00"))
    for _ in range(5):
        manage_here("collect", "alice", "--older")
    assert set(good) <= contents(alice).keys()


@pytest.mark.thorough
def test_days_that_stay_refused_keep_no_other_day_from_being_read_again(alice: User, upstream: Simulator) -> None:
    refused = [berlin(f"2026-07-{day} 12:00") for day in range(19, 25)]
    good = berlin("2026-07-16 12:00")
    upstream.add(0, call_at(good, "good"))
    refuse(upstream, *refused, good)
    for _ in range(6):
        manage_here("collect", "alice", "--older")
    refuse(upstream, *refused)
    for _ in range(3):
        manage_here("collect", "alice", "--older")
    assert "good" in contents(alice)


@pytest.mark.thorough
def test_a_pause_of_less_than_90_days_does_not_end_it(alice: User, upstream: Simulator) -> None:
    pause = first_day(upstream) - timedelta(days=85)
    upstream.add(0, call_at(berlin(f"{pause} 12:00"), "before the pause"))
    fetch_older()
    assert "before the pause" in contents(alice)
    assert Reach.objects.get().first_day == str(pause)


def test_what_lies_behind_90_empty_days_is_not_looked_for(alice: User, upstream: Simulator) -> None:
    pause = first_day(upstream) - timedelta(days=120)
    upstream.add(0, call_at(berlin(f"{pause} 12:00"), "long ago"))
    fetch_older()
    assert "long ago" not in contents(alice)


@pytest.mark.thorough
def test_windows_are_read_newest_first(alice: User, upstream: Simulator) -> None:
    before = len(asked_for(upstream))
    fetch_older()
    starts = [start for start, _ in asked_for(upstream)[before:]]
    assert starts == sorted(starts, reverse=True)
    assert starts[0] == "2026-08-01 06:00:00"


@pytest.mark.thorough
def test_an_account_without_any_call_ends_too(alice: User, bob: User, upstream: Simulator) -> None:
    for call in upstream.rows():
        upstream.remove(0, call.request_id)
    Record.objects.all().delete()
    CoverageDay.objects.all().delete()
    run = fetch_older()
    assert (run.cause, asked_days()[-1]) == ("older_none", date(2026, 9, 6))
    assert 90 <= len(asked_days()) < 97
    # No day before is missing, and none of these has to be asked for again.
    assert Reach.objects.get(archive_id=alice.pk).first_day == str(asked_days()[0])


def test_it_asks_for_no_day_before_1970(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "EARLIEST", date(2026, 7, 30))
    fetch_older()
    assert asked_days()[0] == date(2026, 7, 30)


@pytest.mark.thorough
def test_gaps_between_asked_days_are_filled_however_long(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(berlin("2025-12-24 12:00"), "in the gap"))
    collected(alice, date(2025, 12, 1), date(2025, 12, 3))
    fetch_older()
    assert contents(alice) == truth(upstream)
    days = asked_days()
    assert len(days) == (days[-1] - days[0]).days + 1


@pytest.mark.thorough
def test_capped_windows_are_read_in_halves(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.add(0, *[call_at(berlin("2026-07-20 12:00") + timedelta(seconds=n), f"c{n}") for n in range(1500)])
    upstream.faults.window_cap = 1000
    fetch_older()
    assert contents(alice) == truth(upstream)


# What it notes


def test_the_mark_and_what_runs_left_stay_unchanged(alice: User, upstream: Simulator) -> None:
    Progress.objects.update(unfinished_from=berlin("2026-07-20 00:00"), unfinished_to=berlin("2026-07-20 12:00"))
    before = Progress.objects.values().get()
    fetch_older()
    assert Progress.objects.values().get() == before


def test_one_that_fails_leaves_nothing_missing_behind_the_mark(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("api_code")
    assert fetch_older(code=1).status == "failed"
    assert missing_days(alice.pk, watermark.expected_through(alice.pk)) is None


def test_days_from_before_the_first_call_are_unreachable(alice: User, upstream: Simulator) -> None:
    fetch_older()
    first = first_day(upstream)
    found = states(alice)
    assert Reach.objects.get().first_day == str(first)
    assert {found[str(first - timedelta(days=back))] for back in range(1, 90)} == {"unreachable"}
    assert found[str(first)] == "checked"
    assert "unasked" not in found.values()


def test_days_of_an_earlier_version_that_were_not_counted_stay_reachable(alice: User, upstream: Simulator) -> None:
    CoverageDay.objects.update(upstream=None)
    for call in upstream.rows():
        upstream.remove(0, call.request_id)
    fetch_older()
    recorded = Record.objects.filter(day__gte=str(FIRST)).earliest("day").day
    assert Reach.objects.get().first_day == recorded


@pytest.mark.thorough
def test_the_window_of_the_run_shows_how_far_it_came(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped_after(2, monkeypatch)
    run = fetch_older(code=1)
    assert [clock.local_text(moment) for moment in (run.win_from, run.win_to)] == [
        "2026-07-25 00:00:00", "2026-08-07 23:59:59",
    ]  # fmt: skip
    assert run.message == (
        "Stopped on request: every day back to 2026-07-25 is read. Fetch older calls again to continue."
    )


@pytest.mark.thorough
def test_old_days_wait_in_turn_to_be_read_again(alice: User, upstream: Simulator, time: SetClock) -> None:
    collected(alice, date(2026, 7, 20), date(2026, 7, 24))
    fetch_older()
    waiting = CoverageDay.objects.filter(day__lt="2026-08-07", next_read_at__isnull=False)
    hours = Counter((row.next_read_at - time.now) // timedelta(hours=24) for row in waiting if row.next_read_at)
    assert set(hours.values()) <= {1, 2, 3, 4, 5}
    assert len(waiting) > 20


@pytest.mark.thorough
def test_recent_days_are_read_in_time_after_it(alice: User, time: SetClock) -> None:
    with simulator_at(days=200, per_day=1, now=time.now) as upstream:
        upstream.now = lambda: time.now
        set_up(alice, upstream, page_size=100)
        for half_days in range(1, 15):
            time.pass_by(hours=12)
            assert collected(alice).run.status == "ok"
            if half_days == 6:
                fetch_older()
    # This day ended six hours after the older ones were fetched.
    assert states(alice)["2026-09-10"] == "settled"


# Going on


@pytest.mark.thorough
def test_one_that_was_stopped_continues_where_it_ended(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        stopped_after(3, patch)
        assert fetch_older(code=1).status == "interrupted"
    before = len(asked_for(upstream))
    reached = asked_days()[0]
    fetch_older()
    # The window that the stop interrupted is asked for again, and no other.
    again = [start for start, _ in asked_for(upstream)[before:]]
    assert all(start[:10] <= str(reached) for start in again)
    assert contents(alice) == truth(upstream)
    assert first_day(upstream) - asked_days()[0] < timedelta(days=97)


def test_one_that_was_stopped_in_the_empty_days_does_not_begin_to_count_anew(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        stopped_after(12, patch)
        fetch_older(code=1)
    assert asked_days()[0] < first_day(upstream)
    fetch_older()
    assert first_day(upstream) - asked_days()[0] < timedelta(days=97)


@pytest.mark.thorough
def test_one_that_failed_in_the_middle_continues(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("api_code", after_pages=3)
    fetch_older(code=1)
    upstream.faults.clear()
    fetch_older()
    assert contents(alice) == truth(upstream)


@pytest.mark.thorough
def test_rows_without_an_id_end_it_and_are_asked_for_again(alice: User, upstream: Simulator) -> None:
    upstream.faults.fail("rows_without_id", times=1)
    assert fetch_older(code=1).cause in ("rows_without_id", "answer_broken")
    fetch_older()
    assert contents(alice) == truth(upstream)


@pytest.mark.thorough
def test_one_that_has_ended_asks_for_nothing_more(alice: User, upstream: Simulator) -> None:
    fetch_older()
    before = upstream.request_count
    assert fetch_older().status == "ok"
    assert upstream.request_count == before


def older_of(instance: Instance) -> Any:
    return instance.run("collect", "alice", "--older")


@pytest.mark.thorough
def test_one_that_was_killed_continues(instance: Instance) -> None:
    gated = GatedSimulator(days=60, per_day=5)
    with gated:
        instance.use(gated, page_size=100)
        assert instance.run("collect", "alice").returncode == 0
        gated.hold_at(4)
        process = instance.start("collect", "alice", "--older")
        assert gated.reached.wait(60)
        assert "already running" in older_of(instance).stderr
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        gated.release()
        noted = instance.sql("SELECT MIN(day) FROM usage_coverageday")
        assert older_of(instance).returncode == 0
        assert instance.sql("SELECT MIN(day) FROM usage_coverageday") < noted
        assert instance.sql("SELECT kind, status FROM collection_run ORDER BY id") == [
            ("collection", "ok"), ("older", "interrupted"), ("older", "ok"),
        ]  # fmt: skip
        stored = dict(instance.sql("SELECT request_id, credits FROM usage_record"))
        assert {call.request_id: call.amount for call in gated.rows()}.items() <= stored.items()
