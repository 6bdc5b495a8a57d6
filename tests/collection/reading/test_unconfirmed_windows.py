"""Windows whose rows and count do not agree at the upstream.

The rules: docs/decisions/collection.md#windows-that-are-read-again.
"""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise

import pytest

from accounts import config
from accounts.models import INSTANCE, User
from archive_site.lib.http.parameter_parsing import Days
from collection import watermark
from collection.models import Lease, Run
from collection.reading.window_reader import Reading
from collection.sources.codebuddy.simulator.answers import json_reply
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.over_http.simulator_server import Reply
from tests.collection.collector_run import call_at, collected, contents, every_window, set_up, truth
from tests.collection.refused_windows import lasting, refuse
from tests.collection.scheduling import berlin
from tests.collection.scripted_upstream import ROW, ScriptedUpstream, in_json, rows
from tests.collection.simulator_client import NOW
from tests.standing_clock import SetClock
from usage.coverage import left_windows
from usage.coverage.ledger import ledger
from usage.coverage.missing_days import missing_days
from usage.models import CoverageDay, LeftWindow, Record

pytestmark = pytest.mark.landing
TWICE = date(2026, 8, 12)


@pytest.fixture
def upstream(time: SetClock) -> Iterator[Simulator]:
    with lasting(time) as running:
        yield running


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    """Alice with the cookie of the upstream's first account; nothing is checked after a run."""
    set_up(alice, upstream, verify_days=0, page_size=1000)
    return alice


@pytest.fixture
def twice(upstream: Simulator) -> None:
    """One call comes twice with two prices, in a window behind which others lie."""
    moment = berlin(f"{TWICE} 10:00")
    upstream.add(0, call_at(moment, "twice", credits=4), call_at(moment, "twice", credits=3))
    upstream.add(0, call_at(berlin("2026-08-24 10:00"), "later"))


def states(user: User) -> dict[str, str]:
    found = ledger(user.pk, Days(), wants_prompts=True)
    return {day: str(found.state(day)) for day in found.days()}


def unconfirmed(user: User) -> list[str]:
    return [day for day, state in states(user).items() if state == "unconfirmed"]


def runs_every(hours: float, times: int, user: User, time: SetClock) -> Iterator[Run]:
    for _ in range(times):
        time.pass_by(hours=hours)
        yield collected(user).run


def readings_of(day: date, upstream: Simulator) -> int:
    """How many requests were for windows that hold a day."""
    return sum(start[:10] <= str(day) <= end[:10] for start, end in every_window(upstream))


@pytest.mark.usefixtures("twice")
def test_a_window_with_one_id_twice_starves_no_other(alice: User, upstream: Simulator) -> None:
    run = collected(alice).run
    assert (run.status, contents(alice)) == (
        Run.Status.OK,
        truth(upstream) | {"twice": (4_000_000, "2026-08-12 10:00:00")},
    )
    assert watermark.mark(alice.pk) == NOW
    named = "2026-08-08 00:00:00 to 2026-08-14 23:59:59: calls came several times, 1 different one of 2"
    assert f"not confirmed by CodeBuddy and read again later ({named}" in run.message
    assert named in run.detail


@pytest.mark.usefixtures("twice")
def test_runs_that_do_not_read_it_name_it_too(alice: User, time: SetClock) -> None:
    for _ in range(2):
        collected(alice)
    time.pass_by(minutes=1)
    run = collected(alice).run
    assert "several times" not in run.detail
    assert "read again later (2026-08-11 00:00:00 to 2026-08-14 23:59:59)" in run.message


@pytest.mark.usefixtures("twice")
def test_its_days_are_neither_checked_nor_settled_and_others_are(alice: User) -> None:
    collected(alice)
    assert unconfirmed(alice) == [f"2026-08-{day:02}" for day in range(8, 15)]
    assert states(alice)["2026-08-15"] == "checked"
    assert missing_days(alice.pk, watermark.expected_through(alice.pk)) is None


@pytest.mark.usefixtures("twice")
def test_two_prices_in_one_answer_are_one_conflict_that_is_said_once(alice: User, time: SetClock) -> None:
    first = collected(alice).run
    assert (first.conflicts, first.detail.count("credits were")) == (1, 1)
    for run in runs_every(2, 3, alice, time):
        assert (run.conflicts, "credits were" in run.detail) == (0, False)
    assert contents(alice)["twice"][0] == 4_000_000


