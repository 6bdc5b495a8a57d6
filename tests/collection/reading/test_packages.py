"""The packages of credits of an account: what a run reads of them, what is kept, and what the API answers."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from collection.models import Lease, Run
from collection.sources.codebuddy.simulator.faults import WHOLE_ANSWERS
from collection.sources.codebuddy.simulator.packages import (
    ADD_ON,
    FREE,
    GIFT,
    PAID,
    PLAN,
    ROUTE,
    Shelf,
    SimulatedPackage,
)
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import call_at, collected, set_up
from tests.collection.simulator_client import NOW, simulator_at
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from usage.amounts.units import CREDITS
from usage.models import Package, PackageReading
from usage.packages import stored_packages
from usage.packages.api_types import LostCredits
from usage.packages.package import Key, Kind, Packages, SeenPackage, State
from usage.packages.packages_now import packages_now

Json = dict[str, Any]
WALL = NOW.replace(tzinfo=None, microsecond=0)


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, verify_days=0, page_size=200, collect_max_range_days=11)
    return alice


@pytest.fixture
def shelf(upstream: Simulator) -> Shelf:
    """The packages of alice's account: none, until a test puts some there."""
    upstream.shelves[0].packages = []
    return upstream.shelves[0]


def gift(
    name: str = "gift", size: int = 1000, *, days: float = 20, begun: float = 30, kind: int = GIFT
) -> SimulatedPackage:
    """A package that began before `begun` days and ends in `days`."""
    begins, ends = WALL - timedelta(days=begun), WALL + timedelta(days=days)
    return SimulatedPackage(f"r-{name}", f"TCACA_{name}", name, kind, Decimal(size), begins, ends)


def answered(alice: User) -> Json:
    found: Json = ApiClient.signed_in(alice).get("/api/packages").json()
    return found


def item(alice: User, name: str = "gift") -> Json:
    [found] = [each for each in answered(alice)["items"] if each["name"] == name]
    return dict(found)


def routes_asked(upstream: Simulator) -> list[str]:
    routes = [seen.path.rpartition("/")[2] for seen in upstream.requests_beside]
    return [route for route in routes if route.startswith(ROUTE)]


# What is read


@pytest.mark.engine
def test_a_run_reads_what_is_left_of_each_package(alice: User, upstream: Simulator) -> None:
    assert collected(alice).run.status == Run.Status.OK
    found = answered(alice)
    true = upstream.shelves[0].left(upstream.rows(), WALL)
    assert Decimal(str(found["left"])) == true
    assert {one["kind"] for one in found["items"]} == {"plan", "gift", "add_on"}
    assert found["read_at"] == "2026-09-07 17:59:30"


def test_a_run_asks_once(alice: User, upstream: Simulator) -> None:
    collected(alice)
    assert routes_asked(upstream) == [ROUTE]


def test_of_a_plan_only_the_numbers_of_its_cycle_are_true(alice: User, shelf: Shelf, upstream: Simulator) -> None:
    begins = datetime(2026, 9, 1)
    shelf.packages = [SimulatedPackage("r-plan", "p", "plan", PLAN, Decimal(5000), begins, datetime(2027, 9, 1))]
    collected(alice)
    plan = item(alice, "plan")
    used = sum(call.credits for call in upstream.rows() if call.time >= begins)
    assert plan["left"] == pytest.approx(float(5000 - used))
    # Midnight in Shanghai, at the clock of Berlin.
    assert (plan["granted_at"], plan["expires_at"]) == ("2026-08-31 18:00:00", "2026-09-30 17:59:59")


def test_the_cycles_of_a_plan_are_packages_of_their_own(alice: User, shelf: Shelf, time: SetClock) -> None:
    begins = datetime(2026, 8, 10)
    shelf.packages = [SimulatedPackage("r-plan", "p", "plan", PLAN, Decimal(50_000), begins, datetime(2027, 9, 1))]
    collected(alice)
    before = item(alice, "plan")["left"]
    time.pass_by(days=4)
    collected(alice)
    now, last = answered(alice)["items"]
    assert (now["state"], now["left"], last["state"], last["left"]) == ("valid", 50_000, "expired", before)
    assert answered(alice)["lost"] == [{"month": "2026-09", "amount": before}]


