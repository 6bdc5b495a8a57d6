"""Sending what is to be sent: each delivery by one process at a time, with retries (docs/decisions/notices.md)."""

import logging
import time
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import Protocol

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import translation

from accounts.delivery import addresses, choices, limit_of_hour, to_webhook
from accounts.delivery.events import NEVER_QUIET, TESTS, TITLES
from accounts.delivery.limit_of_hour import HOUR
from accounts.delivery.sending.send import Outcome, send
from accounts.delivery.stored_webhooks import failing_places, is_place
from accounts.models import Delivery, Notice, User
from archive_site.lib import clock, stored_message
from archive_site.lib.storage.sql import fetch
from archive_site.lib.stored_message import Message
from audit.log import record

log = logging.getLogger(__name__)

# Sendings of the instance at once.
MOST_AT_ONCE = 2
# After each failed try; the last one gives up.
RETRIES = [timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360, 720)]
# Seconds that one task sends: the next one goes on.
PATIENCE = 40.0
# A process that took longer is dead.
CLAIMED_FOR = timedelta(minutes=2)
# A later time was noted under a clock that ran ahead.
_LATEST = timedelta(days=1)
ACTOR = "notices"


class Receiver(Protocol):
    """An address of an account, or a webhook; `id` recognises it without holding the address.

    `in_plain`: what the store may hold of it unencrypted.
    """

    @property
    def id(self) -> str: ...

    @property
    def in_plain(self) -> str: ...


def put(notice: Notice, part: Delivery.Part, receivers: Iterable[Receiver]) -> None:
    """Let a part of a notice be sent to these addresses, in the caller's transaction."""
    now = clock.now()
    Delivery.objects.bulk_create(
        Delivery(notice=notice, user_id=notice.user_id, part=part, address=one.id, shown=one.in_plain, next_at=now)
        for one in receivers
    )


def send_due() -> int:
    """Send what is due, the accounts in turn, for at most `PATIENCE` seconds; gives the number of tries."""
    until, sent = time.monotonic() + PATIENCE, 0
    # Each may take its whole time to fail, so the next task asks it again.
    failed: set[str] = set()
    while turn := list(_turn(failed)):
        for delivery in turn:
            if time.monotonic() > until or _enough_send():
                return sent
            if _claim(delivery):
                if not _deliver(delivery):
                    failed.add(delivery.address)
                sent += 1
    return sent


def waiting_number() -> int:
    """How many deliveries wait to be sent, now or later."""
    # As written in the condition of the index `delivery_waiting`.
    [(number,)] = fetch("SELECT COUNT(*) FROM accounts_delivery WHERE state = 'waiting'")
    return int(number)


def drop_waiting(user_id: int, receiver: Receiver | None = None) -> None:
    """Leave what waits unsent, all of an account that is gone or disabled or what is for a receiver that is gone."""
    waiting = Delivery.objects.filter(user_id=user_id, state=Delivery.State.WAITING)
    if receiver:
        waiting = waiting.filter(address=receiver.id)
    waiting.update(state=Delivery.State.DROPPED, done_at=clock.now())


def _due(now: datetime) -> QuerySet[Delivery]:
    """What may be sent now: that something is over only after that it began, also where the latter is tried again."""
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING)
    begin = waiting.filter(notice=OuterRef("notice"), address=OuterRef("address"), part=Delivery.Part.BEGIN)
    waiting = waiting.filter(Q(part=Delivery.Part.BEGIN) | ~Exists(begin))
    is_free = Q(claimed_at=None) | Q(claimed_at__lt=now - CLAIMED_FOR) | Q(claimed_at__gt=now + CLAIMED_FOR)
    return waiting.filter(is_free, Q(next_at__lte=now) | Q(next_at__gt=now + _LATEST))


def _turn(failed: Collection[str]) -> Iterator[Delivery]:
    """The next delivery of each account that may be sent to now, but not to the receivers that failed.

    What was tried least comes first, and after all else what is for a webhook whose last try failed.
    """
    now = clock.now()
    chosen: dict[int, int] = {}
    is_quiet = cache(lambda user_id: choices.of_account(user_id).is_quiet(now))
    # Thousands may be due, and their texts are not needed to choose.
    due = _due(now).exclude(address__in=failed).order_by("tries", "pk")
    last = failing_places()
    rows = due.values_list("address", "pk", "user_id", "notice__event")
    for address, pk, user_id, event in sorted(rows, key=lambda row: row[0] in last):
        if user_id not in chosen and (event in NEVER_QUIET or is_place(address) or not is_quiet(user_id)):
            chosen[user_id] = pk
    found = Delivery.objects.select_related("notice").in_bulk(list(chosen.values()))
    yield from (found[pk] for pk in chosen.values() if pk in found)


