"""A cause gives one notice when it is found and one when it is over, whoever looks and how often."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.delivery import addresses, choices
from accounts.delivery.addresses import StoredAddress
from accounts.delivery.choices import Choices
from accounts.models import Delivery, Notice, User
from accounts.notices.beginning_and_end import Cause, Found, settle
from archive_site.lib.stored_message import Message
from tests.concurrency import together

ALL = {"cookie_refused", "budget"}
REFUSED = Cause("cookie_refused", "cookie", Message("notice_cookie_refused"))
FIRST, SECOND = StoredAddress("json://one", "json://…"), StoredAddress("json://two", "json://…")


def threshold(percent: int, period: str = "1 2026-09-01 ") -> Cause:
    text = Message("notice_budget_month", percent=percent, budget="10", spent="9")
    return Cause("budget", f"{period}{percent}", text, once=True, continues=period)


@pytest.fixture
def receiver(alice: User) -> User:
    addresses.replace(alice.pk, [FIRST])
    return alice


def parts(user: User) -> list[tuple[str, str]]:
    rows = Delivery.objects.filter(user_id=user.pk).order_by("pk")
    return list(rows.values_list("notice__cause", "part"))


def look(user: User, *causes: Cause, judged: set[str] = ALL) -> None:
    settle(user.pk, Found(causes, judged))


def test_a_cause_is_reported_once_and_once_that_it_is_over(receiver: User) -> None:
    for _ in range(3):
        look(receiver, REFUSED)
    for _ in range(3):
        look(receiver)
    assert parts(receiver) == [("cookie", "begin"), ("cookie", "end")]
    look(receiver, REFUSED)
    assert parts(receiver)[2:] == [("cookie", "begin")]


def test_what_was_not_looked_for_is_not_over(receiver: User) -> None:
    look(receiver, REFUSED)
    look(receiver, judged={"budget"})
    assert parts(receiver) == [("cookie", "begin")]


def test_a_higher_threshold_continues_the_lower_one(receiver: User) -> None:
    look(receiver, threshold(50))
    look(receiver, threshold(100))
    look(receiver, threshold(100))
    assert [cause for cause, part in parts(receiver) if part == "end"] == []
    look(receiver)
    assert parts(receiver)[-1] == ("1 2026-09-01 100", "end")
    assert [part for _, part in parts(receiver)] == ["begin", "begin", "end"]


def test_a_threshold_of_a_period_is_reported_once(receiver: User) -> None:
    look(receiver, threshold(50))
    look(receiver)
    look(receiver, threshold(50))
    assert [part for _, part in parts(receiver)] == ["begin", "end"]
    look(receiver, threshold(50, "1 2026-10-01 "))
    assert len(parts(receiver)) == 3


def test_an_event_that_is_off_is_not_reported(receiver: User) -> None:
    choices.store(receiver.pk, Choices(off=frozenset(["cookie_refused"])))
    look(receiver, REFUSED)
    assert not Notice.objects.exists()
    choices.store(receiver.pk, Choices())
    look(receiver, REFUSED)
    choices.store(receiver.pk, Choices(off=frozenset(["cookie_refused"])))
    look(receiver)
    assert parts(receiver) == [("cookie", "begin")]
    assert Notice.objects.get().ended_at


def test_that_it_is_over_goes_to_those_that_got_its_begin(receiver: User) -> None:
    look(receiver, REFUSED)
    addresses.replace(receiver.pk, [FIRST, SECOND])
    look(receiver)
    assert Delivery.objects.get(part="end").address == FIRST.id
    look(receiver, REFUSED)
    addresses.replace(receiver.pk, [SECOND])
    look(receiver)
    assert Delivery.objects.filter(part="end").values_list("address", flat=True).last() == SECOND.id


def test_without_an_address_it_is_listed(alice: User) -> None:
    look(alice, REFUSED)
    look(alice)
    assert Notice.objects.get().stored_end
    assert not Delivery.objects.exists()


def test_accounts_have_causes_of_their_own(receiver: User, bob: User) -> None:
    addresses.replace(bob.pk, [SECOND])
    look(receiver, REFUSED)
    look(bob)
    look(bob, REFUSED)
    assert parts(receiver) == parts(bob) == [("cookie", "begin")]


@pytest.mark.django_db(transaction=True)
def test_two_that_look_at_once_report_it_once(receiver: User) -> None:
    assert together(*[lambda: look(receiver, REFUSED)] * 4) == [None] * 4
    assert parts(receiver) == [("cookie", "begin")]
    assert together(*[lambda: look(receiver)] * 4) == [None] * 4
    assert parts(receiver) == [("cookie", "begin"), ("cookie", "end")]


@pytest.mark.parametrize(
    ("begin", "end", "quiet"),
    [
        ("22:00", "07:00", [0, 1, 2, 3, 4, 5, 6, 22, 23]),
        ("12:00", "14:00", [12, 13]),
        ("", "", []),
        ("08:00", "08:00", []),
    ],
)
def test_quiet_hours_may_go_past_midnight(begin: str, end: str, quiet: list[int], settings: Any) -> None:
    settings.TIME_ZONE = "UTC"
    chosen = Choices(quiet_from=begin, quiet_to=end)
    day = datetime(2026, 9, 8, tzinfo=UTC)
    hours = [hour for hour in range(24) if chosen.is_quiet(day + timedelta(hours=hour))]
    assert hours == quiet
