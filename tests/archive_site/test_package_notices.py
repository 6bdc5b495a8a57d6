"""Notices of packages of credits: those that end unused, and credits that run out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import Notice, User
from archive_site import notice_causes
from archive_site.lib import clock, stored_message
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage.amounts.units import CREDITS
from usage.packages import stored_packages
from usage.packages.package import Key, Kind, Packages, SeenPackage, State

NOW = datetime(2026, 9, 8, 10, tzinfo=UTC)
Given = Callable[..., None]


@pytest.fixture
def alice(alice: User, time: SetClock) -> User:
    """Alice, who spends 10 credits at noon of each day."""
    time.now = NOW
    days = [(NOW - timedelta(days=back)).date() for back in range(1, 40)]
    archive(alice, *[call(f"c{day}", ts=f"{day} 12:00:00", credits=10) for day in days])
    return alice


def package(name: str, left: float, days: float, *, kind: Kind = Kind.GIFT, size: float = 100) -> SeenPackage:
    """A package that ends in `days`."""
    whole, rest = (int(credits * CREDITS.one) for credits in (size, left))
    begun, ends = NOW - timedelta(days=40), NOW + timedelta(days=days)
    state = State.VALID if left else State.USED_UP
    return SeenPackage(Key(name), "code", name, kind, whole, rest, whole - rest, begun, ends, state)


def seen(user: User, *packages: SeenPackage) -> list[tuple[str, bool]]:
    """The events in the notices after these packages were read, each with whether it is over."""
    stored_packages.store(user.pk, Packages(packages, (), 0, clock.now()))
    return looked(user)


def looked(user: User) -> list[tuple[str, bool]]:
    notice_causes.look()
    notices = Notice.objects.filter(user_id=user.pk, event__startswith="credits").order_by("pk")
    return [(one.event, one.ended_at is not None) for one in notices]


def texts(user: User) -> Sequence[str]:
    notices = Notice.objects.filter(user_id=user.pk, event__startswith="credits").order_by("pk")
    return [stored_message.text_of(one.stored_begin) for one in notices]


def test_what_will_be_unused_is_said_a_week_before(alice: User, time: SetClock) -> None:
    soon = package("Welcome", 100, 8)
    assert seen(alice, soon, package("Later", 900, 200, size=900)) == []
    time.pass_by(days=1, minutes=5)
    assert seen(alice, soon, package("Later", 900, 200, size=900)) == [("credits_expire", False)]
    assert texts(alice) == [
        "At your pace 31 credits of the package Welcome will be unused when it ends, at 2026-09-16 12:00."
    ]


def test_it_is_said_once(alice: User, time: SetClock) -> None:
    soon = package("Welcome", 100, 6)
    later = package("Later", 900, 200, size=900)
    assert seen(alice, soon, later) == [("credits_expire", False)]
    time.pass_by(days=1)
    assert seen(alice, soon, later) == [("credits_expire", False)]
    time.pass_by(days=6)
    assert seen(alice, later) == [("credits_expire", True)]


def test_what_will_be_used_up_is_not_said(alice: User) -> None:
    assert seen(alice, package("Welcome", 20, 6), package("Later", 900, 200, size=900)) == []


@pytest.mark.engine
def test_credits_that_do_not_last_until_the_next_cycle_are_said(alice: User) -> None:
    assert seen(alice, package("Plan", 45, 20, kind=Kind.PLAN)) == [("credits_end", False)]
    [text] = texts(alice)
    assert text == (
        "At your pace all credits are used up at 2026-09-12 13:00, before the next grant at 2026-09-28 12:00."
    )


def test_credits_that_last_until_the_next_cycle_are_not_said(alice: User) -> None:
    assert seen(alice, package("Plan", 40.4, 4, kind=Kind.PLAN)) == []


def test_a_plan_that_does_not_go_on_grants_nothing(alice: User) -> None:
    last = replace(package("Plan", 20, 2, kind=Kind.PLAN), renews=False)
    assert seen(alice, last, package("Gift", 20, 200)) == [("credits_end", False)]
    assert texts(alice) == ["At your pace all credits are used up at 2026-09-11 13:00."]


def test_when_all_are_used_up_one_notice_follows_the_other(alice: User, time: SetClock) -> None:
    seen(alice, package("Plan", 45, 20, kind=Kind.PLAN))
    time.pass_by(days=2)
    assert seen(alice, package("Plan", 0, 20, kind=Kind.PLAN)) == [("credits_end", True), ("credits_end", False)]
    assert texts(alice)[1] == "No credits are left until the next grant at 2026-09-28 12:00."
    time.pass_by(days=1)
    assert seen(alice, package("Gift", 500, 90, size=500), package("Plan", 0, 20, kind=Kind.PLAN))[-1] == (
        "credits_end", True,
    )  # fmt: skip


def test_without_a_plan_it_is_said_once_a_month(alice: User, time: SetClock) -> None:
    assert seen(alice, package("Gift", 45, 200)) == [("credits_end", False)]
    assert texts(alice) == ["At your pace all credits are used up at 2026-09-12 13:00."]
    time.pass_by(days=1)
    assert seen(alice, package("Gift", 36, 200)) == [("credits_end", False)]


def test_a_list_that_is_old_says_nothing(alice: User, time: SetClock) -> None:
    seen(alice, package("Gift", 500, 200, size=500))
    time.pass_by(days=40)
    assert looked(alice) == []


def test_who_has_no_packages_gets_no_notice(alice: User) -> None:
    assert looked(alice) == []


def test_without_known_days_nothing_is_foretold(bob: User, time: SetClock) -> None:
    time.now = NOW
    assert seen(bob, package("Gift", 100, 6)) == []


def test_while_packages_are_not_read_nothing_is_over(alice: User, time: SetClock) -> None:
    soon = package("Welcome", 100, 6)
    assert seen(alice, soon, package("Later", 900, 200, size=900)) == [("credits_expire", False)]
    time.pass_by(days=3)
    assert looked(alice) == [("credits_expire", False)]


def test_what_was_said_of_a_day_is_over_after_it_though_packages_are_not_read(alice: User, time: SetClock) -> None:
    soon = package("Welcome", 100, 6)
    seen(alice, soon, package("Later", 900, 12, size=900))
    time.pass_by(days=7)
    # Nothing new is said of a list that is old.
    assert looked(alice) == [("credits_expire", True)]


def test_that_nothing_is_left_is_said_once_until_something_is_granted(alice: User, time: SetClock) -> None:
    assert seen(alice, package("Gift", 0, 200)) == [("credits_end", False)]
    time.pass_by(days=25)
    assert seen(alice, package("Gift", 0, 200)) == [("credits_end", False)]


def test_where_nobody_says_when_it_was_granted_it_is_said_once_until_there_is_another(
    alice: User, time: SetClock
) -> None:
    undated = replace(package("Some", 45, 200), granted_at=None)
    for _ in range(3):
        assert seen(alice, undated) == [("credits_end", False)]
        time.pass_by(hours=6)
    more = replace(package("More", 900, 200, size=900), granted_at=None)
    assert seen(alice, undated, more) == [("credits_end", True)]
    used_up = replace(more, left=10 * CREDITS.one, used=890 * CREDITS.one)
    time.pass_by(hours=6)
    assert seen(alice, undated, used_up) == [("credits_end", True), ("credits_end", False)]


def test_a_small_grant_does_not_say_again_what_still_holds(alice: User, time: SetClock) -> None:
    gift = package("Gift", 45, 200)
    assert seen(alice, gift) == [("credits_end", False)]
    for day in range(1, 4):
        time.pass_by(hours=1)
        daily = replace(package(f"Daily {day}", 1, 200, size=1), granted_at=clock.now())
        assert seen(alice, gift, daily) == [("credits_end", False)]


def test_what_was_bought_in_a_cycle_may_run_out_as_well(alice: User, time: SetClock) -> None:
    plan = package("Plan", 45, 20, kind=Kind.PLAN)
    assert seen(alice, plan) == [("credits_end", False)]
    time.pass_by(days=1)
    bought = replace(package("Bought", 500, 200, kind=Kind.ADD_ON, size=500), granted_at=clock.now())
    assert seen(alice, plan, bought) == [("credits_end", True)]
    less = replace(bought, left=5 * CREDITS.one, used=495 * CREDITS.one)
    time.pass_by(days=1)
    assert seen(alice, plan, less) == [("credits_end", True), ("credits_end", False)]


@pytest.mark.parametrize(
    ("left", "size", "other", "events"),
    [
        (40, 100, package("More", 20, 200, kind=Kind.ADD_ON), []),
        (20, 40, package("More", 41, 200, kind=Kind.ADD_ON), ["credits_end"]),
        (20, 100, package("Plan", 20, 20, kind=Kind.PLAN), ["credits_end"]),
    ],
)
def test_a_gift_of_each_month_is_the_next_grant_without_a_plan_or_many_other_credits(
    alice: User, left: int, size: int, other: SeenPackage, events: list[str]
) -> None:
    monthly = replace(package("Gift", left, 4, size=size), key=Key("Gift", "first"), renews=True)
    assert [event for event, _ in seen(alice, monthly, other)] == events


def test_a_gift_of_each_month_that_is_used_up_comes_again(alice: User) -> None:
    monthly = replace(package("Gift", 0, 4), key=Key("Gift", "first"), renews=True)
    assert seen(alice, monthly) == [("credits_end", False)]
    assert texts(alice) == ["No credits are left until the next grant at 2026-09-12 12:00."]


def test_nothing_is_said_between_the_cycles_of_a_gift(alice: User, time: SetClock) -> None:
    gift = replace(package("Gift", 60, 1 / 24), key=Key("Gift", "first"), renews=True)
    assert "credits_end" not in dict(seen(alice, gift))
    time.pass_by(hours=2)
    assert "credits_end" not in dict(looked(alice))


def test_several_that_end_on_a_day_are_one_notice(alice: User) -> None:
    many = [package(f"g{number}", 100, 6) for number in range(30)]
    assert seen(alice, *many) == [("credits_expire", False)]
    assert texts(alice) == ["At your pace 2,940 credits of 30 packages will be unused when they end, on 2026-09-14."]


def test_less_than_a_credit_is_no_news(alice: User) -> None:
    assert seen(alice, package("Small", 60.4, 6, size=20), package("Later", 900, 200, size=900)) == []


@pytest.mark.parametrize("renews", [True, None])
def test_nothing_is_said_until_the_next_cycle_of_a_plan_was_read(
    alice: User, time: SetClock, renews: bool | None
) -> None:
    plan = replace(package("Plan", 60, 1 / 24, kind=Kind.PLAN), renews=renews)
    assert "credits_end" not in dict(seen(alice, plan))
    time.pass_by(hours=2)
    assert "credits_end" not in dict(looked(alice))
    ends = clock.now() + timedelta(days=30)
    following = replace(plan, key=Key("Plan", "next"), size=10**9, left=10**9, used=0, expires_at=ends)
    assert "credits_end" not in dict(seen(alice, following))


@pytest.mark.engine
@pytest.mark.parametrize("renews", [True, None])
def test_nothing_is_said_while_a_cycle_is_listed_after_its_end(
    alice: User, time: SetClock, renews: bool | None
) -> None:
    ended = replace(package("Plan", 60, 1 / 24, kind=Kind.PLAN), renews=renews)
    seen(alice, ended)
    time.pass_by(hours=8)
    assert "credits_end" not in dict(seen(alice, ended))
    time.pass_by(days=2)
    assert ("credits_end", False) in seen(alice, ended)


def test_a_plan_that_was_refunded_is_followed_by_no_cycle(alice: User, time: SetClock) -> None:
    plan = replace(package("Plan", 60, 1 / 24, kind=Kind.PLAN), renews=True, state=State.REFUNDED)
    time.pass_by(hours=2)
    assert ("credits_end", False) in seen(alice, plan)


def test_of_several_cycles_the_last_one_says_whether_a_plan_goes_on(alice: User, time: SetClock) -> None:
    plan = replace(package("Plan", 60, 1 / 24, kind=Kind.PLAN), renews=True)
    last = replace(plan, key=Key("Plan", "last"), expires_at=NOW + timedelta(hours=2), renews=False)
    time.pass_by(hours=3)
    assert ("credits_end", False) in seen(alice, plan, last)


def test_a_plan_that_ends_for_good_leaves_no_credits(alice: User, time: SetClock) -> None:
    seen(alice, replace(package("Plan", 60, 1 / 24, kind=Kind.PLAN), renews=False))
    time.pass_by(hours=2)
    assert ("credits_end", False) in looked(alice)