@pytest.mark.engine
def test_what_was_left_of_a_cycle_that_is_listed_after_its_end_is_lost(
    alice: User, shelf: Shelf, time: SetClock
) -> None:
    begins = datetime(2026, 8, 8)
    shelf.packages = [SimulatedPackage("r-plan", "p", "plan", PLAN, Decimal(50_000), begins, datetime(2027, 9, 1))]
    shelf.ended_stay = timedelta(hours=10)
    time.pass_by(hours=8)
    collected(alice)
    [ended] = answered(alice)["items"]
    assert (ended["expires_at"], ended["state"]) == ("2026-09-07 17:59:59", "expired")
    time.pass_by(hours=4)
    collected(alice)
    now, last = answered(alice)["items"]
    assert (now["state"], last["state"]) == ("valid", "expired")
    assert answered(alice)["lost"] == [{"month": "2026-09", "amount": ended["left"]}]


@pytest.mark.parametrize("form", ["response", "plain", "resources"])
def test_each_known_form_is_read(alice: User, shelf: Shelf, form: Any) -> None:
    shelf.packages, shelf.form = [gift(size=90_000)], form
    collected(alice)
    found = item(alice)
    assert (found["size"], found["expires_at"]) == (90_000, "2026-09-27 17:59:30")
    assert 0 < found["left"] < 90_000


def test_codes_and_counts_may_come_as_texts(alice: User, shelf: Shelf) -> None:
    shelf.packages, shelf.texts = [gift()], True
    collected(alice)
    assert item(alice)["state"] in ("valid", "used_up")


def test_a_long_list_takes_a_second_request(alice: User, shelf: Shelf, upstream: Simulator) -> None:
    shelf.packages = [gift(f"g{number}", begun=0) for number in range(250)]
    collected(alice)
    assert (len(answered(alice)["items"]), routes_asked(upstream)) == (250, [ROUTE, ROUTE])


# What is kept


def test_a_reading_that_says_the_same_is_not_kept(alice: User, shelf: Shelf, time: SetClock) -> None:
    shelf.packages = [gift(begun=0)]
    collected(alice)
    time.pass_by(hours=2)
    collected(alice)
    found = item(alice)
    assert (len(found["readings"]), found["read_at"]) == (1, "2026-09-07 19:59:30")


@pytest.mark.engine
def test_the_course_of_a_package_is_kept(alice: User, shelf: Shelf, time: SetClock) -> None:
    shelf.packages = [gift(begun=0, size=1000)]
    collected(alice)
    shelf.packages[0].taken = Decimal(100)
    time.pass_by(hours=1)
    collected(alice)
    assert [(one["size"], one["left"]) for one in item(alice)["readings"]] == [(1000, 1000), (900, 900)]


@pytest.mark.engine
def test_the_oldest_readings_go(alice: User, shelf: Shelf, time: SetClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_packages, "MOST_READINGS", 3)
    shelf.packages = [gift(begun=0)]
    for taken in range(5):
        shelf.packages[0].taken = Decimal(taken)
        collected(alice)
        time.pass_by(hours=1)
    assert [one["size"] for one in item(alice)["readings"]] == [998, 997, 996]


def test_an_archive_keeps_so_many_packages(alice: User, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_packages, "MOST_KEPT", 3)
    shelf.packages = [gift(f"g{number}") for number in range(5)]
    collected(alice)
    assert Package.objects.count() == 3


# States


def test_a_package_that_calls_used_up_is_used_up(alice: User, shelf: Shelf) -> None:
    shelf.packages = [gift(size=1)]
    collected(alice)
    assert (item(alice)["state"], answered(alice)["left"]) == ("used_up", 0)


def test_a_package_ends_when_its_time_comes_also_without_a_run(alice: User, shelf: Shelf, time: SetClock) -> None:
    shelf.packages = [gift(size=90_000, days=1)]
    collected(alice)
    left = item(alice)["left"]
    time.pass_by(days=2)
    found = answered(alice)
    assert (found["items"][0]["state"], found["left"]) == ("expired", 0)
    assert found["lost"] == [{"month": "2026-09", "amount": left}]


