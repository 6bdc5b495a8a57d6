"""One webhook holds up neither another nor the notices: docs/decisions/notices.md#webhooks."""

from collections.abc import Callable
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from accounts.actor import Actor
from accounts.delivery import addresses, limit_of_hour, limit_of_tests, outbox
from accounts.delivery.addresses import StoredAddress
from accounts.delivery.sending.send import Outcome
from accounts.models import Delivery, User
from accounts.notices.beginning_and_end import Cause, Found, settle
from accounts.webhooks import changes, sent_events
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from tests.accounts.webhooks.conftest import NOW
from tests.accounts.webhooks.hooks import NOWHERE, Posted, announce, make_webhook, states

pytestmark = pytest.mark.django_db
MoveTo = Callable[[datetime], None]
DEAD, WELL = "http://127.0.0.1:9/dead", "http://127.0.0.1:9/well"
ELSEWHERE = "http://127.0.0.2:9/well"
TIMEOUT = Outcome(sent=False, reason="timeout", again=True)


@pytest.fixture
def notices(alice: User, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was sent as notices."""
    sent: list[str] = []

    def send(address: str, *_: str) -> Outcome:
        sent.append(address)
        return Outcome(sent=True)

    monkeypatch.setattr(outbox, "send", send)
    addresses.replace(alice.pk, [StoredAddress("json://here", "json://…")])
    return sent


@pytest.fixture
def slow(posted: Posted, monkeypatch: pytest.MonkeyPatch) -> Posted:
    """The dead webhook takes ten seconds of a task for each try, any other one none."""
    clock = SimpleNamespace(monotonic=lambda: 10.0 * posted.addresses.count(DEAD))
    monkeypatch.setattr(outbox, "time", clock)
    posted.outcomes[DEAD] = TIMEOUT
    return posted


def notify(user: User) -> None:
    settle(user.pk, Found([Cause("cookie_refused", "cookie", Message("notice_cookie_refused"))], set()))


def test_at_most_thirty_an_hour_are_sent_beside_the_notices(
    alice: User, posted: Posted, at: MoveTo, notices: list[str]
) -> None:
    make_webhook(alice)
    announce(alice, 31)
    outbox.send_due()
    assert len(posted.posts) == limit_of_hour.MOST_IN_HOUR
    notify(alice)
    outbox.send_due()
    assert (len(notices), len(posted.posts)) == (1, limit_of_hour.MOST_IN_HOUR)
    at(NOW + timedelta(hours=1))
    assert outbox.send_due() == 1


@pytest.mark.engine
def test_what_is_over_the_limit_is_put_off_at_once(
    alice: User, posted: Posted, at: MoveTo, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    make_webhook(alice)
    announce(alice, 30)
    outbox.send_due()
    announce(alice, 60)
    # The first finds the hour used up.
    with django_assert_max_num_queries(15):
        assert outbox.send_due() == 0
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING)
    assert {(one.next_at, one.tries) for one in waiting} == {(NOW + timedelta(hours=1), 0)}
    at(NOW + timedelta(hours=1))
    assert (outbox.send_due(), len(posted.posts)) == (30, 60)


@pytest.mark.engine
def test_notices_are_put_off_without_the_events_of_webhooks(
    alice: User, posted: Posted, at: MoveTo, notices: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limit_of_hour, "MOST_IN_HOUR", 1)
    make_webhook(alice)
    causes = [Cause(event, "x", Message("notice_cookie_refused")) for event in ("cookie_refused", "spike", "budget")]
    settle(alice.pk, Found(causes, set()))
    announce(alice)
    assert outbox.send_due() == 2
    assert (len(notices), len(posted.posts)) == (1, 1)


def test_each_host_has_an_hour_of_its_own(alice: User, posted: Posted, at: MoveTo) -> None:
    make_webhook(alice, DEAD)
    announce(alice, 31)
    make_webhook(alice, ELSEWHERE)
    announce(alice, 30)
    outbox.send_due()
    assert (posted.addresses.count(DEAD), posted.addresses.count(ELSEWHERE)) == (30, 30)


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("again", [DEAD, WELL, "https://127.0.0.1:99/", "http://user@127.0.0.1/dead"])
def test_a_webhook_that_is_made_anew_gets_no_more_of_the_hour(
    again: str, alice: User, posted: Posted, at: MoveTo
) -> None:
    for address in (DEAD, again):
        webhook, _ = make_webhook(alice, address)
        announce(alice, 20)
        outbox.send_due()
        changes.delete(alice.pk, webhook.pk, Actor("alice", alice.pk))
    assert len(posted.posts) == 30


@pytest.mark.thorough
@pytest.mark.engine
def test_hosts_that_are_always_others_get_no_more_than_five_webhooks(
    alice: User, bob: User, posted: Posted, at: MoveTo
) -> None:
    for number in range(7):
        webhook, _ = make_webhook(alice, f"http://h{number}.example/")
        announce(alice, 25)
        outbox.send_due()
        changes.delete(alice.pk, webhook.pk, Actor("alice", alice.pk))
    make_webhook(bob)
    announce(bob)
    outbox.send_due()
    assert (len(posted.posts), posted.addresses[-1]) == (151, NOWHERE)


def test_tests_of_webhooks_that_are_made_anew_count_together(alice: User, bob: User, at: MoveTo) -> None:
    for number in range(limit_of_tests.MOST_IN_HOUR):
        webhook, _ = make_webhook(alice, f"http://h{number}.example/")
        sent_events.send_test(alice.pk, webhook.pk)
        changes.delete(alice.pk, webhook.pk, Actor("alice", alice.pk))
    webhook, _ = make_webhook(alice)
    with pytest.raises(ApiError, match="At most 60 tests"):
        sent_events.send_test(alice.pk, webhook.pk)
    sent_events.send_test(bob.pk, make_webhook(bob)[0].pk)
    at(NOW + timedelta(hours=1, seconds=1))
    sent_events.send_test(alice.pk, webhook.pk)


def test_what_waits_for_a_dead_webhook_holds_up_neither_another_nor_a_notice(
    alice: User, slow: Posted, at: MoveTo, notices: list[str]
) -> None:
    make_webhook(alice, WELL)
    make_webhook(alice, DEAD)
    announce(alice, 12)
    notify(alice)
    outbox.send_due()
    assert (slow.addresses.count(DEAD), slow.addresses.count(WELL), len(notices)) == (1, 12, 1)


@pytest.mark.engine
def test_a_webhook_beside_four_dead_ones_is_served_in_the_next_minute(alice: User, slow: Posted, at: MoveTo) -> None:
    make_webhook(alice, WELL)
    for _ in range(4):
        make_webhook(alice, DEAD)
    announce(alice, 12)
    for minute in range(2):
        at(NOW + timedelta(minutes=minute))
        outbox.send_due()
    assert slow.addresses.count(WELL) == 12
    announce(alice)
    outbox.send_due()
    assert slow.addresses.count(WELL) == 13


@pytest.mark.thorough
def test_each_event_of_a_dead_webhook_still_has_its_eight_tries(alice: User, slow: Posted, at: MoveTo) -> None:
    make_webhook(alice, DEAD)
    announce(alice, 3)
    for minute in range(25 * 60):
        at(NOW + timedelta(minutes=minute))
        outbox.send_due()
    assert (len(slow.posts), states(alice)) == (24, ["failed"] * 3)


def test_one_that_is_well_again_is_served_as_others(alice: User, slow: Posted, at: MoveTo) -> None:
    make_webhook(alice, DEAD)
    announce(alice, 2)
    outbox.send_due()
    slow.outcomes.clear()
    at(NOW + timedelta(minutes=1))
    outbox.send_due()
    assert states(alice) == ["sent", "sent"]


def test_tests_that_wait_for_one_leave_room_for_those_of_another(alice: User) -> None:
    dead, _ = make_webhook(alice, DEAD)
    well, _ = make_webhook(alice, WELL)
    for _ in range(3):
        sent_events.send_test(alice.pk, dead.pk)
    with pytest.raises(ApiError):
        sent_events.send_test(alice.pk, dead.pk)
    sent_events.send_test(alice.pk, well.pk)
    assert Delivery.objects.count() == 4
