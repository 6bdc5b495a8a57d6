"""Sends one notice to one address: docs/decisions.md#sending-notices."""

from dataclasses import dataclass

from django.conf import settings

from accounts.notices.sending.own_process import LateError, ask

REASONS = frozenset(
    ["address", "failed", "private", "redirect", "refused", "timeout", "too_long", "unreachable", "untrusted"]
)


@dataclass(frozen=True)
class Outcome:
    """How a notice went. A failure has a code of `REASONS`, and `again` where another try makes sense."""

    sent: bool
    reason: str = ""
    again: bool = False


def send(address: str, title: str, body: str, identity: str) -> Outcome:
    """Send a notice, within 15 seconds. `identity` is added to the body, so a notice that comes twice is recognised."""
    question = {"address": address, "title": title, "body": body, "id": identity}
    try:
        answer = ask({**question, "private_allowed": settings.NOTIFY_PRIVATE})
    except LateError:
        return Outcome(sent=False, reason="timeout", again=True)
    if answer.get("sent") is True:
        return Outcome(sent=True)
    if answer.get("reason") in REASONS:
        return Outcome(sent=False, reason=answer["reason"], again=answer.get("again") is True)
    return Outcome(sent=False, reason="failed", again=True)
