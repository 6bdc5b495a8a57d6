"""What is put into the outbox is sent once, by one process at a time, and tried again while that makes sense."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from accounts.delivery import addresses, choices, limit_of_hour, limit_of_tests, outbox
from accounts.delivery.addresses import StoredAddress
from accounts.delivery.choices import Choices
from accounts.delivery.sending.send import Outcome
from accounts.models import Delivery, Notice, User
from accounts.notices import changes
from accounts.notices.beginning_and_end import Cause, Found, settle
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from audit.models import Entry
from tests.accounts.delivery.sending.receivers import receiving
from tests.concurrency import together
from tests.standing_clock import SetClock

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
REFUSED = Cause("cookie_refused", "cookie", Message("notice_cookie_refused"))
HERE, THERE = StoredAddress("json://here", "json://…"), StoredAddress("json://there", "json://…")


class Sent:
    """Sending that ends as the tests set it; keeps what was sent."""

    def __init__(self) -> None:
        self.outcome = Outcome(sent=True)
        self.bodies: list[tuple[str, str, str, str]] = []

    def __call__(self, *notice: str) -> Outcome:
        self.bodies.append(notice)  # type: ignore[arg-type]
        return self.outcome

    @property
    def addresses(self) -> list[str]:
        return [body[0] for body in self.bodies]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    sending = Sent()
    monkeypatch.setattr(outbox, "send", sending)
    return sending


@pytest.fixture
def at(time: SetClock) -> Callable[[datetime], None]:
    def set_clock(instant: datetime) -> None:
        time.now = instant

    set_clock(NOW)
    return set_clock


@pytest.fixture
def receiver(alice: User, at: Callable[[datetime], None]) -> User:
    addresses.replace(alice.pk, [HERE])
    return alice


def notify(user: User, cause: Cause = REFUSED) -> None:
    settle(user.pk, Found([cause], {cause.event}))


def over(user: User) -> None:
    settle(user.pk, Found([], {REFUSED.event}))


def states(user: User) -> list[str]:
    return list(Delivery.objects.filter(user_id=user.pk).order_by("pk").values_list("state", flat=True))


def test_it_is_sent_once_with_an_id(receiver: User, sent: Sent) -> None:
    notify(receiver)
    assert (outbox.send_due(), outbox.send_due()) == (1, 0)
    (address, title, body, identity) = sent.bodies[0]
    assert (address, title) == (HERE.text, "Usage Archive: The cookie is refused")
    assert body.startswith("CodeBuddy refuses the cookie.")
    assert identity == f"{Notice.objects.get().identity.hex[:12]}-begin"
    assert Entry.objects.get(action="notify").search_text == "notice sent: The cookie is refused"
    over(receiver)
    outbox.send_due()
    title, words = sent.bodies[1][1:3]
    assert title == "Usage Archive: over: The cookie is refused"
    over_words, begin_words = words.split("\n")
    assert over_words == "The cookie was replaced or removed."
    assert re.fullmatch(r"Told on \d{4}-\d\d-\d\d \d\d:\d\d: CodeBuddy refuses the cookie\..*", begin_words)


def test_it_is_in_the_language_of_the_account(receiver: User, sent: Sent) -> None:
    choices.store(receiver.pk, Choices(language="zh-hans"))
    notify(receiver)
    outbox.send_due()
    assert "Cookie 被拒绝" in sent.bodies[0][1]
    User.objects.filter(pk=receiver.pk).update(language="en")
    over(receiver)
    outbox.send_due()
    assert sent.bodies[1][2].startswith("The cookie was replaced or removed.\nTold on ")


def test_each_address_gets_it(receiver: User, sent: Sent) -> None:
    addresses.replace(receiver.pk, [HERE, THERE])
    notify(receiver)
    outbox.send_due()
    assert sent.addresses == [HERE.text, THERE.text]


@pytest.mark.thorough
def test_a_failure_is_tried_again_eight_times_in_a_day(receiver: User, sent: Sent, at: Any) -> None:
    sent.outcome = Outcome(sent=False, reason="timeout", again=True)
    notify(receiver)
    for minute in range(25 * 60):
        at(NOW + timedelta(minutes=minute))
        outbox.send_due()
    delivery = Delivery.objects.get()
    assert (len(sent.bodies), delivery.state, delivery.reason, delivery.tries) == (8, "failed", "timeout", 8)
    assert len({body[3] for body in sent.bodies}) == 1
    assert not Entry.objects.filter(action="notify").exists()


def test_what_arrives_at_a_later_try_is_sent(receiver: User, sent: Sent, at: Any) -> None:
    sent.outcome = Outcome(sent=False, reason="failed", again=True)
    notify(receiver)
    outbox.send_due()
    sent.outcome = Outcome(sent=True)
    outbox.send_due()
    assert states(receiver) == ["waiting"]
    at(NOW + timedelta(minutes=1))
    outbox.send_due()
    assert (states(receiver), Delivery.objects.get().reason) == (["sent"], "")


def test_that_it_is_over_is_sent_after_that_it_began(receiver: User, sent: Sent, at: Any) -> None:
    sent.outcome = Outcome(sent=False, reason="timeout", again=True)
    notify(receiver)
    for minute in (0, 1):
        at(NOW + timedelta(minutes=minute))
        outbox.send_due()
    over(receiver)
    sent.outcome = Outcome(sent=True)
    outbox.send_due()
    assert states(receiver) == ["waiting", "waiting"]
    at(NOW + timedelta(minutes=6))
    outbox.send_due()
    assert [body[3].rpartition("-")[2] for body in sent.bodies] == ["begin", "begin", "begin", "end"]


def test_two_processes_send_at_once(receiver: User, sent: Sent, at: Any) -> None:
    addresses.replace(receiver.pk, [HERE, THERE])
    notify(receiver)
    Delivery.objects.update(claimed_at=NOW)
    notify(receiver, Cause("budget", "b", Message("notice_cookie_refused")))
    assert outbox.send_due() == 0
    Delivery.objects.filter(claimed_at=NOW, address=HERE.id).update(state="sent")
    assert outbox.send_due() == 2
    at(NOW + outbox.CLAIMED_FOR + timedelta(seconds=1))
    assert outbox.send_due() == 1


def test_a_refusal_is_not_tried_again(receiver: User, sent: Sent) -> None:
    sent.outcome = Outcome(sent=False, reason="refused")
    notify(receiver)
    outbox.send_due()
    assert states(receiver) == ["failed"]


def test_a_test_is_tried_once_as_somebody_waits_for_it(receiver: User, sent: Sent) -> None:
    sent.outcome = Outcome(sent=False, reason="timeout", again=True)
    changes.send_test(receiver)
    outbox.send_due()
    assert (states(receiver), len(sent.bodies)) == (["failed"], 1)


def test_what_the_service_said_is_noted_until_it_takes_the_notice(receiver: User, sent: Sent, at: Any) -> None:
    sent.outcome = Outcome(sent=False, reason="refused", again=True, said="130101 too many")
    notify(receiver)
    outbox.send_due()
    assert Delivery.objects.get().said == "130101 too many"
    sent.outcome = Outcome(sent=True)
    at(NOW + timedelta(minutes=1))
    outbox.send_due()
    assert (states(receiver), Delivery.objects.get().said) == (["sent"], "")


def test_what_the_service_said_is_in_no_log(receiver: User, sent: Sent, caplog: pytest.LogCaptureFixture) -> None:
    sent.outcome = Outcome(sent=False, reason="refused", said="marker words")
    notify(receiver)
    outbox.send_due()
    assert "did not arrive: refused" in caplog.text
    assert "marker" not in caplog.text


def test_quiet_hours_hold_it_back_and_lose_nothing(receiver: User, sent: Sent, at: Any) -> None:
    choices.store(receiver.pk, Choices(quiet_from="00:00", quiet_to="23:59"))
    notify(receiver)
    over(receiver)
    assert outbox.send_due() == 0
    choices.store(receiver.pk, Choices())
    assert outbox.send_due() == 2
    assert [body[3].rpartition("-")[2] for body in sent.bodies] == ["begin", "end"]


def test_at_most_thirty_an_hour_are_sent_and_the_rest_waits(receiver: User, sent: Sent, at: Any) -> None:
    for number in range(40):
        notify(receiver, Cause("budget", f"{number} ", Message("notice_cookie_refused"), once=True))
        Notice.objects.filter(ended_at=None).update(ended_at=NOW)
    outbox.send_due()
    assert len(sent.bodies) == limit_of_hour.MOST_IN_HOUR
    at(NOW + timedelta(minutes=59))
    assert outbox.send_due() == 0
    at(NOW + timedelta(hours=1))
    assert outbox.send_due() == 10
    assert set(states(receiver)) == {"sent"}


def fail_tests(user: User, number: int) -> None:
    for _ in range(number):
        changes.send_test(user)
        outbox.send_due()


def test_failed_tests_hold_back_no_notice(receiver: User, sent: Sent) -> None:
    sent.outcome = Outcome(sent=False, reason="unreachable", again=True)
    fail_tests(receiver, limit_of_hour.MOST_IN_HOUR + 1)
    sent.outcome = Outcome(sent=True)
    notify(receiver)
    outbox.send_due()
    assert states(receiver)[-1] == "sent"


@pytest.mark.engine
def test_a_test_is_sent_in_an_hour_whose_notices_are_used_up(receiver: User, sent: Sent) -> None:
    for number in range(limit_of_hour.MOST_IN_HOUR + 2):
        notify(receiver, Cause("budget", f"{number} ", Message("notice_cookie_refused"), once=True))
    changes.send_test(receiver)
    outbox.send_due()
    assert Delivery.objects.get(notice__event="test").state == "sent"


def test_a_test_too_many_is_refused_with_the_true_time_to_wait(receiver: User, sent: Sent, at: Any) -> None:
    changes.send_test(receiver)
    outbox.send_due()
    at(NOW + timedelta(minutes=20, seconds=10))
    fail_tests(receiver, limit_of_tests.MOST_IN_HOUR - 1)
    with pytest.raises(ApiError) as raised:
        changes.send_test(receiver)
    assert (raised.value.error, raised.value.retry_after) == ("too_frequent", 2390)
    assert str(raised.value) == "At most 60 tests are sent in an hour. Try again in 40 minutes."
    at(NOW + timedelta(minutes=60))
    assert changes.send_test(receiver)


def test_the_tests_of_one_account_leave_those_of_another(receiver: User, bob: User, sent: Sent) -> None:
    fail_tests(receiver, limit_of_tests.MOST_IN_HOUR)
    addresses.replace(bob.pk, [THERE])
    assert changes.send_test(bob)


def test_a_removed_address_gets_nothing(receiver: User, sent: Sent) -> None:
    notify(receiver)
    addresses.replace(receiver.pk, [THERE])
    outbox.send_due()
    assert (sent.bodies, states(receiver)) == ([], ["dropped"])


def test_a_disabled_account_gets_nothing(receiver: User, sent: Sent) -> None:
    notify(receiver)
    User.objects.filter(pk=receiver.pk).update(status=User.DISABLED)
    outbox.send_due()
    assert (sent.bodies, states(receiver)) == ([], ["dropped"])


def test_what_a_killed_process_was_sending_is_sent_again_with_the_same_id(receiver: User, sent: Sent, at: Any) -> None:
    notify(receiver)

    class Killed(BaseException):
        pass

    def die(*notice: str) -> Outcome:
        sent(*notice)
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outbox, "send", die)
        with pytest.raises(Killed):
            outbox.send_due()
    assert outbox.send_due() == 0
    at(NOW + outbox.CLAIMED_FOR + timedelta(seconds=1))
    assert outbox.send_due() == 1
    assert sent.bodies[0] == sent.bodies[1]
    assert states(receiver) == ["sent"]


def test_a_clock_that_ran_ahead_holds_nothing_back(receiver: User, sent: Sent, at: Any) -> None:
    at(NOW + timedelta(days=400))
    sent.outcome = Outcome(sent=False, reason="failed", again=True)
    notify(receiver)
    outbox.send_due()
    at(NOW)
    sent.outcome = Outcome(sent=True)
    assert outbox.send_due() == 1


def test_one_account_does_not_hold_up_another(receiver: User, bob: User, sent: Sent) -> None:
    addresses.replace(bob.pk, [THERE])
    for number in range(5):
        notify(receiver, Cause("budget", f"{number} ", Message("notice_cookie_refused"), once=True))
    notify(bob)
    outbox.send_due()
    assert THERE.text in sent.addresses[:2]


@pytest.mark.django_db(transaction=True)
def test_two_nodes_send_it_once(receiver: User, sent: Sent) -> None:
    for number in range(5):
        notify(receiver, Cause("budget", f"{number} ", Message("notice_cookie_refused"), once=True))
    assert sum(together(*[outbox.send_due] * 3)) == Delivery.objects.count() == 9
    assert len({body[3] for body in sent.bodies}) == len(sent.bodies) == 9


def test_it_reaches_a_receiver(alice: User, settings: Any) -> None:
    settings.NOTIFY_PRIVATE = True

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(204)
        handler.end_headers()

    with receiving(answer) as receiver:
        addresses.replace(alice.pk, [StoredAddress(receiver.address, "json://…")])
        notify(alice)
        outbox.send_due()
        assert "refuses the cookie" in receiver.bodies[0]
    assert states(alice) == ["sent"]
