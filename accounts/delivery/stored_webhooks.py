"""The webhooks of an account, with address and secret encrypted as the addresses of notices are
(docs/decisions/notices.md#webhooks)."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit

from django.utils.crypto import salted_hmac

from accounts.credentials.instance_key import key_in_force
from accounts.delivery.events import TO_WEBHOOKS
from accounts.delivery.sending.appearance import with_host
from accounts.models import Webhook
from archive_site.lib.storage.encryption import Undecryptable, decrypt, encrypt

# Of an account.
MOST = 5
# How the names of webhooks in the outbox begin.
PLACE = "webhook "


@dataclass(frozen=True)
class Receiver:
    """Where a webhook's events go, and what signs them."""

    address: str = field(repr=False)
    secret: str = field(repr=False)


@dataclass(frozen=True)
class Place:
    """A webhook as the outbox names it; `id` recognises it without its address."""

    id: str
    in_plain: str
    sealed: str = field(repr=False)

    @property
    def shown(self) -> str:
        """Scheme and host; only the scheme where the address cannot be read."""
        receiver = _unsealed(self.sealed)
        return with_host(receiver.address) if receiver else self.in_plain


def of_account(user_id: int) -> list[Webhook]:
    """The webhooks of an account, the newest first."""
    return list(Webhook.objects.filter(user_id=user_id).order_by("-pk"))


def events_of(webhook: Webhook) -> list[str]:
    """The types of the events that a webhook is sent."""
    return [event for event, name in TO_WEBHOOKS.items() if getattr(webhook, name)]


def find(user_id: int, webhook_id: int) -> Webhook | None:
    return Webhook.objects.filter(user_id=user_id, pk=webhook_id).first()


def place_of(webhook: Webhook) -> Place:
    return Place(f"{PLACE}{webhook.identity.hex}", webhook.shown, webhook.sealed)


def places_of_notices(user_id: int) -> list[Place]:
    """The webhooks that are sent the account's notices, as far as they can be read."""
    chosen = Webhook.objects.filter(user_id=user_id, notices=True).order_by("pk")
    return [place_of(one) for one in chosen if receiver_of(one)]


def is_place(place_id: str) -> bool:
    """Whether the outbox names a webhook so, and no address of notices."""
    return place_id.startswith(PLACE)


def at_place(user_id: int, place_id: str) -> Webhook | None:
    """The webhook that the outbox names so; None where it was deleted."""
    return next((one for one in of_account(user_id) if place_of(one).id == place_id), None)


def host_of(user_id: int, place_id: str) -> tuple[str, list[str]]:
    """A keyed hash of the host of the webhook that the outbox names so, and all places of the account at that host."""
    hosts = {place_of(one).id: _host(one) for one in of_account(user_id)}
    host = hosts.get(place_id, "")
    hashed = salted_hmac("accounts.webhooks", host, algorithm="sha256").hexdigest()
    return hashed, [place for place, other in hosts.items() if other == host]


def failing_places() -> set[str]:
    """The webhooks of all accounts whose last try failed, as the outbox names them."""
    return {place_of(one).id for one in Webhook.objects.exclude(reason="")}


def sealed(receiver: Receiver) -> str:
    return encrypt(json.dumps(asdict(receiver)), key_in_force())


def receiver_of(webhook: Webhook) -> Receiver | None:
    """Address and secret; None where they were encrypted with another instance key."""
    return _unsealed(webhook.sealed)


def _unsealed(text: str) -> Receiver | None:
    try:
        return Receiver(**json.loads(decrypt(text, key_in_force())))
    except Undecryptable:
        return None


def _host(webhook: Webhook) -> str:
    """The host of the address; empty where that cannot be read."""
    receiver = receiver_of(webhook)
    # Addresses of earlier versions may have one that the standard library does not find.
    with suppress(ValueError):
        return (urlsplit(receiver.address).hostname or "").rstrip(".") if receiver else ""
    return ""