@pytest.mark.parametrize(("kind", "route"), [(GIFT, FREE), (ADD_ON, PAID)])
def test_what_was_left_at_its_end_is_asked_for_once(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock, kind: int, route: str
) -> None:
    shelf.packages = [gift(size=90_000, days=1, kind=kind), gift("other", days=300, begun=0)]
    collected(alice)
    upstream.add(0, call_at(NOW + timedelta(hours=5), "late", credits=500))
    time.pass_by(days=2)
    collected(alice)
    collected(alice)
    used = sum(call.credits for call in upstream.rows() if call.time >= shelf.packages[0].begins)
    assert item(alice)["left"] == pytest.approx(float(90_000 - used))
    assert routes_asked(upstream) == [ROUTE, ROUTE, route, ROUTE]


def test_where_the_source_does_not_say_the_last_reading_counts(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock
) -> None:
    shelf.packages, shelf.outdated = [gift(size=90_000, days=1), gift("other", days=300, begun=0)], {FREE}
    collected(alice)
    left = item(alice)["left"]
    time.pass_by(days=2)
    collected(alice)
    collected(alice)
    assert (item(alice)["state"], item(alice)["left"]) == ("expired", left)
    assert routes_asked(upstream) == [ROUTE, ROUTE, FREE, ROUTE]


@pytest.mark.parametrize(("said", "month"), [(None, "2026-10"), (State.EXPIRED, "2026-09")])
def test_what_was_lost_is_of_the_month_of_the_end(
    alice: User, time: SetClock, django_assert_num_queries: DjangoAssertNumQueries, said: State | None, month: str
) -> None:
    """It was read last in the month before, and seen to have ended after its end, unless the source says it early."""
    ends = datetime(2026, 10, 1, 0, tzinfo=UTC)
    whole, rest = 100 * CREDITS.one, 60 * CREDITS.one
    gone = SeenPackage(Key("r"), "", "", Kind.GIFT, whole, rest, whole - rest, NOW, ends, State.VALID)
    other = replace(gone, key=Key("other"), expires_at=None)
    time.now = ends - timedelta(hours=9)
    stored_packages.store(alice.pk, Packages([gone, other], (), 0, time.now))
    if said:
        stored_packages.store(alice.pk, Packages([replace(gone, state=said), other], (), 0, time.now))
    time.now = ends + timedelta(hours=9)
    lost = [LostCredits(month, CREDITS.number(rest))]
    assert packages_now(alice.pk).lost == lost
    stored_packages.store(alice.pk, Packages([other], [gone.key], 0, time.now))
    with django_assert_num_queries(7):
        assert packages_now(alice.pk).lost == lost


