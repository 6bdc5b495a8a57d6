"""The secret of a webhook, and the headers that prove an event to its receiver (docs/webhooks.md#headers)."""

import hashlib
import hmac
import secrets
import string
from datetime import datetime

from django.conf import settings

PREFIX = "whs_"
# As many letters and digits are 238 random bits.
_RANDOM = 40
_LETTERS = string.digits + string.ascii_letters


def new_secret() -> str:
    return PREFIX + "".join(secrets.choice(_LETTERS) for _ in range(_RANDOM))


def headers(secret: str, body: str, event_id: str, now: datetime) -> dict[str, str]:
    """The headers of one try: the time and the signature are new at each, the id is that of the event."""
    sent = str(int(now.timestamp()))
    return {
        "Content-Type": "application/json",
        "User-Agent": f"usage-archive/{settings.VERSION}",
        "X-Event-Id": event_id,
        "X-Timestamp": sent,
        "X-Signature": f"sha256={_signature(secret, sent, body)}",
    }


def _signature(secret: str, sent: str, body: str) -> str:
    return hmac.new(secret.encode(), f"{sent}.{body}".encode(), hashlib.sha256).hexdigest()
