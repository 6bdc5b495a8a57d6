"""Sends one notice to one address, or one event to a webhook: docs/decisions/notices.md#sending-notices."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from accounts.delivery.sending.mailboxes import as_sent, mailbox_of
from accounts.delivery.sending.own_process import LateError, ask

REASONS = frozenset(
    ["address", "failed", "mail", "private", "redirect", "refused", "timeout", "too_long", "unreachable", "untrusted"]
)


@dataclass(frozen=True)
class Outcome:
    """How a notice or event went. A failure has a code of `REASONS`, and `again` where another try makes sense.

    `said`: why the service refused it, in its words, without secrets; empty where it did not say.
    `status`: of the answer to an event, None where there was none.
    """

    sent: bool
    reason: str = ""
    again: bool = False
    status: int | None = None
    said: str = ""


def send(address: str, title: str, body: str, identity: str) -> Outcome:
    """Send a notice, within 15 seconds. `identity` is added to the body, so a notice that comes twice is recognised."""
    question = {"address": address, "title": title, "body": body, "id": identity}
    mailbox = mailbox_of(address)
    if mailbox is None:
        return _asked(question, private_allowed=settings.NOTIFY_PRIVATE)
    if settings.NOTIFY_MAIL is None:
        return Outcome(sent=False, reason="mail", again=True)
    # The administrator chose the mail server, so it may be on a private host.
    return _asked({**question, "address": settings.NOTIFY_MAIL, "mailbox": as_sent(mailbox)}, private_allowed=True)


def post(url: str, headers: Mapping[str, str], body: str) -> Outcome:
    """Send a body to an address, within 15 seconds."""
    question = {"url": url, "headers": dict(headers), "body": body}
    return _asked(question, private_allowed=settings.NOTIFY_PRIVATE)


def _asked(question: dict[str, Any], *, private_allowed: bool) -> Outcome:
    try:
        answer = ask({**question, "private_allowed": private_allowed})
    except LateError:
        return Outcome(sent=False, reason="timeout", again=True)
    status = answer.get("status")
    if answer.get("sent") is True:
        return Outcome(sent=True, status=status)
    if answer.get("reason") in REASONS:
        again, said = answer.get("again") is True, str(answer.get("said", ""))
        return Outcome(sent=False, reason=answer["reason"], again=again, status=status, said=said)
    return Outcome(sent=False, reason="failed", again=True)
