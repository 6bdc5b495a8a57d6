"""Events go through the outbox of notices: signed, tried again, sent once, dropped with their webhook or account."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any

import psutil
import pytest

from accounts.account_removal import remove_account
from accounts.actor import Actor
from accounts.delivery import choices, limit_of_hour, outbox
from accounts.delivery import to_webhook as delivery
from accounts.delivery.choices import Choices
from accounts.delivery.sending import own_process
from accounts.delivery.sending import send as sending
from accounts.delivery.sending.send import Outcome
from accounts.models import Delivery, Notice, User, Webhook
from accounts.notices import sent
from accounts.user_changes import update
from accounts.webhooks import changes, sent_events
from audit.models import Entry
from tests import processes
from tests.accounts.delivery.sending.receivers import receiving, status
from tests.accounts.webhooks.conftest import NOW
from tests.accounts.webhooks.hooks import Posted, announce, is_signed, make_webhook, states
from tests.concurrency import together

pytestmark = pytest.mark.django_db
MoveTo = Callable[[datetime], None]


def last(user: User) -> tuple[Any, ...]:
    webhook = Webhook.objects.filter(user_id=user.pk).latest("pk")
    return webhook.tried_at, webhook.status, webhook.reason


def test_each_webhook_gets_the_event_under_its_own_secret(alice: User, at: MoveTo) -> None:
    with receiving() as receiver:
        one, one_secret = make_webhook(alice, receiver.url)
        other, other_secret = make_webhook(alice, f"{receiver.url}?other")
        announce(alice)
        assert outbox.send_due() == 2
    assert states(alice) == ["sent", "sent"]
    by_path = dict(zip(receiver.paths, zip(receiver.headers, receiver.bodies, strict=True), strict=True))
    assert is_signed(*by_path["/hook"], one_secret)
    assert is_signed(*by_path["/hook?other"], other_secret)
    assert not is_signed(*by_path["/hook"], other_secret)
    assert len({headers["X-Event-Id"] for headers in receiver.headers}) == len(set(receiver.bodies)) == 1


def test_body_and_headers_are_as_described(alice: User, posted: Posted, at: MoveTo) -> None:
    make_webhook(alice)
    announce(alice)
    outbox.send_due()
    ((_, headers, body),) = posted.posts
    event = json.loads(body)
    assert list(event) == ["version", "type", "id", "timestamp", "account", "instance", "run"]
    assert (event["version"], event["type"], event["account"]) == (1, "collection", alice.pk)
    assert datetime.fromisoformat(event["timestamp"]) == NOW
    assert body == json.dumps(event, separators=(",", ":"), ensure_ascii=False)
    assert set(headers) == {"Content-Type", "User-Agent", "X-Event-Id", "X-Timestamp", "X-Signature"}
    assert (headers["X-Event-Id"], headers["X-Timestamp"]) == (event["id"], str(int(NOW.timestamp())))


@pytest.mark.engine
def test_another_try_has_the_same_id_and_body_and_a_new_signature(alice: User, posted: Posted, at: MoveTo) -> None:
    _, secret = make_webhook(alice)
    announce(alice)
    posted.outcome = Outcome(sent=False, reason="failed", again=True, status=503)
    outbox.send_due()
    assert (states(alice), last(alice)) == (["waiting"], (NOW, 503, "failed"))
    posted.outcome = Outcome(sent=True, status=202)
    assert outbox.send_due() == 0
    later = NOW + timedelta(minutes=1)
    at(later)
    outbox.send_due()
    (_, first, body), (_, second, same) = posted.posts
    assert (body, first["X-Event-Id"]) == (same, second["X-Event-Id"])
    assert int(second["X-Timestamp"]) - int(first["X-Timestamp"]) == 60
    assert first["X-Signature"] != second["X-Signature"]
    assert is_signed(first, body, secret)
    assert is_signed(second, body, secret)
    assert (states(alice), last(alice)) == (["sent"], (later, 202, ""))


def test_it_is_given_up_after_eight_tries_in_a_day(alice: User, posted: Posted, at: MoveTo) -> None:
    make_webhook(alice)
    announce(alice)
    posted.outcome = Outcome(sent=False, reason="timeout", again=True)
    for minute in range(0, 25 * 60, 5):
        at(NOW + timedelta(minutes=minute))
        outbox.send_due()
    assert (len(posted.posts), states(alice), last(alice)[1:]) == (8, ["failed"], (None, "timeout"))


def test_a_test_is_tried_once_and_leaves_room_for_the_next(alice: User, posted: Posted, at: MoveTo) -> None:
    webhook, _ = make_webhook(alice)
    posted.outcome = Outcome(sent=False, reason="timeout", again=True)
    for _ in range(4):
        sent_events.send_test(alice.pk, webhook.pk)
        outbox.send_due()
    assert states(alice) == ["failed"] * 4


def test_tests_of_a_webhook_hold_back_none_of_its_events(alice: User, posted: Posted, at: MoveTo) -> None:
    webhook, _ = make_webhook(alice)
    for _ in range(limit_of_hour.MOST_IN_HOUR + 1):
        sent_events.send_test(alice.pk, webhook.pk)
        outbox.send_due()
    announce(alice)
    outbox.send_due()
    assert states(alice)[-1] == "sent"


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("code", [400, 401, 404, 410])
def test_a_refusal_is_final_for_the_event_and_not_for_the_webhook(code: int, alice: User) -> None:
    with receiving(code) as receiver:
        make_webhook(alice, receiver.url)
        announce(alice)
        outbox.send_due()
        assert (states(alice), last(alice)[1:]) == (["failed"], (code, "refused"))
        announce(alice)
        outbox.send_due()
    assert len(receiver.bodies) == 2


def test_what_a_killed_process_was_sending_is_sent_again_with_the_same_id(
    alice: User, posted: Posted, at: MoveTo, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_webhook(alice)
    announce(alice)

    class Killed(BaseException):
        pass

    def die(*event: Any) -> Outcome:
        posted(*event)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(delivery, "post", die)
        with pytest.raises(Killed):
            outbox.send_due()
    assert outbox.send_due() == 0
    at(NOW + outbox.CLAIMED_FOR + timedelta(seconds=1))
    assert outbox.send_due() == 1
    assert (len(posted.posts), len(set(posted.ids)), states(alice)) == (2, 1, ["sent"])


@pytest.mark.django_db(transaction=True)
def test_two_processes_at_once_send_each_once(alice: User, posted: Posted) -> None:
    make_webhook(alice)
    announce(alice, 9)
    assert sum(together(*[outbox.send_due] * 3)) == 9
    assert len(posted.ids) == len(set(posted.ids)) == 9


def test_a_deleted_webhook_gets_nothing_that_waited(alice: User, posted: Posted) -> None:
    gone, _ = make_webhook(alice)
    kept, _ = make_webhook(alice)
    announce(alice)
    changes.delete(alice.pk, gone.pk, Actor("alice", alice.pk))
    # At once: a backup that still has the webhook may be restored before the next try.
    assert sorted(states(alice)) == ["dropped", "waiting"]
    outbox.send_due()
    assert (sorted(states(alice)), len(posted.posts)) == (["dropped", "sent"], 1)


def test_a_disabled_account_gets_nothing(alice: User, posted: Posted) -> None:
    make_webhook(alice)
    announce(alice)
    User.objects.filter(pk=alice.pk).update(status=User.DISABLED)
    outbox.send_due()
    assert (states(alice), posted.posts) == (["dropped"], [])


def test_what_waits_is_not_sent_after_an_account_was_disabled_for_a_while(
    alice: User, root: User, posted: Posted, at: MoveTo
) -> None:
    make_webhook(alice)
    posted.outcome = Outcome(sent=False, reason="timeout", again=True)
    announce(alice)
    outbox.send_due()
    for wanted in (User.DISABLED, User.ACTIVE):
        update(alice.pk, {"status": wanted}, Actor("root", root.pk))
    at(NOW + timedelta(hours=1))
    assert (outbox.send_due(), states(alice)) == (0, ["dropped"])


@pytest.mark.parametrize("keep_data", [True, False])
def test_they_end_with_the_account(keep_data: bool, alice: User, bob: User, root: User, posted: Posted) -> None:
    for account in (alice, bob):
        make_webhook(account)
        announce(account)
    remove_account(alice.pk, keep_data=keep_data, actor=Actor("root", root.pk))
    assert [one.user_id for one in Webhook.objects.all()] == [bob.pk]
    assert outbox.send_due() == 1
    assert (states(alice), states(bob)) == (["dropped"], ["sent"])


def test_one_that_cannot_be_read_is_left_out(alice: User, posted: Posted) -> None:
    make_webhook(alice)
    announce(alice)
    Webhook.objects.update(sealed="gAAAAA" + "x" * 60)
    outbox.send_due()
    assert (states(alice), posted.posts) == (["dropped"], [])


def test_quiet_hours_hold_none_back(alice: User, posted: Posted, at: MoveTo) -> None:
    choices.store(alice.pk, Choices(quiet_from="00:00", quiet_to="23:59"))
    make_webhook(alice)
    announce(alice)
    assert outbox.send_due() == 1


def test_an_account_without_webhooks_has_no_events(alice: User) -> None:
    announce(alice)
    assert not Notice.objects.exists()


def test_events_are_no_notices_and_are_not_audited(alice: User, posted: Posted) -> None:
    make_webhook(alice)
    announce(alice)
    outbox.send_due()
    assert sent.of_account(alice.pk) == []
    assert not Entry.objects.filter(action="notify").exists()


@pytest.mark.engine
def test_events_are_kept_for_a_week(alice: User, at: MoveTo) -> None:
    make_webhook(alice)
    announce(alice)
    at(NOW + sent.KEPT_OF_WEBHOOKS)
    sent.delete_old()
    assert Delivery.objects.count() == 1
    at(NOW + sent.KEPT_OF_WEBHOOKS + timedelta(seconds=1))
    sent.delete_old()
    assert (Notice.objects.count(), Delivery.objects.count()) == (0, 0)


def test_a_redirect_is_final_and_not_followed(alice: User) -> None:
    with receiving() as other:

        def redirect(handler: BaseHTTPRequestHandler) -> None:
            status(handler, 307, Location=other.url)

        with receiving(redirect) as receiver:
            make_webhook(alice, receiver.url)
            announce(alice)
            outbox.send_due()
    assert (states(alice), last(alice)[1:], other.bodies) == (["failed"], (307, "redirect"), [])


def test_a_host_that_became_private_is_not_asked(alice: User, settings: Any) -> None:
    with receiving() as receiver:
        make_webhook(alice, receiver.url)
        announce(alice)
        settings.NOTIFY_PRIVATE = False
        outbox.send_due()
    assert (states(alice), last(alice)[1:], receiver.bodies) == (["failed"], (None, "private"), [])


def test_the_sending_process_never_has_the_secret(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[str] = []
    seen: list[str] = []

    def ask(question: dict[str, Any]) -> dict[str, Any]:
        questions.append(str(question))
        return own_process.ask(question)

    monkeypatch.setattr(sending, "ask", ask)

    def look(handler: BaseHTTPRequestHandler) -> None:
        seen.extend(map(processes.words, psutil.Process().children()))
        status(handler, 200)

    with receiving(look) as receiver:
        _, secret = make_webhook(alice, f"{receiver.url}/marker-path")
        announce(alice)
        outbox.send_due()
    assert [text for text in seen if "accounts.delivery.sending.child" in text]
    assert [secret in text for text in questions] == [False]
    assert "marker-path" not in str(seen)
