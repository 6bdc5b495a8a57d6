"""The ledger of days as runs keep it: counted, read again, settled; against the real simulator over HTTP."""

from collections.abc import Iterator
from datetime import date, timedelta

import pytest

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days
from collection.models import Lease, Run
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import Contents, call_at, collected, contents, set_up, truth
from tests.collection.scheduling import berlin
from tests.standing_clock import SetClock
from usage.coverage.ledger import ledger
from usage.models import CoverageDay

CHECK_SIZE = 10
YESTERDAY, DAY_BEFORE, TODAY = date(2026, 9, 6), date(2026, 9, 5), date(2026, 9, 7)


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream)
    return alice


def states(user: User) -> dict[str, str]:
    found = ledger(user.pk, Days(), wants_prompts=True)
    return {day: str(found.state(day)) for day in found.days()}


def counted(user: User, day: date) -> int | None:
    return CoverageDay.objects.filter(archive_id=user.pk, day=str(day)).values_list("upstream", flat=True).first()


def day_readings(upstream: Simulator, day: date) -> int:
    """How many times the whole day was asked for with pages of records."""
    bounds = [berlin(f"{day} {time}").astimezone(upstream.zone) for time in ("00:00:00", "23:59:59")]
    first_page = [*(f"{bound:%Y-%m-%d %H:%M:%S}" for bound in bounds), 1]
    bodies = [request.body for request in upstream.requests_seen if request.body]
    asked = [[body["startTime"], body["endTime"], body["pageNum"]] for body in bodies if body["pageSize"] != CHECK_SIZE]
    return asked.count(first_page)


def on_day(rows: Contents, day: date) -> int:
    return sum(ts[:10] == str(day) for _, ts in rows.values())


def runs_every(hours: int, times: int, alice: User, time: SetClock) -> Iterator[Run]:
    for _ in range(times):
        time.pass_by(hours=hours)
        yield collected(alice).run


# Counting


def test_a_first_run_counts_the_days_that_it_read(alice: User, upstream: Simulator) -> None:
    collected(alice)
    known = dict(CoverageDay.objects.filter(archive_id=alice.pk).values_list("day", "upstream"))
    assert (min(known), max(known), len(known)) == ("2026-08-08", "2026-09-06", 30)
    assert known == {day: on_day(truth(upstream), date.fromisoformat(day)) for day in known}
    assert set(states(alice).values()) == {"checked", "settled", "open"}


def test_a_whole_window_is_counted_also_where_nothing_is_verified(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, verify_days=0)
    collected(alice)
    assert counted(alice, YESTERDAY) == on_day(truth(upstream), YESTERDAY)
    assert all(request.body["pageSize"] != CHECK_SIZE for request in upstream.requests_seen if request.body)


