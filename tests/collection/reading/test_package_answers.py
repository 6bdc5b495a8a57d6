"""Answers about packages of credits in odd but legal forms, played row by row (docs/upstream.md#packages)."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.models import User
from collection.sources.codebuddy.simulator.answers import json_reply, refusal
from collection.sources.codebuddy.simulator.packages import FREE, ROUTE, Shelf
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import call_at, collected, set_up
from tests.collection.reading.test_packages import Json, answered, item
from tests.collection.simulator_client import NOW
from tests.standing_clock import SetClock
from usage.models import Package


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, verify_days=0, page_size=200)
    return alice


class Scripted(Shelf):
    """A shelf that answers the listing with these accounts, and all else with what the shelf has."""

    accounts: list[Json]
    count: int | None = None

    def answer(self, route: str, body: Json, headers: dict[str, str], calls: Any, moment: Any) -> Any:
        if route != ROUTE:
            return super().answer(route, body, headers, calls, moment)
        if body["PageNumber"] > 1:
            return refusal(400, 10001, "past the end")
        data = {"Accounts": self.accounts, "TotalCount": self.count or len(self.accounts)}
        return json_reply(200, {"code": 0, "data": data})


@pytest.fixture
def scripted(upstream: Simulator) -> Scripted:
    upstream.shelves[0] = Scripted([])
    found = upstream.shelves[0]
    assert isinstance(found, Scripted)
    return found


def account(name: str = "a", **fields: Any) -> Json:
    """An account of the listing that ends on 2026-10-01."""
    usual = {
        "ResourceId": name,
        "PackageCode": "code",
        "PackageName": name,
        "CapacityType": 1,
        "CapacitySizePrecise": "100",
        "CapacityUsedPrecise": "40",
        "CapacityRemainPrecise": "60",
        "CreateTime": 1788000000000,
        "CycleEndTime": "2026-10-01 23:59:59",
        "Status": 0,
    }
    return {**usual, **fields}


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(
    ("fields", "size", "left"),
    [
        ({"CapacitySizePrecise": "2000000", "CapacityRemainPrecise": "1999999.5"}, 2_000_000, 1_999_999.5),
        ({"CapacitySizePrecise": None, "CapacitySize": 80, "CapacityRemainPrecise": "7"}, 80, 7),
        ({"CapacityRemainPrecise": ""}, 100, 60),
        (
            {
                "CapacitySizePrecise": "0", "CapacityUsedPrecise": "0", "CapacityRemainPrecise": "0",
                "CycleCapacitySizePrecise": "1500", "CycleCapacityUsedPrecise": "500",
                "CycleCapacityRemainPrecise": "1000",
            },
            1500, 1000,
        ),
        ({"CapacityType": "4", "CycleCapacitySizePrecise": "500", "CycleCapacityUsedPrecise": "0.54"}, 500, 499.46),
        ({"TotalCycles": 12, "CycleCapacitySizePrecise": "10", "CycleCapacityRemainPrecise": "9"}, 10, 9),
        (
            {"CapacityType": 4, "CycleCapacityUsedPrecise": "50", "CycleCapacityRemainPrecise": "0",
             "CapacityRemainPrecise": "100"}, 50, 0,
        ),
    ],
)  # fmt: skip
def test_numbers_are_read_from_the_family_that_is_true(
    alice: User, scripted: Scripted, fields: Json, size: float, left: float
) -> None:
    scripted.accounts = [account(**fields)]
    collected(alice)
    found = item(alice, "a")
    assert (found["size"], found["left"]) == (size, left)


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    ("fields", "expires_at"),
    [
        ({"DeductionEndTime": 1790000000000}, "2026-09-21 16:13:20"),
        ({"DeductionEndTime": "0001-01-01 00:00:00"}, "2026-10-01 17:59:59"),
        ({"DeductionEndTime": 0, "ExpiredTime": ""}, "2026-10-01 17:59:59"),
        ({"DeductionEndTime": "9999-12-31 23:59:59"}, None),
        ({"DeductionEndTime": 253402271999000}, None),
        ({"DeductionEndTime": "253402271999"}, None),
        ({"CycleEndTime": None}, None),
    ],
)
def test_ends_are_read_in_each_form(alice: User, scripted: Scripted, fields: Json, expires_at: str | None) -> None:
    scripted.accounts = [account(**fields)]
    collected(alice)
    assert item(alice, "a")["expires_at"] == expires_at


@pytest.mark.parametrize(
    ("fields", "renews"),
    [
        ({"AutoRenewFlag": 1, "DeductionEndTime": "2026-10-01 23:59:59"}, True),
        ({"AutoRenewFlag": "0", "DeductionEndTime": "2026-10-01 23:59:59"}, False),
        ({"AutoRenewFlag": 0, "DeductionEndTime": "2027-10-01 23:59:59"}, True),
        ({"DeductionEndTime": "2026-10-01 23:59:59"}, None),
        ({"AutoRenewFlag": 0}, None),
        ({"AutoRenewFlag": 0, "DeductionEndTime": "2026-10-01 23:59:59", "CapacityType": 2}, None),
    ],
)
def test_whether_a_plan_goes_on_is_read(alice: User, scripted: Scripted, fields: Json, renews: bool | None) -> None:
    scripted.accounts = [account(**{"CapacityType": 4, **fields})]
    collected(alice)
    assert Package.objects.get().renews is renews


def test_a_cycle_is_one_whatever_form_its_beginning_has(alice: User, scripted: Scripted, time: SetClock) -> None:
    plan: Json = {"CapacityType": 4, "CycleCapacitySizePrecise": "100", "CycleCapacityRemainPrecise": "60"}
    scripted.accounts = [account(**plan, CycleStartTime="2026-09-01 00:00:00")]
    collected(alice)
    time.pass_by(hours=1)
    scripted.accounts = [account(**plan, CycleStartTime=1788192000000)]
    collected(alice)
    time.pass_by(hours=1)
    scripted.accounts = [account(**{**plan, "CreateTime": None})]
    collected(alice)
    assert [one["state"] for one in answered(alice)["items"]] == ["valid"]


def test_a_row_twice_is_one_package_and_the_list_is_whole(alice: User, scripted: Scripted, time: SetClock) -> None:
    scripted.accounts = [account("a"), account("a"), account("b")]
    collected(alice)
    scripted.accounts = [account("a"), account("a")]
    time.pass_by(hours=1)
    collected(alice)
    assert {one["name"]: one["state"] for one in answered(alice)["items"]} == {"a": "valid", "b": "refunded"}


def test_a_second_page_that_fails_takes_nothing_of_the_first(alice: User, scripted: Scripted) -> None:
    scripted.accounts, scripted.count = [account("a")], 250
    collected(alice)
    assert item(alice, "a")["state"] == "valid"


def test_a_row_that_cannot_be_read_is_not_gone(alice: User, scripted: Scripted, time: SetClock) -> None:
    scripted.accounts = [account("a"), account("b"), account("c")]
    collected(alice)
    time.pass_by(hours=1)
    scripted.accounts = [
        account("a"),
        account("b", CapacitySizePrecise="x", CapacityRemainPrecise="y", CapacitySize="z"),
    ]
    collected(alice)
    assert {one["name"]: one["state"] for one in answered(alice)["items"]} == {
        "a": "valid", "b": "valid", "c": "refunded",
    }  # fmt: skip


def test_calls_after_the_last_reading_are_not_lost(
    alice: User, scripted: Scripted, upstream: Simulator, time: SetClock
) -> None:
    scripted.accounts = [account("a", CycleEndTime="2026-09-08 12:00:00"), account("b")]
    collected(alice)
    upstream.add(0, call_at(NOW + timedelta(hours=5), "late", credits=45))
    scripted.accounts, scripted.outdated = [account("b")], {FREE}
    time.pass_by(days=1)
    collected(alice)
    assert (item(alice, "a")["state"], item(alice, "a")["left"]) == ("expired", 15)


@pytest.mark.parametrize("used", [40, 45])
def test_a_rest_that_the_vendor_takes_at_the_end_is_lost(
    alice: User, scripted: Scripted, time: SetClock, used: int
) -> None:
    scripted.accounts = [account("a")]
    collected(alice)
    scripted.accounts = [account("a", CapacityUsedPrecise=str(used), CapacityRemainPrecise="0", Status=2)]
    time.pass_by(hours=1)
    collected(alice)
    found = item(alice, "a")
    assert (found["state"], found["left"], found["changed_at"]) == ("expired", 100 - used, None)


def test_an_expired_package_is_lost_when_it_was_seen_to_be(alice: User, scripted: Scripted, time: SetClock) -> None:
    scripted.accounts = [account("a", Status=2, CycleEndTime=None), account("b"), account("c")]
    collected(alice)
    time.pass_by(hours=1)
    scripted.accounts = [account("b", Status=2), account("c")]
    collected(alice)
    found = answered(alice)
    assert [one["month"] for one in found["lost"]] == ["2026-09"]
    assert sum(one["amount"] for one in found["lost"]) == 120


def test_a_cycle_that_begins_a_second_later_is_the_same(alice: User, scripted: Scripted, time: SetClock) -> None:
    of_plan = {
        "CapacityType": 4, "CycleCapacitySizePrecise": "100", "CycleCapacityUsedPrecise": "40",
        "CycleCapacityRemainPrecise": "60",
    }  # fmt: skip
    for second in range(2):
        scripted.accounts = [account("a", **of_plan, CycleStartTime=f"2026-09-01 00:00:0{second}")]
        collected(alice)
        time.pass_by(hours=1)
    assert [one["state"] for one in answered(alice)["items"]] == ["valid"]