def test_three_prices_in_one_answer_are_one_conflict_too(alice: User, upstream: Simulator) -> None:
    upstream.add(0, *(call_at(berlin(f"{TWICE} 10:00"), "thrice", credits=price) for price in (3, 5, 4)))
    run = collected(alice).run
    assert (run.conflicts, contents(alice)["thrice"][0]) == (1, 5_000_000)


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("prices", [(3, 4), (4, 3)])
def test_two_prices_on_two_pages_are_one_conflict_that_is_said_once(
    alice: User, upstream: Simulator, time: SetClock, prices: tuple[int, int]
) -> None:
    set_up(alice, upstream, verify_days=0, page_size=20)
    moment = berlin(f"{TWICE} 10:00")
    between = [call_at(moment + timedelta(minutes=number), f"between-{number}") for number in range(30)]
    upstream.add(0, *between)
    for price, minute in zip(prices, (-1, 31), strict=True):
        upstream.add(0, call_at(moment + timedelta(minutes=minute), "twice", credits=price))
    runs = [collected(alice, TWICE, TWICE).run for _ in range(3)]
    assert sum(run.conflicts for run in runs[1:]) == 0
    assert runs[0].conflicts <= 1
    assert contents(alice)["twice"][0] == 4_000_000
    before = Record.objects.values().get(request_id="twice")
    time.pass_by(hours=2)
    collected(alice, TWICE, TWICE)
    assert Record.objects.values().get(request_id="twice") == before


@pytest.mark.thorough_after(1)
@pytest.mark.engine
@pytest.mark.parametrize("days", [("2026-09-05", "2026-09-06"), ("2026-08-17", "2026-08-19")])
@pytest.mark.parametrize("prices", [(3, 4), (4, 3)])
def test_one_id_with_two_times_on_two_days_changes_a_record_no_more(
    alice: User, upstream: Simulator, time: SetClock, days: tuple[str, str], prices: tuple[int, int]
) -> None:
    set_up(alice, upstream, verify_days=3, page_size=1000)
    for day, price in zip(days, prices, strict=True):
        upstream.add(0, call_at(berlin(f"{day} 12:00"), "twice", credits=price))
    first = collected(alice).run
    before = Record.objects.values().get(request_id="twice")
    for run in runs_every(24, 7, alice, time):
        assert (run.status, "were" in run.detail, run.conflicts) == (Run.Status.OK, False, 0)
    assert (first.conflicts, Record.objects.values().get(request_id="twice")) == (1, before)
    assert (before["credits"], LeftWindow.objects.count()) == (4_000_000, 0)
    assert {states(alice)[day] for day in days} <= {"settled", "proved"}


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_call_that_gets_another_time_in_the_window_has_that_time(
    alice: User, upstream: Simulator, hours: int
) -> None:
    moment = berlin(f"{TWICE} 10:00")
    upstream.add(0, call_at(moment, "moved"))
    collected(alice)
    upstream.remove(0, "moved")
    upstream.add(0, call_at(moment + timedelta(hours=hours), "moved"))
    assert collected(alice, TWICE, TWICE).run.conflicts == 1
    assert contents(alice)["moved"][1] == f"{TWICE} {10 + hours:02}:00:00"


def test_a_price_that_changes_on_the_first_page_is_stored_though_the_second_fails(
    alice: User, upstream: Simulator
) -> None:
    set_up(alice, upstream, verify_days=0, page_size=20)
    moment = berlin(f"{TWICE} 10:00")
    upstream.add(0, *(call_at(moment - timedelta(minutes=number), f"call-{number}") for number in range(30)))
    collected(alice, TWICE, TWICE)
    upstream.remove(0, "call-0")
    upstream.add(0, call_at(moment, "call-0", credits=7))
    upstream.faults.fail("api_code", after_pages=1)
    run = collected(alice, TWICE, TWICE).run
    assert (run.exit_code, run.conflicts, contents(alice)["call-0"][0]) == (5, 1, 7_000_000)


