"""One webhook holds up neither another nor the notices: docs/decisions.md#webhooks."""

from collections.abc import Callable
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from accounts.models import Delivery, User
from accounts.notices import addresses, outbox
from accounts.notices.addresses import StoredAddress
from accounts.notices.causes import Cause, Found, settle
from accounts.notices.sending.send import Outcome
from accounts.webhooks import events
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from tests.accounts.webhooks.conftest import NOW
from tests.accounts.webhooks.hooks import Posted, announce, make_webhook, states

pytestmark = pytest.mark.django_db
MoveTo = Callable[[datetime], None]
DEAD, WELL = "http://127.0.0.1:9/dead", "http://127.0.0.1:9/well"
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


def tell(user: User) -> None:
    settle(user.pk, Found([Cause("cookie_refused", "cookie", Message("notice_cookie_refused"))], set()))


def test_at_most_thirty_an_hour_are_sent_beside_the_notices(
    alice: User, posted: Posted, at: MoveTo, notices: list[str]
) -> None:
    make_webhook(alice)
    announce(alice, 31)
    outbox.send_due()
    assert len(posted.posts) == outbox.MOST_IN_HOUR
    tell(alice)
    outbox.send_due()
    assert (len(notices), len(posted.posts)) == (1, outbox.MOST_IN_HOUR)
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
    monkeypatch.setattr(outbox, "MOST_IN_HOUR", 1)
    make_webhook(alice)
    causes = [Cause(event, "x", Message("notice_cookie_refused")) for event in ("cookie_refused", "spike", "budget")]
    settle(alice.pk, Found(causes, set()))
    announce(alice)
    assert outbox.send_due() == 2
    assert (len(notices), len(posted.posts)) == (1, 1)


def test_each_webhook_has_an_hour_of_its_own(alice: User, posted: Posted, at: MoveTo) -> None:
    make_webhook(alice, DEAD)
    announce(alice, 31)
    make_webhook(alice, WELL)
    announce(alice, 30)
    outbox.send_due()
    assert (posted.addresses.count(DEAD), posted.addresses.count(WELL)) == (30, 30)


def test_what_waits_for_a_dead_webhook_holds_up_neither_another_nor_a_notice(
    alice: User, slow: Posted, at: MoveTo, notices: list[str]
) -> None:
    make_webhook(alice, WELL)
    make_webhook(alice, DEAD)
    announce(alice, 12)
    tell(alice)
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
        events.send_test(alice.pk, dead.pk)
    with pytest.raises(ApiError):
        events.send_test(alice.pk, dead.pk)
    events.send_test(alice.pk, well.pk)
    assert Delivery.objects.count() == 4