def test_a_row_of_a_closed_day_that_comes_late_is_found_by_the_next_run(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    collected(alice)
    upstream.add(0, call_at(berlin("2026-09-05 12:00"), "late"))
    time.pass_by(hours=1)
    run = collected(alice).run
    assert contents(alice) == truth(upstream)
    assert f"{DAY_BEFORE}: " in run.detail
    assert counted(alice, DAY_BEFORE) == on_day(truth(upstream), DAY_BEFORE)


def test_a_ranged_run_counts_the_last_closed_days_too(alice: User, upstream: Simulator) -> None:
    collected(alice)
    upstream.add(0, call_at(berlin("2026-09-06 12:00"), "late"))
    collected(alice, date(2026, 8, 20), date(2026, 8, 20))
    assert contents(alice) == truth(upstream)


def test_a_day_that_lost_calls_at_the_upstream_is_a_surplus_and_read_again_once(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    gone = call_at(berlin("2026-09-06 12:00"), "gone")
    upstream.add(0, gone)
    collected(alice)
    upstream.remove(0, "gone")
    before = day_readings(upstream, YESTERDAY)
    for _ in runs_every(1, 3, alice, time):
        assert states(alice)[str(YESTERDAY)] == "surplus"
    assert day_readings(upstream, YESTERDAY) == before + 1
    assert "gone" in contents(alice)


def test_a_day_with_rows_that_cannot_be_read_is_short(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.faults.fail("huge_credit")
    collected(alice, YESTERDAY, YESTERDAY)
    assert states(alice)[str(YESTERDAY)] == "short"


@pytest.mark.thorough
def test_a_capped_day_is_counted_in_halves(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, page_size=1000)
    upstream.add(0, *[call_at(berlin("2026-09-05 12:00") + timedelta(seconds=n), f"c{n}") for n in range(1500)])
    upstream.faults.window_cap = 1000
    collected(alice)
    assert contents(alice) == truth(upstream)
    assert counted(alice, DAY_BEFORE) == on_day(truth(upstream), DAY_BEFORE) > 1500


def test_a_day_that_is_not_over_is_open_and_not_counted(alice: User) -> None:
    collected(alice)
    assert states(alice)["2026-09-07"] == "open"
    assert counted(alice, date(2026, 9, 7)) is None


def test_a_day_that_was_not_read_to_its_end_is_unasked(alice: User, upstream: Simulator, time: SetClock) -> None:
    set_up(alice, upstream, verify_days=0)
    collected(alice)
    time.pass_by(hours=10)
    assert states(alice)["2026-09-07"] == "unasked"
    collected(alice)
    assert states(alice)["2026-09-07"] in ("checked", "stripped")


def test_days_that_no_run_asked_for_are_unasked(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, verify_days=0)
    collected(alice, date(2026, 9, 1), date(2026, 9, 2))
    collected(alice, date(2026, 9, 5), date(2026, 9, 6))
    found = states(alice)
    assert [found[f"2026-09-0{day}"] for day in (3, 4)] == ["unasked", "unasked"]


# Settling


@pytest.mark.thorough
def test_each_day_is_read_again_a_day_and_three_days_after_its_end_and_settles(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    collected(alice)
    seen = []
    for _ in runs_every(6, 18, alice, time):
        ended_hours_ago = (time.now - berlin("2026-09-08 00:00")) / timedelta(hours=1)
        seen.append((ended_hours_ago, day_readings(upstream, TODAY), states(alice)[str(TODAY)]))
    for ended_hours_ago, readings, state in seen:
        assert readings == (ended_hours_ago >= 24) + (ended_hours_ago >= 72)
        assert (state in ("settled", "proved")) is (ended_hours_ago >= 72)


@pytest.mark.thorough
def test_credits_that_change_two_days_later_arrive(alice: User, upstream: Simulator, time: SetClock) -> None:
    upstream.faults.settle_minutes = 48 * 60
    collected(alice)
    assert contents(alice) != truth(upstream)
    messages = [run.message for run in runs_every(12, 16, alice, time)]
    assert contents(alice) == truth(upstream)
    assert any("1 day settled" in message for message in messages)
    assert not any("1 days settled" in message for message in messages)
    assert any("changed in days that were read again" in message for message in messages)


@pytest.mark.thorough
def test_a_day_that_a_reading_changes_is_read_again_a_day_later(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    collected(alice)
    late = berlin("2026-09-06 12:00")
    list(runs_every(24, 4, alice, time))
    assert states(alice)[str(YESTERDAY)] == "settled"
    upstream.add(0, call_at(late, "very late"))
    collected(alice, YESTERDAY, YESTERDAY)
    assert states(alice)[str(YESTERDAY)] == "checked"
    list(runs_every(24, 2, alice, time))
    assert states(alice)[str(YESTERDAY)] == "proved"


def test_at_most_seven_days_are_read_again_oldest_first(alice: User, upstream: Simulator, time: SetClock) -> None:
    collected(alice)
    time.pass_by(hours=25)
    run = collected(alice).run
    again = [line.split()[2] for line in run.detail.splitlines() if "read again to see" in line]
    assert again == [f"{date(2026, 8, 29) + timedelta(days=number)}:" for number in range(7)]


def test_a_ranged_run_reads_no_other_days_again(alice: User, upstream: Simulator, time: SetClock) -> None:
    collected(alice)
    time.pass_by(hours=25)
    assert "read again to see" not in collected(alice, date(2026, 9, 1), date(2026, 9, 2)).run.detail


def test_without_verification_nothing_settles(alice: User, upstream: Simulator, time: SetClock) -> None:
    set_up(alice, upstream, verify_days=0)
    collected(alice)
    list(runs_every(24, 5, alice, time))
    collected(alice, date(2026, 8, 20), date(2026, 8, 30))
    assert "settled" not in states(alice).values()


@pytest.mark.thorough
def test_a_day_whose_prompts_the_upstream_left_out_is_stripped_until_they_come(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    upstream.faults.late_prompt_minutes = 60 * 24 * 30
    collected(alice)
    assert states(alice)[str(YESTERDAY)] == "stripped"
    upstream.faults.late_prompt_minutes = 0
    list(runs_every(24, 4, alice, time))
    assert states(alice)[str(YESTERDAY)] == "settled"


def test_a_day_that_cannot_be_read_again_is_tried_a_day_later_and_fails_no_run(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    set_up(alice, upstream, page_size=1000)
    collected(alice)
    time.pass_by(hours=25)
    # After the window and the counts of two days.
    upstream.faults.fail("total_too_large", after_pages=3)
    run = collected(alice).run
    assert (run.status, run.detail.count("read again to see")) == (Run.Status.OK, 7)
    upstream.faults.clear()
    assert states(alice)["2026-08-29"] == "checked"
    time.pass_by(hours=1)
    assert "2026-08-29: read again" not in collected(alice).run.detail
    time.pass_by(hours=24)
    assert "2026-08-29: read again" in collected(alice).run.detail
    # It agrees with the upstream's own sum, too.
    assert states(alice)["2026-08-29"] == "proved"


def test_a_run_that_lost_its_lease_notes_nothing(alice: User, upstream: Simulator) -> None:
    def lose(line: str) -> None:
        if "page" in line:
            Lease.objects.update(token="another")

    collected(alice, show=lose)
    assert not CoverageDay.objects.exists()


@pytest.mark.thorough
def test_each_run_costs_a_page_of_ten_rows_for_each_day_that_is_verified(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    set_up(alice, upstream, verify_days=3, page_size=1000)
    list(runs_every(24, 6, alice, time))
    before = len(upstream.requests_seen)
    time.pass_by(minutes=30)
    collected(alice)
    sizes = [request.body["pageSize"] for request in upstream.requests_seen[before:] if request.body]
    # The window came empty and was asked for once more.
    assert sizes == [1000, 1000, CHECK_SIZE, CHECK_SIZE, CHECK_SIZE]