def test_two_purposes_in_one_answer_change_a_record_once(alice: User, upstream: Simulator, time: SetClock) -> None:
    calls = [call_at(berlin(f"{TWICE} 10:00"), "twice", agent_purpose=purpose) for purpose in ("a", "b")]
    upstream.add(0, *calls)
    collected(alice)
    before = Record.objects.values().get(request_id="twice")
    upstream.remove(0, "twice")
    upstream.add(0, *reversed(calls))
    time.pass_by(hours=2)
    collected(alice)
    assert Record.objects.values().get(request_id="twice") == before


@pytest.mark.usefixtures("twice")
def test_it_is_read_again_in_halves_until_the_day_that_is_at_fault_remains(alice: User, time: SetClock) -> None:
    collected(alice)
    left = [len(unconfirmed(alice)) for _ in runs_every(24, 3, alice, time)]
    assert left == [4, 2, 1]
    assert unconfirmed(alice) == [str(TWICE)]


@pytest.mark.usefixtures("twice")
def test_of_two_odd_days_in_a_week_only_these_remain(alice: User, upstream: Simulator, time: SetClock) -> None:
    moment = berlin("2026-08-08 10:00")
    upstream.add(0, call_at(moment, "also twice"), call_at(moment, "also twice"))
    collected(alice)
    left = [len(unconfirmed(alice)) for _ in runs_every(24, 3, alice, time)]
    assert (left, unconfirmed(alice)) == ([7, 3, 2], ["2026-08-08", str(TWICE)])