@pytest.mark.parametrize("every", [7, 11, 23])
def test_where_the_source_never_says_it_each_call_used_one_package(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock, every: int
) -> None:
    for call in upstream.rows():
        upstream.remove(0, call.request_id)
    shelf.outdated = {PAID, FREE}
    shelf.packages = [gift(f"g{number}", 100, days=number / 3, begun=0) for number in range(1, 17)]
    collected(alice)
    calls = [call_at(NOW + timedelta(hours=hours), f"c{hours}", credits=hours % 50) for hours in range(1, 125, 3)]
    upstream.add(0, *calls)
    for _ in range(140 // every):
        time.pass_by(hours=every)
        collected(alice)
    balance = answered(alice)["balance"]
    assert (balance["left"], balance["difference"]) == (0, 0)


def test_a_refunded_package_is_said_to_be(alice: User, shelf: Shelf, time: SetClock) -> None:
    shelf.packages = [gift(kind=ADD_ON, begun=0), gift("other", begun=0)]
    collected(alice)
    shelf.packages[0].is_refunded = True
    time.pass_by(hours=1)
    collected(alice)
    assert (item(alice)["state"], answered(alice)["left"]) == ("refunded", 1000)


def test_one_that_is_gone_before_its_end_was_taken_back(alice: User, shelf: Shelf, time: SetClock) -> None:
    shelf.packages = [gift(begun=0), gift("other", begun=0)]
    collected(alice)
    del shelf.packages[0]
    time.pass_by(hours=1)
    collected(alice)
    found = item(alice)
    assert (found["state"], found["changed_at"]) == ("refunded", "2026-09-07 18:59:30")


@pytest.mark.engine
def test_one_that_is_gone_after_calls_that_cost_as_much_was_used_up(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock
) -> None:
    shelf.packages = [gift(begun=0, size=20), gift("other", begun=0, days=40)]
    collected(alice)
    upstream.add(0, call_at(NOW + timedelta(minutes=30), "dear", credits=25))
    shelf.unshown = {shelf.packages[0].resource_id}
    time.pass_by(hours=1)
    collected(alice)
    found = item(alice)
    assert (found["state"], found["left"], found["changed_at"]) == ("used_up", 0, None)


@pytest.mark.engine
@pytest.mark.parametrize(("minutes", "spent_after"), [((50, 70), (55, 65)), ((50, 180), (65,)), ((-60, 70), (57,))])
def test_one_that_was_used_up_in_an_hour_that_comes_twice_was_not_taken_back(
    alice: User, time: SetClock, minutes: tuple[int, int], spent_after: tuple[int, ...]
) -> None:
    """Berlin's clock is set back at three o'clock, an hour after `two`."""
    two = datetime(2026, 10, 25, tzinfo=UTC)
    begins, ends = datetime(2026, 10, 20), datetime(2027, 1, 1)
    first = SimulatedPackage("r-first", "f", "first", ADD_ON, Decimal(15 * len(spent_after)), begins, ends)
    other = SimulatedPackage("r-other", "o", "other", ADD_ON, Decimal(1000), begins, ends + timedelta(days=1))
    calls = [call_at(two + timedelta(minutes=after), f"at-{after}", credits=15) for after in spent_after]
    time.now = two + timedelta(minutes=minutes[0])
    with simulator_at(days=1, per_day=0, now=time.now) as late:
        late.now = lambda: time.now
        set_up(alice, late, verify_days=0)
        shelf = late.shelves[0]
        shelf.packages, shelf.outdated = [first, other], {PAID, FREE}
        late.add(0, *calls)
        collected(alice)
        shelf.unshown = {"r-first"}
        time.now = two + timedelta(minutes=minutes[1])
        collected(alice)
        found = item(alice, "first")
    assert (found["state"], found["left"]) == ("used_up", 0)


@pytest.mark.engine
@pytest.mark.parametrize(("after", "state", "left"), [(4, "used_up", 0), (80, "refunded", 300)])
def test_one_that_calls_used_up_that_come_late_is_used_up(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock, after: int, state: str, left: int
) -> None:
    shelf.packages, shelf.outdated = [gift(begun=0, size=300), gift("other", 5000, days=200, begun=0)], {PAID, FREE}
    collected(alice)
    upstream.faults.hide_minutes, upstream.faults.hide_share = after * 60 - 30, 1.0
    time.pass_by(hours=4)
    upstream.add(0, call_at(time.now - timedelta(minutes=20), "dear", credits=400))
    shelf.unshown = {shelf.packages[0].resource_id}
    collected(alice)
    assert item(alice)["state"] == "refunded"
    for _ in range(2):
        time.pass_by(hours=after)
        collected(alice)
    found = item(alice)
    assert (found["state"], found["left"], found["changed_at"] is None) == (state, left, state == "used_up")


@pytest.mark.engine
def test_one_that_was_taken_back_stays_so_whatever_calls_cost_afterwards(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock
) -> None:
    shelf.packages, shelf.outdated = [gift(begun=0, size=300), gift("other", 5000, days=200, begun=0)], {PAID, FREE}
    collected(alice)
    upstream.add(0, call_at(NOW + timedelta(minutes=10), "before", credits=50))
    time.pass_by(hours=1)
    collected(alice)
    shelf.unshown = {shelf.packages[0].resource_id}
    time.pass_by(hours=1)
    collected(alice)
    for hour in range(6):
        upstream.add(0, call_at(time.now + timedelta(minutes=10), f"after-{hour}", credits=90))
        time.pass_by(hours=7)
        collected(alice)
    assert (item(alice)["state"], item(alice)["left"]) == ("refunded", 250)


def test_what_of_a_list_is_not_read_is_said(alice: User, shelf: Shelf) -> None:
    shelf.packages = [gift(f"gift {number}", begun=0) for number in range(450)]
    assert "50 further credit packages were not read." in collected(alice).run.detail


@pytest.mark.engine
def test_one_that_is_gone_beside_calls_that_another_paid_was_taken_back(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock
) -> None:
    shelf.packages = [gift("first", 1000, begun=0), gift("second", 20, days=40, begun=0)]
    collected(alice)
    upstream.add(0, call_at(NOW + timedelta(minutes=30), "dear", credits=25))
    del shelf.packages[1]
    time.pass_by(hours=1)
    collected(alice)
    assert item(alice, "second")["state"] == "refunded"
    assert answered(alice)["balance"]["difference"] == 0


def test_one_that_comes_back_is_valid_again(alice: User, shelf: Shelf, time: SetClock) -> None:
    both = [gift(begun=0), gift("other", begun=0)]
    shelf.packages = both[:]
    collected(alice)
    del shelf.packages[0]
    time.pass_by(hours=1)
    collected(alice)
    shelf.packages = both
    time.pass_by(hours=1)
    collected(alice)
    assert [one["state"] for one in item(alice)["readings"]] == ["valid", "refunded", "valid"]
    assert answered(alice)["left"] == 2000


@pytest.mark.parametrize("empty", ["is_member", "data_null"])
def test_an_answer_without_any_takes_none_away(alice: User, shelf: Shelf, time: SetClock, empty: str) -> None:
    shelf.packages = [gift(begun=0)]
    collected(alice)
    setattr(shelf, empty, True)
    time.pass_by(hours=1)
    collected(alice)
    assert item(alice)["state"] == "valid"


# What the vendor changes


def test_a_package_that_shrinks_was_changed(alice: User, shelf: Shelf, time: SetClock) -> None:
    shelf.packages = [gift(begun=0)]
    collected(alice)
    assert item(alice)["changed_at"] is None
    shelf.packages[0].taken = Decimal(300)
    time.pass_by(hours=1)
    collected(alice)
    assert item(alice)["changed_at"] == "2026-09-07 18:59:30"


def test_what_calls_use_is_no_change(alice: User, shelf: Shelf, upstream: Simulator, time: SetClock) -> None:
    shelf.packages = [gift(begun=0)]
    collected(alice)
    upstream.add(0, call_at(NOW + timedelta(minutes=30), "dear", credits="25.5"))
    time.pass_by(hours=1)
    collected(alice)
    assert (item(alice)["left"], item(alice)["changed_at"]) == (974.5, None)


# The balance


@pytest.mark.engine
def test_the_balance_shows_grants_less_rest_and_losses_beside_the_calls(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock
) -> None:
    shelf.packages = [gift("ends", size=500, days=1, begun=0), gift("stays", size=1000, days=90, begun=0)]
    collected(alice)
    upstream.add(0, call_at(NOW + timedelta(hours=1), "one", credits="20.25"))
    later = gift("later", size=70, begun=-1.5, days=90)
    time.pass_by(days=3)
    shelf.packages = [*shelf.packages, later]
    shelf.packages[1].taken = Decimal(100)
    collected(alice)
    found = answered(alice)["balance"]
    assert found == {
        "since": "2026-09-07 17:59:30",
        "granted": 1570,
        "changed": -100,
        "left": 970,
        "lost": 479.75,
        "used": 20.25,
        "archived": 20.25,
        "difference": 0,
    }


def test_calls_that_no_package_paid_are_a_difference(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock
) -> None:
    shelf.packages = [gift(size=10, begun=0)]
    collected(alice)
    upstream.add(0, call_at(NOW + timedelta(minutes=30), "dear", credits=25))
    time.pass_by(hours=1)
    collected(alice)
    found = answered(alice)["balance"]
    assert (found["used"], found["archived"], found["difference"]) == (10, 25, -15)


# What ends soon


def test_the_answer_says_what_ends_within_days(alice: User, shelf: Shelf) -> None:
    ends = {"a": 3, "b": 10, "c": 29, "d": 31}
    shelf.packages = [gift(name, 100, begun=0, days=days) for name, days in ends.items()]
    collected(alice)
    found = answered(alice)
    assert found["expiring"] == {"7": 100, "14": 200, "30": 300}
    assert [one["name"] for one in found["items"]] == ["a", "b", "c", "d"]


def test_what_will_be_unused_follows_from_the_days_before(alice: User, shelf: Shelf) -> None:
    shelf.packages = [gift("soon", 100_000, begun=0, days=5), gift("late", 200, begun=0, days=60)]
    collected(alice)
    found = answered(alice)
    soon, late = found["items"]
    assert 90_000 < soon["unused"] < 100_000
    assert late["unused"] == 0
    assert "2026-09-12 17:59:30" < found["lasts_until"] < "2026-09-30"


def test_without_known_days_nothing_is_foretold(alice: User, shelf: Shelf, upstream: Simulator) -> None:
    for call in upstream.rows():
        upstream.remove(0, call.request_id)
    shelf.packages = [gift(begun=0)]
    collected(alice)
    assert (item(alice)["unused"], answered(alice)["lasts_until"]) == (None, None)


# What goes wrong


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize("fault", ["reset", *WHOLE_ANSWERS, "drip"])
def test_no_answer_about_packages_fails_a_run(alice: User, shelf: Shelf, upstream: Simulator, fault: str) -> None:
    set_up(alice, upstream, timeout=3)
    shelf.packages = [gift()]
    upstream.faults_beside.fail(fault)
    result = collected(alice)
    assert (result.run.status, result.run.added) == (Run.Status.OK, len(upstream.rows()))
    assert answered(alice)["items"] == []
    assert routes_asked(upstream) == [ROUTE]


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(("kind", "route"), [(GIFT, FREE), (ADD_ON, PAID)])
@pytest.mark.parametrize("fault", ["reset", *WHOLE_ANSWERS])
def test_no_answer_about_what_has_ended_fails_a_run(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock, fault: str, kind: int, route: str
) -> None:
    set_up(alice, upstream, timeout=3)
    shelf.packages = [gift(size=90_000, days=1, kind=kind), gift("other", days=300, begun=0)]
    collected(alice)
    time.pass_by(days=2)
    upstream.faults_beside.fail(fault, route=route)
    assert collected(alice).run.status == Run.Status.OK
    assert (item(alice)["state"], item(alice, "other")["state"]) == ("expired", "valid")
    assert routes_asked(upstream) == [ROUTE, ROUTE, route]


def test_a_refusal_beside_calls_is_no_fault_of_the_credential(alice: User, shelf: Shelf) -> None:
    shelf.outdated = {ROUTE}
    result = collected(alice)
    assert result.run.status == Run.Status.OK
    assert "CodeBuddy refuses this to the credential with which it gives the calls." in result.run.detail
    assert "paste" not in result.run.detail


def test_the_log_of_the_run_says_why(alice: User, upstream: Simulator) -> None:
    upstream.faults_beside.fail("api_code")
    lines: list[str] = []
    collected(alice, show=lines.append)
    assert any("credit packages" in line and "being maintained" in line for line in lines)


def test_a_refusal_keeps_what_is_known(alice: User, shelf: Shelf, upstream: Simulator) -> None:
    shelf.packages = [gift(begun=0)]
    collected(alice)
    upstream.faults_beside.fail("expired_401_html")
    collected(alice)
    assert item(alice)["state"] == "valid"


def test_where_the_instance_does_not_want_packages_none_is_asked_for(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, packages=0)
    collected(alice)
    assert upstream.requests_beside == []
    assert answered(alice)["read_at"] is None


def test_a_run_that_is_under_way_asks_for_none_any_more(alice: User, upstream: Simulator) -> None:
    collected(alice, show=lambda line: set_up(alice, upstream, packages=0))
    assert upstream.requests_beside == []


@pytest.mark.parametrize("path", ["/api/packages", "/api/orders"])
def test_an_answer_is_given_once_until_it_changes(alice: User, shelf: Shelf, time: SetClock, path: str) -> None:
    collected(alice)
    visitor = ApiClient.signed_in(alice)
    tag = visitor.get(path).headers["ETag"]
    assert visitor.client.get(path, headers={"If-None-Match": tag}).status_code == 304
    shelf.packages, shelf.orders = [gift()], shelf.orders[:1]
    time.pass_by(days=1)
    collected(alice)
    assert visitor.client.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_another_account_sees_none_of_it(alice: User, bob: User, shelf: Shelf) -> None:
    shelf.packages = [gift()]
    collected(alice)
    assert answered(bob)["items"] == []
    assert ApiClient.signed_in(bob).get(f"/api/packages?archive={alice.pk}").status_code == 404


def test_a_run_that_lost_its_lease_keeps_nothing(alice: User, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.packages = [gift()]
    store = stored_packages.wanted

    def stolen(archive_id: int) -> Any:
        Lease.objects.all().delete()
        return store(archive_id)

    monkeypatch.setattr(stored_packages, "wanted", stolen)
    collected(alice)
    assert not Package.objects.exists()
    assert not PackageReading.objects.exists()


# Changes, room and other forms of the listing


def test_the_only_package_may_be_refunded(alice: User, shelf: Shelf, time: SetClock) -> None:
    shelf.packages = [gift(kind=ADD_ON, begun=0)]
    collected(alice)
    shelf.packages[0].is_refunded = True
    time.pass_by(hours=1)
    collected(alice)
    found = item(alice)
    assert (found["state"], found["changed_at"]) == ("refunded", "2026-09-07 18:59:30")


@pytest.mark.engine
def test_new_packages_replace_those_that_ended_first(
    alice: User, shelf: Shelf, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_packages, "MOST_KEPT", 4)
    shelf.packages = [gift(f"old{number}", 90_000, days=number + 1, begun=0) for number in range(4)]
    collected(alice)
    time.pass_by(days=5)
    shelf.packages = [gift(f"new{number}", 90_000, days=90, begun=-1) for number in range(3)]
    collected(alice)
    collected(alice)
    found = answered(alice)
    assert sorted(one["name"] for one in found["items"] if one["state"] == "valid") == ["new0", "new1", "new2"]
    assert len(found["items"]) == 4


def test_a_package_is_the_same_one_in_the_form_without_ids(alice: User, upstream: Simulator, time: SetClock) -> None:
    collected(alice)
    before = answered(alice)
    for form in ("resources", "plain", "resources"):
        upstream.shelves[0].form = form
        time.pass_by(minutes=10)
        collected(alice)
        now = answered(alice)
        assert (now["left"], now["balance"]["changed"]) == (before["left"], 0)
        assert [(one["resource_id"], one["kind"], one["state"]) for one in now["items"]] == [
            (one["resource_id"], one["kind"], one["state"]) for one in before["items"]
        ]


def test_packages_alike_stay_apart_in_the_form_without_ids(alice: User, shelf: Shelf, time: SetClock) -> None:
    gifts = [gift("one", 90_000), gift("other", 1000, begun=-1)]
    shelf.packages = [replace(each, name="Daily gift", ends=gifts[0].ends) for each in gifts]
    time.pass_by(days=1, minutes=1)
    collected(alice)
    before = answered(alice)
    for form in ("resources", "response"):
        shelf.form = form
        collected(alice)
        assert answered(alice) == before


def test_of_those_alike_the_one_that_is_used_up_is_listed_no_more(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock
) -> None:
    few, many = gift("few", 5, begun=-1), gift("many", 90_000, begun=-1)
    shelf.packages = [replace(each, name="Daily gift", ends=few.ends) for each in (few, many)]
    shelf.form = "resources"
    time.pass_by(days=1, minutes=1)
    collected(alice)
    shelf.unshown = {few.resource_id}
    upstream.add(0, call_at(time.now + timedelta(minutes=5), "five", credits=5))
    time.pass_by(minutes=10)
    collected(alice)
    found = answered(alice)
    assert {(one["size"], one["left"], one["state"], one["changed_at"]) for one in found["items"]} == {
        (5, 0, "used_up", None), (90_000, found["left"], "valid", None),
    }  # fmt: skip
    assert found["balance"]["changed"] == 0


def test_those_alike_with_ids_stay_apart_by_them_though_none_has_a_code(
    alice: User, shelf: Shelf, time: SetClock
) -> None:
    packages = [gift(name, size, begun=-1) for name, size in (("few", 5), ("many", 90_000))]
    shelf.packages = [replace(each, name="Daily gift", code="", ends=packages[0].ends) for each in packages]
    time.pass_by(days=1, minutes=1)
    collected(alice)
    before = answered(alice)
    shelf.packages.reverse()
    collected(alice)
    assert answered(alice) == before


def test_another_one_alike_is_a_package_of_its_own(alice: User, shelf: Shelf, time: SetClock) -> None:
    shelf.form = "resources"
    first, second, third = (replace(gift(f"g{n}", 100 * n, begun=-1), name="Daily gift") for n in (1, 2, 3))
    time.pass_by(days=1, minutes=1)
    for packages in ([first], [third, first], [third, second, first]):
        shelf.packages = list(packages)
        collected(alice)
        time.pass_by(minutes=10)
        assert sorted(one["size"] for one in answered(alice)["items"]) == sorted(float(one.size) for one in packages)
    assert {one["changed_at"] for one in answered(alice)["items"]} == {None}


def test_a_reading_judges_so_many_that_are_gone_and_the_next_one_the_others(
    alice: User, shelf: Shelf, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_packages, "MOST_JUDGED", 2)
    shelf.outdated = {PAID, FREE}
    shelf.packages = [gift(f"g{number}", 100, days=number / 24, begun=0) for number in range(1, 6)]
    shelf.packages.append(gift("other", 90_000, days=300, begun=0))
    collected(alice)
    time.pass_by(days=1)
    over = []
    for _ in range(3):
        collected(alice)
        over.append(Package.objects.filter(is_over=True).count())
        time.pass_by(minutes=10)
    assert over == [2, 4, 5]


@pytest.mark.engine
def test_calls_that_come_after_the_end_are_counted_too(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock
) -> None:
    begins = datetime(2026, 8, 8, 12)
    shelf.packages = [SimulatedPackage("r-plan", "p", "plan", PLAN, Decimal(50_000), begins, datetime(2027, 9, 1))]
    collected(alice)
    before = item(alice, "plan")["left"]
    # Half an hour after the end.
    time.pass_by(hours=12, minutes=30)
    collected(alice)
    assert answered(alice)["lost"] == [{"month": "2026-09", "amount": before}]
    upstream.add(0, call_at(time.now - timedelta(minutes=40), "late", credits=70))
    time.pass_by(hours=1)
    collected(alice)
    assert answered(alice)["lost"] == [{"month": "2026-09", "amount": before - 70}]
    # Its last reading says so, too.
    collected(alice)
    [over] = [one for one in answered(alice)["items"] if one["state"] == "expired"]
    assert over["readings"][-1]["left"] == before - 70


def test_a_used_up_month_of_a_plan_stays_used_up(alice: User, shelf: Shelf, time: SetClock) -> None:
    shelf.packages = [
        SimulatedPackage("r-plan", "p", "plan", PLAN, Decimal(1), datetime(2026, 8, 8, 12), datetime(2027, 9, 1))
    ]
    collected(alice)
    time.pass_by(days=1)
    collected(alice)
    assert [one["state"] for one in answered(alice)["items"]] == ["valid", "used_up"]
    assert answered(alice)["lost"] == []


def test_changes_beyond_all_measure_fail_no_run(alice: User, shelf: Shelf) -> None:
    shelf.packages = [gift(size=1000)]
    collected(alice)
    Package.objects.update(changed_by=9 * 10**18, used=-(10**18), left=-(10**18))
    assert collected(alice).run.status == Run.Status.OK
    assert Package.objects.get().changed_by == stored_packages._MOST_CHANGED


def test_one_of_a_list_of_two_pages_can_be_taken_back(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock
) -> None:
    shelf.packages = [gift(f"g{number}", 100, days=90 + number, begun=0) for number in range(250)]
    collected(alice)
    time.pass_by(hours=1)
    shelf.packages[10].is_refunded = True
    collected(alice)
    assert item(alice, "g10")["state"] == "refunded"
    assert answered(alice)["left"] == 249 * 100
    assert routes_asked(upstream) == [ROUTE] * 4
