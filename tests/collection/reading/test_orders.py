"""The orders of an account: what a run reads of them, and what packages and credits cost."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from accounts.models import User
from collection.models import Run
from collection.sources.codebuddy.simulator import packages as simulated
from collection.sources.codebuddy.simulator.answers import json_reply
from collection.sources.codebuddy.simulator.faults import WHOLE_ANSWERS
from collection.sources.codebuddy.simulator.packages import (
    ADD_ON,
    GIFT,
    ORDERS,
    PLAN,
    ROUTE,
    Shelf,
    SimulatedOrder,
    SimulatedPackage,
)
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import collected, set_up
from tests.collection.simulator_client import NOW
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from usage import rates
from usage.models import Order
from usage.packages import stored_orders

Json = dict[str, Any]
WALL = NOW.replace(tzinfo=None, microsecond=0)
PAID_AT = WALL - timedelta(days=3)


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, verify_days=0, page_size=200, collect_max_range_days=11)
    return alice


@pytest.fixture
def shelf(upstream: Simulator) -> Shelf:
    upstream.shelves[0].packages, upstream.shelves[0].orders = [], []
    return upstream.shelves[0]


def pack(
    name: str, size: int = 1000, *, after: timedelta = timedelta(minutes=1), kind: int = ADD_ON
) -> SimulatedPackage:
    """A package that was granted so long after the order."""
    begins = PAID_AT + after
    return SimulatedPackage(f"r-{name}", name, name, kind, Decimal(size), begins, begins + timedelta(days=365))


def order(name: str = "o1", amount: str = "99.00", **fields: Any) -> SimulatedOrder:
    return SimulatedOrder(name, PAID_AT, amount, **fields)


def answered(alice: User, path: str = "orders") -> Json:
    found: Json = ApiClient.signed_in(alice).get(f"/api/{path}").json()
    return found


def prices(alice: User) -> dict[str, Any]:
    return {one["name"]: one["price"] for one in answered(alice, "packages")["items"]}


def asked(upstream: Simulator) -> list[Any]:
    return [seen.body for seen in upstream.requests_beside if seen.path.endswith(f"/billing/pay/{ORDERS}")]


def test_orders_are_kept_with_their_sums(alice: User, shelf: Shelf) -> None:
    shelf.orders = [order(), order("o2", "0.50", currency="USD"), order("o3", "1.25", pieces=3)]
    collected(alice)
    found = answered(alice)
    assert found["items"][0] == {
        "order_id": "o1",
        "paid_at": "2026-09-04 17:59:30",
        "amount": 99,
        "currency": "CNY",
        "what": "sp_sim_pack",
        "gone_at": None,
    }
    assert found["items"][2]["what"] == "sp_sim_pack × 3"
    assert found["totals"] == [{"currency": "CNY", "amount": 100.25}, {"currency": "USD", "amount": 0.5}]


def test_a_whole_number_is_of_hundredths(alice: User, shelf: Shelf) -> None:
    shelf.orders = [order(amount="5000"), order("o2", "0")]
    collected(alice)
    assert [one["amount"] for one in answered(alice)["items"]] == [50, 0]


def test_orders_are_asked_for_once_a_day(alice: User, shelf: Shelf, upstream: Simulator, time: SetClock) -> None:
    for _ in range(4):
        collected(alice)
        time.pass_by(hours=8)
    assert len(asked(upstream)) == 2
    body = asked(upstream)[0]
    assert body["CreateEndTime"] == "2026-09-07T23:59:30+08:00"
    assert body["PayMode"] == "prePay"


def test_what_is_not_paid_is_left_out(alice: User, shelf: Shelf) -> None:
    shelf.orders = [order(status="delete"), order("o2", status="processing")]
    collected(alice)
    assert [one["order_id"] for one in answered(alice)["items"]] == ["o2"]


@pytest.mark.engine
def test_an_order_that_changes_is_changed(alice: User, shelf: Shelf, time: SetClock) -> None:
    shelf.orders = [order(), order("o2")]
    collected(alice)
    shelf.orders = [order(), order("o2", "88.00")]
    time.pass_by(days=1)
    collected(alice)
    assert {one["order_id"]: one["amount"] for one in answered(alice)["items"]} == {"o1": 99, "o2": 88}


@pytest.mark.engine
def test_an_order_that_is_paid_no_more_stays_and_counts_no_more(alice: User, shelf: Shelf, time: SetClock) -> None:
    other = SimulatedOrder("o2", PAID_AT - timedelta(days=10), "10.00", months=1)
    shelf.orders, shelf.packages = [order(), other], [pack("bought")]
    collected(alice)
    shelf.orders[0].status = "refunded"
    time.pass_by(days=1)
    collected(alice)
    found = answered(alice)
    assert {one["order_id"]: one["gone_at"] for one in found["items"]} == {"o1": "2026-09-08 17:59:30", "o2": None}
    assert (found["totals"], prices(alice)) == ([{"currency": "CNY", "amount": 10}], {"bought": None})
    assert b'<span class="under">refunded</span>' in ApiClient.signed_in(alice).get("/packages").content
    shelf.orders[0].status = "finished"
    time.pass_by(days=1)
    collected(alice)
    assert answered(alice)["totals"] == [{"currency": "CNY", "amount": 109}]


@pytest.mark.parametrize("is_empty", [True, False])
def test_an_order_that_a_list_leaves_out_is_not_gone_for_that(
    alice: User, shelf: Shelf, time: SetClock, is_empty: bool
) -> None:
    shelf.orders = [order(), order("o2"), order("o3")]
    collected(alice)
    shelf.orders = [] if is_empty else [order("o2"), order("o3", "many")]
    time.pass_by(days=1)
    collected(alice)
    assert [one["gone_at"] for one in answered(alice)["items"]] == [None] * 3


def test_an_order_from_before_the_span_that_is_asked_for_is_not_gone(alice: User, shelf: Shelf, time: SetClock) -> None:
    shelf.orders = [order(), order("o2")]
    collected(alice)
    Order.objects.filter(order_id="o1").update(paid_at=NOW - timedelta(days=3 * 365))
    shelf.orders = [order("o2")]
    time.pass_by(days=1)
    collected(alice)
    assert [one["gone_at"] for one in answered(alice)["items"]] == [None, None]


@pytest.mark.engine
def test_a_package_has_the_price_of_its_order(alice: User, shelf: Shelf) -> None:
    shelf.orders = [order()]
    shelf.packages = [pack("bought"), pack("later", after=timedelta(hours=3)), pack("gift", kind=GIFT)]
    collected(alice)
    assert prices(alice) == {"bought": {"amount": 99, "currency": "CNY"}, "later": None, "gift": None}
    assert answered(alice, "packages")["credit_prices"] == [{"month": "2026-09", "currency": "CNY", "amount": 0.099}]


@pytest.mark.parametrize(("currency", "offered"), [("CNY", ("0.099", "CNY")), ("EUR", None)])
def test_the_newest_price_of_a_credit_is_offered_as_rate_where_it_can_be_one(
    alice: User, shelf: Shelf, currency: str, offered: tuple[str, str] | None
) -> None:
    shelf.orders, shelf.packages = [order(currency=currency)], [pack("bought")]
    collected(alice)
    page = ApiClient.signed_in(alice).get("/packages")
    assert page.context.get("newest_price") == offered
    rates.store(alice.pk, rates.Rate(Decimal("0.099"), "CNY"))
    assert "newest_price" not in ApiClient.signed_in(alice).get("/packages").context


def test_several_packages_of_an_order_share_its_price_by_size(alice: User, shelf: Shelf) -> None:
    shelf.orders = [order(pieces=2)]
    shelf.packages = [pack("small", 500), pack("large", 1000)]
    collected(alice)
    assert {name: price["amount"] for name, price in prices(alice).items()} == {"small": 33, "large": 66}


def test_two_orders_of_one_instant_pay_for_two_packages(alice: User, shelf: Shelf) -> None:
    shelf.orders = [order("o1", "50.00"), order("o2", "50.00")]
    shelf.packages = [pack("one"), pack("other")]
    collected(alice)
    assert {price["amount"] for price in prices(alice).values()} == {50}


def test_a_package_is_of_the_order_just_before_it(alice: User, shelf: Shelf) -> None:
    minutes = timedelta(minutes=4)
    shelf.orders = [order("o1", "50.00"), SimulatedOrder("o2", PAID_AT + minutes, "30.00")]
    shelf.packages = [pack("first"), pack("second", 500, after=minutes + timedelta(seconds=20))]
    collected(alice)
    assert {name: price["amount"] for name, price in prices(alice).items()} == {"first": 50, "second": 30}


def test_a_plan_goes_on_with_the_order_that_it_began_with(alice: User, shelf: Shelf, time: SetClock) -> None:
    begins, other = datetime(2026, 8, 9, 9), datetime(2026, 9, 5, 9)
    shelf.orders = [
        SimulatedOrder("o1", begins, "1200.00", years=1),
        SimulatedOrder("o2", other, "50.00", months=1),
    ]
    shelf.packages = [
        SimulatedPackage("r-year", "y", "year", PLAN, Decimal(1000), begins, datetime(2027, 8, 9, 9)),
        SimulatedPackage("r-month", "m", "month", PLAN, Decimal(1000), other, datetime(2026, 10, 5, 9)),
    ]
    collected(alice)
    assert {name: price["amount"] for name, price in prices(alice).items()} == {"year": 100, "month": 50}
    time.pass_by(days=3)
    collected(alice)
    shown = answered(alice, "packages")["items"]
    assert [one["price"]["amount"] for one in shown if one["name"] == "year"] == [100, 100]


@pytest.mark.parametrize("span", [{"months": 12}, {"years": 1}])
def test_an_order_of_months_or_years_pays_for_the_cycles_of_a_plan(
    alice: User, shelf: Shelf, span: dict[str, Any]
) -> None:
    shelf.orders = [SimulatedOrder("o1", datetime(2026, 8, 10, 9), "600.00", **span)]
    shelf.packages = [
        SimulatedPackage("r-plan", "p", "plan", PLAN, Decimal(1000), datetime(2026, 8, 10, 9), datetime(2027, 8, 10))
    ]
    collected(alice)
    assert prices(alice) == {"plan": {"amount": 50, "currency": "CNY"}}


@pytest.mark.parametrize(
    ("kind", "months", "begun"),
    [(ADD_ON, 1, timedelta(minutes=1)), (PLAN, 0, timedelta(minutes=1)), (PLAN, 1, timedelta(minutes=-40))],
    ids=["months of an add-on", "no months of a plan", "a cycle that begins before it is paid"],
)
def test_what_is_granted_with_an_order_is_paid_by_it(
    alice: User, shelf: Shelf, kind: int, months: int, begun: timedelta
) -> None:
    shelf.orders, shelf.packages = [order(months=months)], [pack("bought", kind=kind, after=begun)]
    collected(alice)
    assert prices(alice) == {"bought": {"amount": 99, "currency": "CNY"}}


def test_the_month_after_is_not_paid_by_an_order_of_one(alice: User, shelf: Shelf) -> None:
    shelf.orders = [SimulatedOrder("o1", datetime(2026, 7, 7, 9), "50.00", months=1)]
    shelf.packages = [
        SimulatedPackage("r-plan", "p", "plan", PLAN, Decimal(1000), datetime(2026, 7, 7, 9), datetime(2027, 8, 10))
    ]
    collected(alice)
    assert prices(alice) == {"plan": None}


def test_the_usual_packages_are_paid_but_for_the_gift(alice: User, upstream: Simulator) -> None:
    collected(alice)
    shown = answered(alice, "packages")["items"]
    cost = {one["kind"]: one["price"] and one["price"]["amount"] / one["size"] for one in shown}
    assert cost == {"plan": 0.01, "gift": None, "add_on": 0.01}
    # The years to come are not ordered yet.
    assert len(answered(alice)["items"]) == 2


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("fault", ["reset", *WHOLE_ANSWERS])
def test_no_answer_about_orders_fails_a_run(alice: User, shelf: Shelf, upstream: Simulator, fault: str) -> None:
    shelf.orders = [order()]
    collected(alice)
    Order.objects.all().update(amount=1)
    upstream.faults_beside.fail(fault)
    assert collected(alice).run.status == Run.Status.OK
    assert Order.objects.get().amount == 1


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("amount", ["many", "-1.00", "", "1e99", "9" * 40, None, True, []])
def test_an_order_without_an_amount_is_skipped_and_counted(alice: User, shelf: Shelf, amount: Any) -> None:
    shelf.orders = [order(), order("o2", amount)]
    lines: list[str] = []
    collected(alice, show=lines.append)
    assert Order.objects.count() == 1
    assert any("1 order could not be read" in line for line in lines)


@pytest.mark.engine
@pytest.mark.parametrize("currency", ["ß" * 8, "ﬀﬀﬀﬀﬀﬀﬀﬀ", "x" * 500])
def test_a_currency_of_any_length_fails_no_run(alice: User, shelf: Shelf, currency: str) -> None:
    shelf.orders = [order(currency=currency)]
    assert collected(alice).run.status == Run.Status.OK
    assert len(Order.objects.get().currency) == 8


def test_an_archive_keeps_so_many_orders(alice: User, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_orders, "MOST_KEPT", 2)
    shelf.orders = [order(f"o{number}") for number in range(4)]
    collected(alice)
    assert Order.objects.count() == 2


def test_where_the_instance_does_not_want_packages_no_order_is_asked_for(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, packages=0)
    collected(alice)
    assert asked(upstream) == []


def test_another_account_sees_none_of_it(alice: User, bob: User, shelf: Shelf) -> None:
    shelf.orders = [order()]
    collected(alice)
    assert answered(bob) == {"items": [], "totals": []}


def test_each_package_is_of_the_last_order_before_it(alice: User, shelf: Shelf) -> None:
    shelf.orders = [order("o1", "99.00"), SimulatedOrder("o2", PAID_AT + timedelta(minutes=10), "500.00")]
    shelf.packages = [pack("first"), pack("second", after=timedelta(minutes=11))]
    collected(alice)
    assert {name: price["amount"] for name, price in prices(alice).items()} == {"first": 99, "second": 500}


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    "created", ["0001-01-01 00:00:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-12:00", "x"]
)
def test_an_order_of_no_year_is_skipped(alice: User, shelf: Shelf, created: str, monkeypatch: Any) -> None:
    shelf.orders, shelf.packages = [order(), order("o2")], [pack("bought")]
    monkeypatch.setattr(simulated, "_order", lambda one, make=simulated._order: {
        **make(one), **({"CreateTime": created} if one.order_id == "o2" else {}),
    })  # fmt: skip
    assert collected(alice).run.status == Run.Status.OK
    assert [one["order_id"] for one in answered(alice)["items"]] == ["o1"]
    assert prices(alice)["bought"]["amount"] == 99


def test_all_orders_are_read_page_by_page(alice: User, shelf: Shelf) -> None:
    shelf.orders = [order(f"o{number}", "10.00") for number in range(250)]
    collected(alice)
    assert answered(alice)["totals"] == [{"currency": "CNY", "amount": 2500}]


def test_all_are_read_where_the_source_gives_fewer_than_it_was_asked_for(alice: User, shelf: Shelf) -> None:
    shelf.orders, shelf.most_orders = [order(f"o{number}", "10.00") for number in range(45)], 20
    collected(alice)
    assert answered(alice)["totals"] == [{"currency": "CNY", "amount": 450}]


@pytest.mark.engine
def test_all_are_read_and_none_is_gone_where_the_source_does_not_count_them(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock
) -> None:
    shelf.orders = [SimulatedOrder(f"o{number}", PAID_AT - timedelta(days=number), "10.00") for number in range(45)]
    shelf.most_orders, shelf.uncounted = 20, True
    collected(alice)
    assert (answered(alice)["totals"], len(asked(upstream))) == ([{"currency": "CNY", "amount": 450}], 4)
    shelf.orders = shelf.orders[:30]
    time.pass_by(days=1)
    collected(alice)
    assert answered(alice)["totals"] == [{"currency": "CNY", "amount": 450}]


@pytest.mark.parametrize("after_the_last", [None, {"Response": {"Data": None}}, {}])
def test_whatever_comes_after_the_last_page_takes_no_order(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock, monkeypatch: pytest.MonkeyPatch, after_the_last: Any
) -> None:
    others, shelf.uncounted = upstream._beside_calls, True
    shelf.orders = [order(f"o{number}", "10.00") for number in range(3)]

    def ending_so(account: int, route: str, body: Json, headers: Any) -> Any:
        is_after = route == ORDERS and body["Offset"] >= len(shelf.orders)
        return (
            json_reply(200, {"code": 0, "data": after_the_last}) if is_after else others(account, route, body, headers)
        )

    monkeypatch.setattr(upstream, "_beside_calls", ending_so)
    collected(alice)
    del shelf.orders[0]
    time.pass_by(days=1)
    collected(alice)
    assert answered(alice)["totals"] == [{"currency": "CNY", "amount": 30}]


@pytest.mark.parametrize("counts_groups", [True, False])
def test_orders_of_groups_are_not_gone_where_there_are_many(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock, monkeypatch: pytest.MonkeyPatch, counts_groups: bool
) -> None:
    others, groups = upstream._beside_calls, [[f"o{number}-{part}" for part in "ab"] for number in range(95)]

    def in_groups(account: int, route: str, body: Json, headers: Any) -> Any:
        if route != ORDERS:
            return others(account, route, body, headers)
        first, most = body["Offset"], body["Limit"]
        first, most = (first, most) if counts_groups else (first // 2, most // 2)
        listed = [{"OrderInfos": [simulated._order(order(name, "10.00")) for name in group]} for group in groups]
        total = len(groups) * (1 if counts_groups else 2)
        answer = {"TotalCount": total, "Data": listed[first:][:most]}
        return json_reply(200, {"code": 0, "data": {"Response": answer}})

    monkeypatch.setattr(upstream, "_beside_calls", in_groups)
    collected(alice)
    groups += [[f"new{number}-{part}" for part in "ab"] for number in range(20)]
    time.pass_by(hours=30)
    collected(alice)
    items = answered(alice)["items"]
    assert (len(items), [one for one in items if one["gone_at"]]) == (230, [])


def test_orders_are_read_where_packages_are_refused(alice: User, shelf: Shelf) -> None:
    shelf.orders, shelf.outdated = [order()], {ROUTE}
    collected(alice)
    assert len(answered(alice)["items"]) == 1


def test_orders_without_a_known_package_stand_on_the_page(alice: User, shelf: Shelf) -> None:
    shelf.orders = [order()]
    collected(alice)
    assert "99.00 CNY" in ApiClient.signed_in(alice).get("/packages").content.decode()


def plan(name: str, size: int = 1000) -> SimulatedPackage:
    return SimulatedPackage(f"r-{name}", name, name, PLAN, Decimal(size), PAID_AT, PAID_AT + timedelta(days=365))


@pytest.mark.parametrize(
    ("orders", "sizes", "costs"),
    [
        ([order("o1", "50.00", months=1), order("o2", "50.00", months=1)], (1000, 1000), (50, 50)),
        ([order("o1", "100.00", months=1, pieces=2)], (1000, 1000), (50, 50)),
        ([order("o1", "1200.00", years=1), order("o2", "2400.00", years=1)], (1000, 2000), (100, 200)),
    ],
    ids=["two orders", "two pieces", "two years"],
)
def test_two_plans_of_one_purchase_share_what_each_month_costs(
    alice: User, shelf: Shelf, orders: list[SimulatedOrder], sizes: tuple[int, int], costs: tuple[int, int]
) -> None:
    shelf.orders = orders
    shelf.packages = [plan("one", sizes[0]), plan("two", sizes[1])]
    collected(alice)
    assert [prices(alice)[name]["amount"] for name in ("one", "two")] == [*costs]


def test_the_only_order_is_gone_once_it_is_refunded(alice: User, shelf: Shelf, time: SetClock) -> None:
    shelf.orders, shelf.packages = [order("o1", "50.00")], [pack("one")]
    collected(alice)
    shelf.orders[0].status = "refunded"
    shelf.packages[0].is_refunded = True
    time.pass_by(days=1)
    collected(alice)
    assert answered(alice)["totals"] == []
    assert answered(alice, "packages")["credit_prices"] == []


def test_orders_that_come_one_by_one_cost_no_more_than_some_requests(
    alice: User, shelf: Shelf, upstream: Simulator, time: SetClock
) -> None:
    shelf.orders = [order(f"o{number}", "1.00") for number in range(60)]
    shelf.most_orders = 1
    collected(alice)
    assert len(asked(upstream)) == Order.objects.count() == 20
    time.pass_by(days=1)
    collected(alice)
    assert not Order.objects.exclude(gone_at=None).exists()
