"""The events of webhooks, put into the outbox of the notices (docs/webhooks.md#events)."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext
from django_q.tasks import async_task

from accounts.delivery import outbox, stored_webhooks
from accounts.delivery.bodies import Event, body
from accounts.delivery.events import WEBHOOK, WEBHOOK_TEST
from accounts.delivery.limit_of_tests import require_room
from accounts.models import Delivery, Notice, Webhook
from accounts.tasks import SEND
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage.transaction_locks import take_lock


def announce(user_id: int, kind: str, content: Mapping[str, Any]) -> None:
    """Let an event of a collection be sent to the webhooks that are for them, in the caller's transaction."""
    if receivers := [one for one in stored_webhooks.of_account(user_id) if one.collections]:
        _put(user_id, WEBHOOK, kind, content, receivers)


def send_test(user_id: int, webhook_id: int) -> str:
    """Let a test be sent to a webhook; gives the id of the event. Raises ApiError 404 and 429."""
    webhook = stored_webhooks.find(user_id, webhook_id)
    if webhook is None:
        raise ApiError(404, None, gettext("There is no such webhook."))
    with transaction.atomic():
        take_lock(f"notices {user_id}")
        # Of the account, so that a webhook that is made anew gets no more.
        tests = Delivery.objects.filter(notice__user_id=user_id, notice__event=WEBHOOK_TEST)
        require_room(tests, 1, stored_webhooks.place_of(webhook).id)
        event = _put(user_id, WEBHOOK_TEST, "test", {}, [webhook])
    # Somebody waits for it.
    async_task(SEND)
    return str(event.identity)


def _put(user_id: int, event: str, kind: str, content: Mapping[str, Any], receivers: Sequence[Webhook]) -> Notice:
    identity, now = uuid.uuid4(), clock.now()
    notice = Notice.objects.create(
        identity=identity,
        user_id=user_id,
        event=event,
        cause=str(identity),
        stored_begin=body(Event(kind, str(identity), user_id, now), content),
        began_at=now,
        ended_at=now,
    )
    outbox.put(notice, Delivery.Part.BEGIN, map(stored_webhooks.place_of, receivers))
    return notice
