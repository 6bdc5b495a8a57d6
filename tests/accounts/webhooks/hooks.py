"""What tests of webhooks use: webhooks of accounts, events for them, and what a receiver checks."""

import hashlib
import hmac
from typing import Any

from accounts.delivery import stored_webhooks
from accounts.delivery.sending.send import Outcome
from accounts.delivery.signing import new_secret
from accounts.delivery.stored_webhooks import Receiver
from accounts.models import Delivery, User, Webhook
from accounts.webhooks import sent_events

NOWHERE = "http://127.0.0.1:9/marker-path"


class Posted:
    """Posting that ends as the tests set it; keeps what was posted."""

    def __init__(self) -> None:
        self.outcome = Outcome(sent=True, status=200)
        # By address, where one goes otherwise.
        self.outcomes: dict[str, Outcome] = {}
        self.posts: list[tuple[str, dict[str, str], str]] = []

    def __call__(self, url: str, headers: dict[str, str], body: str) -> Outcome:
        self.posts.append((url, headers, body))
        return self.outcomes.get(url, self.outcome)

    @property
    def ids(self) -> list[str]:
        return [headers["X-Event-Id"] for _, headers, _ in self.posts]

    @property
    def addresses(self) -> list[str]:
        return [url for url, _, _ in self.posts]


def make_webhook(user: User, address: str = NOWHERE) -> tuple[Webhook, str]:
    """A webhook and its secret, as `changes.create` makes it."""
    secret = new_secret()
    sealed = stored_webhooks.sealed(Receiver(address, secret))
    return Webhook.objects.create(user_id=user.pk, sealed=sealed, shown="http://…"), secret


def announce(user: User, number: int = 1) -> None:
    for run in range(1, number + 1):
        sent_events.announce(user.pk, "collection", {"run": {"id": run}})


def states(user: User) -> list[str]:
    return list(Delivery.objects.filter(user_id=user.pk).order_by("pk").values_list("state", flat=True))


def is_signed(headers: Any, body: str, secret: str) -> bool:
    """Whether the signature is that of docs/webhooks.md, computed apart from the code."""
    due = hmac.digest(secret.encode(), f"{headers['X-Timestamp']}.{body}".encode(), hashlib.sha256).hex()
    return bool(headers["X-Signature"] == f"sha256={due}")
