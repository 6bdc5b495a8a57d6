"""The bodies of events, and what a notice is to a webhook (docs/webhooks.md#events)."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import translation

from accounts.delivery.events import NOTICE, OF_WEBHOOKS, TITLES
from accounts.models import Delivery, Notice, Store
from archive_site.lib import clock, stored_message

VERSION = 1


@dataclass(frozen=True)
class Event:
    """What each event has; `at` is when it happened."""

    kind: str
    id: str
    user_id: int
    at: datetime


def body(event: Event, content: Mapping[str, Any]) -> str:
    """The body of an event, as it is signed and sent."""
    fields = {
        "version": VERSION,
        "type": event.kind,
        "id": event.id,
        "timestamp": clock.offset_text(event.at),
        "account": event.user_id,
        "instance": str(Store.objects.values_list("store_id", flat=True).first() or ""),
        **content,
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def of_delivery(delivery: Delivery, language: str) -> tuple[str, str]:
    """The id and the body of what a webhook is sent; of a notice in words of the account's language."""
    notice = delivery.notice
    if notice.event in OF_WEBHOOKS:
        return str(notice.identity), notice.stored_begin
    # Begin and end are two events; each has one id in all tries and for all webhooks.
    identity = str(uuid.uuid5(notice.identity, delivery.part))
    is_end = delivery.part == Delivery.Part.END
    at = notice.ended_at if is_end and notice.ended_at else notice.began_at
    with translation.override(language):
        content = {"notice": _content(notice, is_end=is_end)}
    return identity, body(Event(NOTICE, identity, notice.user_id, at), content)


def _content(notice: Notice, *, is_end: bool) -> dict[str, Any]:
    stored = notice.stored_end if is_end else notice.stored_begin
    return {
        "id": notice.pk,
        "event": notice.event,
        "part": Delivery.Part.END if is_end else Delivery.Part.BEGIN,
        "title": str(TITLES[notice.event]),
        "text": stored_message.text_of(stored),
        "began_at": clock.offset_text(notice.began_at),
        "ended_at": clock.offset_text(notice.ended_at) if is_end and notice.ended_at else None,
    }