def _enough_send() -> bool:
    """Whether as many processes send as may: a receiver that hangs keeps each of them, and collections need workers."""
    now = clock.now()
    claimed = Delivery.objects.filter(state=Delivery.State.WAITING, claimed_at__range=(now - CLAIMED_FOR, now))
    return claimed.count() >= MOST_AT_ONCE


def _claim(delivery: Delivery) -> bool:
    """Whether this process may send it now: no other does, and the hour is not used up."""
    now = clock.now()
    with transaction.atomic():
        if not _due(now).filter(pk=delivery.pk).update(claimed_at=now, tries=F("tries") + 1):
            return False
    counted_with = limit_of_hour.count(delivery, now)
    if counted_with is None:
        return True
    next_hour = datetime.fromtimestamp((int(now.timestamp()) // HOUR + 1) * HOUR, now.tzinfo)
    Delivery.objects.filter(pk=delivery.pk).update(claimed_at=None, tries=F("tries") - 1, next_at=next_hour)
    counted_with.filter(claimed_at=None, next_at__lt=next_hour).update(next_at=next_hour)
    return False


def _is_to_webhook(delivery: Delivery) -> bool:
    return is_place(delivery.address)


def _deliver(delivery: Delivery) -> bool:
    """Try it once, and note how it went; whether its receiver did not fail."""
    owner = User.objects.filter(pk=delivery.user_id, status=User.ACTIVE).first()
    outcome = _tried(delivery, owner) if owner else None
    if outcome is None:
        _note(delivery, Delivery.State.DROPPED)
    elif not outcome.sent:
        _note_failure(delivery, outcome)
    elif _is_to_webhook(delivery):
        _note(delivery, Delivery.State.SENT)
    else:
        detail = Message("notice_sent", event=delivery.notice.event)
        with transaction.atomic():
            _note(delivery, Delivery.State.SENT)
            record("notify", actor=ACTOR, user_id=delivery.user_id, detail=detail)
    return outcome is None or outcome.sent


def _tried(delivery: Delivery, owner: User) -> Outcome | None:
    """Send it once; None where its address or webhook is gone."""
    language = owner.language or choices.of_account(owner.pk).language
    if _is_to_webhook(delivery):
        return to_webhook.send(delivery, language)
    receiver = next((one for one in addresses.usable(owner.pk) if one.id == delivery.address), None)
    if receiver is None:
        return None
    title, body = words(delivery.notice, delivery.part, language)
    return send(receiver.text, title, body, identity(delivery))


def _note_failure(delivery: Delivery, outcome: Outcome) -> None:
    tried = delivery.tries + 1
    # Somebody waits for a test, and repeats it rather than get it in the night.
    is_last = not outcome.again or tried > len(RETRIES) or delivery.notice.event in TESTS
    if is_last:
        what = "an event" if _is_to_webhook(delivery) else "a notice"
        log.warning("%s of account %s did not arrive: %s", what, delivery.user_id, outcome.reason)
        _note(delivery, Delivery.State.FAILED, outcome.reason, outcome.said)
        return
    Delivery.objects.filter(pk=delivery.pk).update(
        claimed_at=None, reason=outcome.reason, said=outcome.said, next_at=clock.now() + RETRIES[tried - 1]
    )


def _note(delivery: Delivery, state: Delivery.State, reason: str = "", said: str = "") -> None:
    Delivery.objects.filter(pk=delivery.pk).update(
        state=state, reason=reason, said=said, claimed_at=None, done_at=clock.now()
    )


def identity(delivery: Delivery) -> str:
    """What recognises a delivery that comes twice: the same for all tries."""
    return f"{delivery.notice.identity.hex[:12]}-{delivery.part}"


def words(notice: Notice, part: str, language: str) -> tuple[str, str]:
    """The title and the text of a part of a notice, in a language."""
    with translation.override(language):
        title, begin = str(TITLES[notice.event]), stored_message.text_of(notice.stored_begin)
        if part == Delivery.Part.BEGIN:
            return str(Message("notice_title", title=title)), begin
        # Several causes of an event may be open: what is over is said.
        begun = Message(
            "notice_told", when=(clock.local_text(notice.began_at) or "")[: len("2026-09-07 23:42")], text=begin
        )
        return str(Message("notice_title_over", title=title)), f"{stored_message.text_of(notice.stored_end)}\n{begun}"