@pytest.mark.thorough
def test_where_every_window_is_odd_each_is_read_again_however_often_runs_come(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    upstream.faults.total_above = 1
    collected(alice, date(2026, 9, 7))
    for run in runs_every(0.5, 8, alice, time):
        assert run.status == Run.Status.OK
    assert max(left.tries for left in LeftWindow.objects.filter(win_to__gt=NOW - timedelta(hours=1))) >= 3


@pytest.mark.thorough
@pytest.mark.usefixtures("twice")
def test_it_is_read_again_ever_later_and_no_more_once_it_is_old(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    set_up(alice, upstream, verify_days=0, page_size=1000, rewind_minutes=0)
    readings = []
    for run in runs_every(3, 97, alice, time):
        assert run.status == Run.Status.OK
        readings.append(readings_of(TWICE, upstream))
    asked = [number for number, (before, after) in enumerate(pairwise([0, *readings])) if after > before]
    # After 0, 1, 4, 16, 64 and 192 hours, counted in runs; then it is older than 31 days.
    assert asked == [0, 1, 2, 4, 10, 32, 96]
    assert LeftWindow.objects.get(archive_id=alice.pk).next_read_at is None
    assert unconfirmed(alice) == [str(TWICE)]


@pytest.mark.usefixtures("twice")
def test_a_window_that_the_upstream_puts_right_is_confirmed_by_the_next_run(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    collected(alice)
    upstream.remove(0, "twice")
    time.pass_by(hours=1)
    run = collected(alice).run
    assert (run.status, unconfirmed(alice), "not confirmed" in run.message) == (Run.Status.OK, [], False)
    assert not LeftWindow.objects.exists()


@pytest.mark.usefixtures("twice")
def test_it_stays_unconfirmed_where_it_cannot_be_read_again(alice: User, upstream: Simulator, time: SetClock) -> None:
    collected(alice)
    time.pass_by(hours=1)
    refuse(upstream, berlin(f"{TWICE} 10:00"))
    assert collected(alice).run.exit_code == 5
    assert str(TWICE) in unconfirmed(alice)
    assert watermark.mark(alice.pk) == time.now


@pytest.mark.thorough
def test_a_count_that_is_always_one_too_high_ends_no_run_badly(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    upstream.faults.total_above = 1
    run = collected(alice).run
    assert (run.status, contents(alice), watermark.mark(alice.pk)) == (Run.Status.OK, truth(upstream), NOW)
    assert set(states(alice).values()) == {"unconfirmed", "open"}
    before = upstream.request_count
    for run in runs_every(6, 4, alice, time):
        assert run.status == Run.Status.OK
    # Each run reads its own window twice, and at most five others twice in two halves; each reading asks for two pages.
    assert upstream.request_count - before <= 4 * (2 + 5 * 2 * 2) * 2


def test_a_count_below_the_rows_confirms_nothing(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(berlin("2026-08-12 10:00"), "one"))
    upstream.faults.total_above = -1
    run = collected(alice, date(2026, 9, 1)).run
    assert (run.status, "2026-09-03" in unconfirmed(alice)) == (Run.Status.OK, True)


@pytest.mark.parametrize(
    ("counted", "missing", "is_failure"),
    [(5, 5, False), (6, 6, True), (600, 6, False), (599, 6, True), (10_000, 100, False), (10_000, 101, True)],
)
def test_more_than_five_rows_and_one_percent_are_too_many_to_miss(counted: int, missing: int, is_failure: bool) -> None:
    assert Reading(first_total=counted, total=counted, missing=missing).is_incomplete == is_failure


def test_where_many_rows_are_missing_the_run_reads_on_and_the_mark_stays(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(berlin("2026-08-12 10:00"), "first"), call_at(berlin("2026-08-24 10:00"), "later"))
    upstream.faults.fail("total_too_large", times=4)
    run = collected(alice).run
    assert (run.status, run.exit_code, contents(alice)) == (Run.Status.FAILED, 5, truth(upstream))
    assert "Asked twice, CodeBuddy gave fewer calls than it counts: 2026-08-08 00:00:00 to" in run.message
    assert watermark.mark(alice.pk) == berlin("2026-08-08 00:00")
    assert collected(alice).run.status == Run.Status.OK
    assert (watermark.mark(alice.pk), LeftWindow.objects.exists()) == (NOW, False)


# Answers without a count


def test_an_answer_without_data_is_no_failure_and_proves_nothing(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    upstream.faults.fail("null_data")
    run = collected(alice, date(2026, 9, 1), date(2026, 9, 6)).run
    assert (run.status, run.fetched) == (Run.Status.OK, 0)
    assert set(states(alice).values()) == {"unconfirmed", "open"}
    assert not CoverageDay.objects.exclude(upstream=None, settled_at=None).exists()
    upstream.faults.clear()
    before = upstream.request_count
    time.pass_by(hours=1)
    collected(alice)
    assert upstream.request_count > before
    assert unconfirmed(alice) == []


@pytest.mark.parametrize(
    ("counted", "row_count", "words"),
    [(2, 1, "CodeBuddy counts 2 calls, 1 came"), (0, 0, "0 calls came, without CodeBuddy's count")],
)
def test_a_second_reading_without_a_count_leaves_the_numbers_of_the_first(
    alice: User, counted: int, row_count: int, words: str
) -> None:
    steps = (
        rows(*[{"requestTime": "2026-09-06 10:00:00"}] * row_count, total=counted),
        *[in_json({"code": 0, "data": None})] * 2,
    )
    # A page that comes short has a second one.
    with ScriptedUpstream(*(steps if not counted else (steps[0], *steps))) as server:
        config.write({"api_base": server.url}, archive_id=INSTANCE, may_edit_instance=True)
        run = collected(alice, date(2026, 9, 5), date(2026, 9, 6)).run
    assert (run.status, words in run.message) == (Run.Status.OK, True)
    assert unconfirmed(alice) == ["2026-09-05", "2026-09-06"]


def test_a_later_page_without_a_count_leaves_the_count_of_the_first(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, verify_days=0, page_size=20)
    moment = berlin(f"{TWICE} 10:00")
    upstream.add(0, *(call_at(moment + timedelta(minutes=number), f"call-{number}") for number in range(30)))

    def respond(method: str, path: str, headers: dict[str, str], raw: bytes) -> Reply:
        reply = Simulator.respond(upstream, method, path, headers, raw)
        return reply if json.loads(raw)["pageNum"] == 1 else json_reply(200, {"code": 0, "data": None})

    upstream.respond = respond  # type: ignore[method-assign]
    run = collected(alice, TWICE, TWICE).run
    assert "CodeBuddy counts 30 calls, 20 came" in run.message


@pytest.mark.parametrize("answer", [{"total": 0, "data": []}, {"total": 0, "data": None}])
def test_a_count_of_0_proves_that_there_is_nothing(alice: User, answer: object) -> None:
    with ScriptedUpstream(in_json({"code": 0, "data": answer})) as server:
        config.write({"api_base": server.url, "verify_days": 2}, archive_id=INSTANCE, may_edit_instance=True)
        assert collected(alice, date(2026, 8, 20), date(2026, 8, 26)).run.status == Run.Status.OK
    assert {states(alice)[f"2026-08-{day}"] for day in range(20, 27)} == {"settled"}


def test_a_count_of_a_day_that_comes_without_one_is_no_count(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, verify_days=1)
    collected(alice, date(2026, 9, 6))
    known = CoverageDay.objects.get(day="2026-09-06").upstream
    upstream.faults.fail("null_data", after_pages=10)
    collected(alice, date(2026, 9, 7))
    assert CoverageDay.objects.get(day="2026-09-06").upstream == known


# Answers that ignore the window

SAME = [{**ROW, "requestId": f"same-{hour}", "requestTime": f"2026-09-06 {hour}:00:00"} for hour in (10, 11, 12)]
SAME_ANSWER = {"code": 0, "data": {"total": len(SAME), "data": SAME}}


def test_rows_from_outside_of_the_window_prove_no_day_empty_and_are_stored(alice: User) -> None:
    with ScriptedUpstream(in_json(SAME_ANSWER)) as server:
        config.write({"api_base": server.url, "verify_days": 3}, archive_id=INSTANCE, may_edit_instance=True)
        run = collected(alice).run
    assert (run.status, len(contents(alice))) == (Run.Status.OK, 3)
    assert "2026-08-08 00:00:00 to 2026-08-14 23:59:59: 3 of 3 calls that came lie outside of it" in run.message
    assert {state for day, state in states(alice).items() if day < "2026-09-05"} == {"unconfirmed"}
    assert states(alice)["2026-09-06"] == "checked"


def test_rows_from_outside_settle_no_day(alice: User, upstream: Simulator, time: SetClock) -> None:
    set_up(alice, upstream, verify_days=3, page_size=1000)
    collected(alice)
    unsettled = {day for day, state in states(alice).items() if state != "settled"}
    with ScriptedUpstream(in_json(SAME_ANSWER)) as server:
        config.write({"api_base": server.url}, archive_id=INSTANCE, may_edit_instance=True)
        for run in runs_every(80, 2, alice, time):
            assert run.status == Run.Status.OK
    settled = {day for day, state in states(alice).items() if state == "settled"}
    assert settled & unsettled <= {"2026-09-06"}


def test_an_answer_that_ignores_the_window_once_is_asked_for_again(alice: User, upstream: Simulator) -> None:
    whole = upstream.respond
    answers = iter([json_reply(200, SAME_ANSWER)])
    upstream.respond = lambda *request: next(answers, None) or whole(*request)  # type: ignore[method-assign]
    run = collected(alice, date(2026, 9, 7)).run
    assert "3 of 3 rows lie outside of it, asked once more" in run.detail
    assert (unconfirmed(alice), LeftWindow.objects.exists()) == ([], False)


# Rows that cannot be read


def spoil(upstream: Simulator, request_id: str, **values: object) -> None:
    """Let a row of the upstream have other values."""

    def respond(method: str, path: str, headers: dict[str, str], raw: bytes) -> Reply:
        reply = Simulator.respond(upstream, method, path, headers, raw)
        answer = json.loads(reply.body)
        for row in answer["data"]["data"]:
            row.update(values if row["requestId"] == request_id else {})
        return json_reply(200, answer)

    upstream.respond = respond  # type: ignore[method-assign]


@pytest.fixture
def three(upstream: Simulator) -> None:
    """Three calls of one day, in a week without others."""
    upstream.add(0, *(call_at(berlin(f"{TWICE} 10:00"), request_id) for request_id in ("one", "two", "bad")))


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("verify_days", [0, 2])
def test_a_row_that_cannot_be_read_is_missing_on_the_day_of_its_time(
    alice: User, upstream: Simulator, verify_days: int
) -> None:
    set_up(alice, upstream, verify_days=verify_days, page_size=1000)
    spoil(upstream, "bad", credit="9" * 400)
    run = collected(alice, date(2026, 8, 8), date(2026, 8, 14)).run
    assert (run.status, "1 row could not be read" in run.message) == (Run.Status.OK, True)
    others = {state for day, state in states(alice).items() if day != str(TWICE) and day <= "2026-08-14"}
    assert (states(alice)[str(TWICE)], others) == ("short", {"settled" if verify_days else "checked"})


@pytest.mark.usefixtures("three")
def test_a_row_without_a_readable_time_leaves_its_week_unconfirmed_until_its_day_is_found(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    spoil(upstream, "bad", requestTime="soon")
    run = collected(alice).run
    assert "2026-08-14 23:59:59: 1 row could not be read, of an unknown day" in run.message
    assert unconfirmed(alice) == [f"2026-08-{day:02}" for day in range(8, 15)]
    for run in runs_every(24, 3, alice, time):
        assert run.status == Run.Status.OK
    assert (unconfirmed(alice), states(alice)[str(TWICE)], states(alice)["2026-08-11"]) == ([], "short", "checked")


# Days


def test_a_day_with_a_known_difference_is_not_read_in_each_run(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    set_up(alice, upstream, verify_days=2, page_size=1000)
    moment = berlin("2026-09-06 10:00")
    upstream.add(0, call_at(moment, "twice"), call_at(moment, "twice"))
    collected(alice)
    assert states(alice)["2026-09-06"] == "unconfirmed"
    for run in runs_every(0.2, 2, alice, time):
        assert "2026-09-06: " not in run.detail.replace("2026-09-06: read again", "")
    assert states(alice)["2026-09-06"] == "unconfirmed"


def test_a_day_that_has_settled_is_settled_no_more_in_a_window_that_is_not_confirmed(
    alice: User, upstream: Simulator
) -> None:
    set_up(alice, upstream, verify_days=1, page_size=1000)
    for _ in range(2):
        collected(alice, date(2026, 8, 30), date(2026, 8, 31))
    assert states(alice)["2026-08-30"] == "settled"
    upstream.faults.total_above = 1
    collected(alice, date(2026, 8, 30), date(2026, 8, 31))
    assert states(alice)["2026-08-30"] == "unconfirmed"
    assert not CoverageDay.objects.filter(day="2026-08-30").exclude(settled_at=None).exists()


@pytest.mark.thorough
def test_a_capped_window_that_lacks_a_row_is_read_in_halves(alice: User, upstream: Simulator) -> None:
    upstream.faults.window_cap = 1000
    moments = [NOW - timedelta(seconds=40 * number) for number in range(1500)]
    upstream.add(0, *(call_at(moment, f"more-{number}") for number, moment in enumerate(moments)))
    upstream.add(0, call_at(moments[-1], "more-1499"))
    run = collected(alice, date(2026, 9, 3)).run
    assert run.status == Run.Status.OK
    assert {f"more-{number}" for number in range(1500)} <= set(contents(alice))


def test_days_of_the_good_half_of_a_capped_window_are_read_by_themselves(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, verify_days=2, page_size=1000)
    upstream.faults.window_cap = 1000
    # The week from 22 to 28 August has more calls, and is read in halves; one id comes twice in the second one.
    begin = berlin("2026-08-25 09:00")
    upstream.add(0, *(call_at(begin + timedelta(minutes=5 * number), f"more-{number}") for number in range(1500)))
    upstream.add(0, *(call_at(berlin("2026-08-27 10:00"), "twice", credits=price) for price in (4, 3)))
    for _ in range(4):
        collected(alice)
    assert states(alice)["2026-08-27"] == "unconfirmed"
    noted = CoverageDay.objects.filter(day__gte="2026-08-22", day__lte="2026-08-26")
    assert [one.upstream is not None for one in noted] == [True] * 5


# Others


@pytest.mark.usefixtures("twice")
def test_the_windows_of_another_account_stay(alice: User, bob: User, upstream: Simulator, time: SetClock) -> None:
    set_up(bob, upstream, 1, verify_days=0, page_size=1000)
    collected(alice)
    collected(bob)
    assert set(LeftWindow.objects.values_list("archive_id", flat=True)) == {alice.pk}
    assert unconfirmed(bob) == []


@pytest.mark.usefixtures("twice")
def test_a_run_that_lost_its_lease_leaves_no_window(alice: User) -> None:
    def lose(line: str) -> None:
        if "several times" in line:
            Lease.objects.update(token="another")

    run = collected(alice, show=lose).run
    assert (run.status, LeftWindow.objects.count()) == (Run.Status.INTERRUPTED, 0)
    assert left_windows.due(alice.pk) == []
