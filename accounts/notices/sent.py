"""The notices that were sent to an account, newest first, and whether they arrived (docs/api.md#notices)."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from django.db.models import Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.api_types import SentDelivery, SentNotice
from accounts.delivery.events import OF_WEBHOOKS, TITLES
from accounts.delivery.reasons import reason_in_words
from accounts.models import Delivery, Notice
from accounts.notices import receivers
from archive_site.lib import clock, stored_message
from archive_site.lib.storage.deletion import delete_in_parts
from archive_site.lib.stored_message import Message

MOST = 200
_CALL, _CALL_WITH_PROMPT = "notice_summary_call", "notice_summary_call_prompt"
# What a spike says without its dearest call.
_SPIKES: dict[str, Callable[[dict[str, Any]], Message]] = {
    "notice_spike_day": lambda facts: Message("notice_spike_day_of_models", **facts),
    "notice_spike_hour": lambda facts: Message("notice_spike_hour_of_models", **facts),
}

# Ended notices are kept this long, and the events of webhooks, whose tries last a day.
KEPT = timedelta(days=400)
KEPT_OF_WEBHOOKS = timedelta(days=7)


def delete_old() -> int:
    """Delete notices that ended long ago, with their deliveries, in parts; gives their number."""
    now = clock.now()
    old = Notice.objects.filter(ended_at__lt=now - KEPT)
    of_webhooks = Notice.objects.filter(event__in=OF_WEBHOOKS, ended_at__lt=now - KEPT_OF_WEBHOOKS)
    return sum(delete_in_parts(old)) + sum(delete_in_parts(of_webhooks))


def forget_prompts(user_id: int, before: str = "") -> None:
    """Leave the prompts out of the notices of an account, of those that wait to be sent, too; with `before`, an ISO
    day, those of calls before it."""
    with_prompts = Notice.objects.filter(user_id=user_id, stored_begin__contains=_CALL_WITH_PROMPT)
    _rewrite(with_prompts, partial(_without_prompts, before=before))


def _rewrite(notices: QuerySet[Notice], change: Callable[[Any], Any]) -> None:
    """Store what a change makes of the data of each notice."""
    for notice in notices:
        found = stored_message.read(notice.stored_begin)
        if found:
            text = stored_message.of_data(change(found.as_data())).stored()
            Notice.objects.filter(pk=notice.pk).update(stored_begin=text)


def _without_prompts(data: Any, before: str) -> Any:
    """The data of a message without prompts, and of those within; `before` as above."""
    if isinstance(data, list):
        return [_without_prompts(one, before) for one in data]
    if not isinstance(data, dict):
        return data
    values = {name: _without_prompts(value, before) for name, value in data.items()}
    if values["code"] == _CALL_WITH_PROMPT and (not before or values["when"] < before):
        del values["prompt"]
        values["code"] = _CALL
    return values


def forget_calls(user_id: int, before: str) -> None:
    """Leave single calls before an ISO day out of the notices of an account."""
    of_calls = Q(stored_begin__contains=_CALL) | Q(stored_begin__contains="notice_spike")
    _rewrite(Notice.objects.filter(of_calls, user_id=user_id), partial(_without_calls, before=before))


def _without_calls(data: Any, before: str) -> Any:
    """The data of a message without single calls before a day, and of those within."""
    if isinstance(data, list):
        return [_without_calls(one, before) for one in data if not _is_call_before(one, before)]
    if not isinstance(data, dict):
        return data
    values = {name: _without_calls(value, before) for name, value in data.items()}
    if values["code"] == "notice_summary" and not values["dearest"]:
        del values["dearest"]
        values["code"] = "notice_summary_of_models"
    elif values["code"] in _SPIKES and values["day"] < before:
        facts = {name: value for name, value in values.items() if name not in ("code", "dearest", "when")}
        values = _SPIKES[values["code"]](facts).as_data()
    return values


def _is_call_before(data: Any, before: str) -> bool:
    return isinstance(data, dict) and data["code"] in (_CALL, _CALL_WITH_PROMPT) and data["when"] < before


def of_account(user_id: int) -> list[SentNotice]:
    """The newest notices of an account, each with its deliveries."""
    notices = Notice.objects.filter(user_id=user_id).exclude(event__in=OF_WEBHOOKS).order_by("-pk")[:MOST]
    notices = notices.prefetch_related(Prefetch("deliveries", Delivery.objects.order_by("pk")))
    # Names and hosts are in the encrypted addresses alone.
    shown = receivers.names(user_id)
    return [_payload(one, shown) for one in notices]


def _payload(notice: Notice, shown: Mapping[str, str]) -> SentNotice:
    return SentNotice(
        id=notice.pk,
        event=notice.event,
        title=str(TITLES[notice.event]),
        text=stored_message.text_of(notice.stored_begin),
        began_at=clock.local_text(notice.began_at),
        ended_at=clock.local_text(notice.ended_at),
        end_text=stored_message.text_of(notice.stored_end),
        deliveries=[_delivery(one, shown) for one in notice.deliveries.all()],
    )


def _delivery(delivery: Delivery, shown: Mapping[str, str]) -> SentDelivery:
    return SentDelivery(
        part=delivery.part,
        address=shown.get(delivery.address, delivery.shown),
        state=delivery.state,
        reason=delivery.reason,
        said=delivery.said,
        tries=delivery.tries,
        done_at=clock.local_text(delivery.done_at),
        words=_words(delivery),
    )


def _words(delivery: Delivery) -> str:
    """How it went, for people."""
    why = reason_in_words(delivery.reason)
    if delivery.said:
        why = _("%(why)s (%(said)s)") % {"why": why, "said": delivery.said}
    if delivery.state == Delivery.State.WAITING:
        again = _("waits to be sent again: %(why)s") % {"why": why}
        return again if delivery.tries and why else _("waits to be sent")
    if delivery.state == Delivery.State.SENT:
        return _("arrived at %(at)s") % {"at": (clock.local_text(delivery.done_at) or "")[: len("2026-09-07 23:42")]}
    if delivery.state == Delivery.State.FAILED:
        return _("did not arrive: %(why)s") % {"why": why}
    return _("was not sent: the address was removed, or a backup was restored")
