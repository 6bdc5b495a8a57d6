"""Sends one notice to one address, or one event to a webhook: docs/decisions.md#sending-notices."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from accounts.notices.sending.own_process import LateError, ask

REASONS = frozenset(
    ["address", "failed", "private", "redirect", "refused", "timeout", "too_long", "unreachable", "untrusted"]
)


@dataclass(frozen=True)
class Outcome:
    """How a notice or event went. A failure has a code of `REASONS`, and `again` where another try makes sense.

    `status`: of the answer to an event, None where there was none.
    """

    sent: bool
    reason: str = ""
    again: bool = False
    status: int | None = None


def send(address: str, title: str, body: str, identity: str) -> Outcome:
    """Send a notice, within 15 seconds. `identity` is added to the body, so a notice that comes twice is recognised."""
    return _asked({"address": address, "title": title, "body": body, "id": identity})


def post(url: str, headers: Mapping[str, str], body: str) -> Outcome:
    """Send a body to an address, within 15 seconds."""
    return _asked({"url": url, "headers": dict(headers), "body": body})


def _asked(question: dict[str, Any]) -> Outcome:
    try:
        answer = ask({**question, "private_allowed": settings.NOTIFY_PRIVATE})
    except LateError:
        return Outcome(sent=False, reason="timeout", again=True)
    status = answer.get("status")
    if answer.get("sent") is True:
        return Outcome(sent=True, status=status)
    if answer.get("reason") in REASONS:
        return Outcome(sent=False, reason=answer["reason"], again=answer.get("again") is True, status=status)
    return Outcome(sent=False, reason="failed", again=True)
