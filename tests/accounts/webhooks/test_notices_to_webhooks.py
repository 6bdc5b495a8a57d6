"""Notices go to the webhooks that an account chose for them, signed as other events are (docs/webhooks.md#notices)."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.actor import Actor
from accounts.delivery import addresses, choices, limit_of_hour, outbox
from accounts.delivery.addresses import StoredAddress
from accounts.delivery.choices import Choices
from accounts.delivery.sending.send import Outcome
from accounts.models import Delivery, User, Webhook
from accounts.notices import sent
from accounts.notices.beginning_and_end import Cause, Found, settle
from accounts.webhooks import changes
from archive_site.lib.stored_message import Message
from tests.accounts.page_forms import answer_of
from tests.accounts.webhooks.conftest import NOW
from tests.accounts.webhooks.hooks import NOWHERE, Posted, announce, is_signed, make_webhook, states
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db
MoveTo = Callable[[datetime], None]
REFUSED = Cause("cookie_refused", "cookie", Message("notice_cookie_refused"))


def look(user: User, *causes: Cause) -> None:
    settle(user.pk, Found(causes, {"cookie_refused"}))


def notified_webhook(user: User, address: str = NOWHERE) -> tuple[Webhook, str]:
    """A webhook that is sent notices alone, and its secret."""
    webhook, secret = make_webhook(user, address)
    Webhook.objects.filter(pk=webhook.pk).update(collections=False, notices=True)
    return webhook, secret


@pytest.mark.engine
def test_begin_and_end_are_two_signed_events_of_one_notice(alice: User, posted: Posted, at: MoveTo) -> None:
    _, secret = notified_webhook(alice)
    look(alice, REFUSED)
    outbox.send_due()
    at(NOW + timedelta(hours=1))
    look(alice)
    outbox.send_due()
    (_, _, begin), (_, _, end) = posted.posts
    assert all(is_signed(headers, body, secret) for _, headers, body in posted.posts)
    first, second = json.loads(begin), json.loads(end)
    assert list(first) == ["version", "type", "id", "timestamp", "account", "instance", "notice"]
    assert (first["type"], first["account"], datetime.fromisoformat(first["timestamp"])) == ("notice", alice.pk, NOW)
    assert first["notice"] == {
        "id": sent.of_account(alice.pk)[0].id, "event": "cookie_refused", "part": "begin",
        "title": "The cookie is refused",
        "text": "CodeBuddy refuses the cookie. Nothing is collected until a new one is pasted.",
        "began_at": first["timestamp"], "ended_at": None,
    }  # fmt: skip
    assert posted.ids == [first["id"], second["id"]]
    assert len(set(posted.ids)) == 2
    assert datetime.fromisoformat(second["timestamp"]) == NOW + timedelta(hours=1)
    assert second["notice"] | {"text": ""} == first["notice"] | {
        "part": "end", "text": "", "ended_at": second["timestamp"],
    }  # fmt: skip
    assert second["notice"]["text"] == "The cookie was replaced or removed."


def test_all_tries_and_webhooks_have_one_id_and_body(alice: User, posted: Posted, at: MoveTo) -> None:
    notified_webhook(alice)
    notified_webhook(alice, f"{NOWHERE}?other")
    posted.outcome = Outcome(sent=False, reason="failed", again=True, status=503)
    look(alice, REFUSED)
    outbox.send_due()
    at(NOW + timedelta(minutes=1))
    outbox.send_due()
    assert len(posted.posts) == 4
    assert len(set(posted.ids)) == len({body for _, _, body in posted.posts}) == 1


def test_each_webhook_gets_what_it_is_for(alice: User, posted: Posted, at: MoveTo) -> None:
    make_webhook(alice, f"{NOWHERE}?collections")
    notified_webhook(alice, f"{NOWHERE}?notices")
    look(alice, REFUSED)
    announce(alice)
    outbox.send_due()
    by_query = {url.rpartition("?")[2]: json.loads(body)["type"] for url, _, body in posted.posts}
    assert by_query == {"collections": "collection", "notices": "notice"}
    assert len(posted.posts) == 2


def test_the_text_is_in_the_language_of_the_account(alice: User, posted: Posted, at: MoveTo) -> None:
    User.objects.filter(pk=alice.pk).update(language="zh-hans")
    notified_webhook(alice)
    look(alice, REFUSED)
    outbox.send_due()
    assert "Cookie" in json.loads(posted.posts[0][2])["notice"]["title"]
    assert "refused" not in posted.posts[0][2].replace("cookie_refused", "")


def test_what_is_switched_off_goes_to_no_webhook(alice: User, posted: Posted, at: MoveTo) -> None:
    choices.store(alice.pk, Choices(off=frozenset({"cookie_refused"})))
    notified_webhook(alice)
    look(alice, REFUSED)
    assert states(alice) == []


def test_quiet_hours_hold_back_the_address_and_not_the_webhook(alice: User, posted: Posted, at: MoveTo) -> None:
    choices.store(alice.pk, Choices(quiet_from="00:00", quiet_to="23:59"))
    addresses.replace(alice.pk, [StoredAddress("json://one", "json://…")])
    notified_webhook(alice)
    look(alice, REFUSED)
    assert outbox.send_due() == 1
    assert sorted(states(alice)) == ["sent", "waiting"]


def test_the_end_goes_where_the_begin_went(alice: User, posted: Posted, at: MoveTo) -> None:
    notified_webhook(alice)
    look(alice, REFUSED)
    later, _ = notified_webhook(alice, f"{NOWHERE}?later")
    look(alice)
    assert {one.address for one in Delivery.objects.all()}.isdisjoint({f"webhook {later.identity.hex}"})
    assert Delivery.objects.count() == 2


def test_the_page_lists_whether_it_arrived(alice: User, posted: Posted, at: MoveTo) -> None:
    notified_webhook(alice)
    look(alice, REFUSED)
    posted.outcome = Outcome(sent=False, reason="refused", status=404)
    outbox.send_due()
    (delivery,) = sent.of_account(alice.pk)[0].deliveries
    assert (delivery.address, delivery.state) == ("http://127.0.0.1:9/…", "failed")


def test_a_deleted_webhook_gets_no_notice_that_waited(alice: User, posted: Posted, at: MoveTo) -> None:
    webhook, _ = notified_webhook(alice)
    look(alice, REFUSED)
    changes.delete(alice.pk, webhook.pk, Actor("alice", alice.pk))
    outbox.send_due()
    assert (states(alice), posted.posts) == (["dropped"], [])


def test_one_that_cannot_be_read_is_left_out(alice: User, at: MoveTo) -> None:
    notified_webhook(alice)
    Webhook.objects.update(sealed="gAAAAA" + "x" * 60)
    look(alice, REFUSED)
    assert states(alice) == []


@pytest.mark.engine
def test_notices_to_webhooks_use_up_nothing_of_the_addresses(alice: User, posted: Posted, at: MoveTo) -> None:
    notified_webhook(alice)
    for _ in range(limit_of_hour.MOST_IN_HOUR):
        look(alice, REFUSED)
        look(alice)
    while outbox.send_due():
        pass
    assert states(alice).count("sent") == limit_of_hour.MOST_IN_HOUR
    addresses.replace(alice.pk, [StoredAddress("json://one", "json://…")])
    look(alice, REFUSED)
    own = Delivery.objects.exclude(address__startswith="webhook ").get()
    assert limit_of_hour.count(own, NOW) is None


def test_notices_of_another_account_go_elsewhere(alice: User, bob: User, posted: Posted, at: MoveTo) -> None:
    notified_webhook(alice)
    look(bob, REFUSED)
    assert states(alice) == states(bob) == []


def test_what_a_webhook_gets_is_chosen_and_changed(api: ApiClient, alice: User, at: MoveTo) -> None:
    made = answer_of(api.post("/api/webhooks", {"address": NOWHERE, "events": ["notice"]}))
    assert listed(api)["events"] == ["notice"]
    assert api.post(f"/api/webhooks/{made['id']}", {"events": ["notice", "collection"]}).status_code == 200
    assert listed(api)["events"] == ["collection", "notice"]
    actions = [item["action"] for item in answer_of(api.get("/api/audit"))["items"]]
    assert actions[:2] == ["webhook_change", "webhook_create"]


def test_without_a_choice_it_gets_collections_as_before(api: ApiClient, alice: User) -> None:
    created = api.post("/api/webhooks", {"address": NOWHERE})
    assert created.status_code == 200, created.content
    make_webhook(alice)
    assert [one["events"] for one in answer_of(api.get("/api/webhooks"))["items"]] == [["collection"]] * 2


@pytest.mark.parametrize("events", [None, [], {}, "notice", ["unknown"], ["notice", 3], [["notice"]], 1])
def test_what_is_no_choice_is_refused(events: Any, api: ApiClient, alice: User) -> None:
    webhook, _ = make_webhook(alice)
    refused = [
        api.post("/api/webhooks", {"address": NOWHERE, "events": events}),
        api.post(f"/api/webhooks/{webhook.pk}", {"events": events}),
    ]
    assert [response.status_code for response in refused] == [400, 400]
    assert "'events'" in answer_of(refused[1])["message"]
    assert Webhook.objects.get().notices is False


def listed(api: ApiClient) -> Any:
    return answer_of(api.get("/api/webhooks"))["items"][0]
