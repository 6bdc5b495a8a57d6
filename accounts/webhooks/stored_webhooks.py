"""The webhooks of an account, with address and secret encrypted as the addresses of notices are
(docs/decisions/notices.md#webhooks)."""

import json
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit

from django.db.models import Count
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext

from accounts import api_types
from accounts.instance_key import key_in_force
from accounts.models import Delivery, Webhook
from accounts.notices.sending.appearance import with_host
from accounts.notices.told import reason_in_words
from archive_site.lib import clock
from archive_site.lib.storage.encryption import Undecryptable, decrypt, encrypt

# Of an account.
MOST = 5
_PLACE = "webhook "


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


def of_account(user_id: int) -> list[Webhook]:
    """The webhooks of an account, the newest first."""
    return list(Webhook.objects.filter(user_id=user_id).order_by("-pk"))


def find(user_id: int, webhook_id: int) -> Webhook | None:
    return Webhook.objects.filter(user_id=user_id, pk=webhook_id).first()


def place_of(webhook: Webhook) -> Place:
    return Place(f"{_PLACE}{webhook.identity.hex}", webhook.shown)


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
    try:
        return Receiver(**json.loads(decrypt(webhook.sealed, key_in_force())))
    except Undecryptable:
        return None


def _host(webhook: Webhook) -> str:
    """The host of the address; empty where that cannot be read, and nothing is sent."""
    receiver = receiver_of(webhook)
    return (urlsplit(receiver.address).hostname or "").rstrip(".") if receiver else ""


def listed(user_id: int) -> list[api_types.Webhook]:
    """The webhooks as the API shows them: of the address scheme and host, never the secret."""
    waiting = dict(
        Delivery.objects.filter(user_id=user_id, state=Delivery.State.WAITING, address__startswith=_PLACE)
        .values_list("address")
        .annotate(Count("pk"))
    )
    return [_payload(one, waiting.get(place_of(one).id, 0)) for one in of_account(user_id)]


def _payload(webhook: Webhook, waiting: int) -> api_types.Webhook:
    receiver = receiver_of(webhook)
    return api_types.Webhook(
        id=webhook.pk,
        address=with_host(receiver.address) if receiver else webhook.shown,
        broken=receiver is None,
        created_at=clock.local_text(webhook.created_at),
        waiting=waiting,
        last=_last(webhook) if webhook.tried_at else None,
    )


def _last(webhook: Webhook) -> api_types.WebhookTry:
    at = clock.local_text(webhook.tried_at) or ""
    how = reason_in_words(webhook.reason) or gettext("it was taken")
    if webhook.status is not None:
        how = gettext("%(how)s (status %(status)s)") % {"how": how, "status": webhook.status}
    words = gettext("%(at)s: %(how)s") % {"at": at[: len("2026-09-07 23:42")], "how": how}
    return api_types.WebhookTry(at, webhook.status, webhook.reason, words)
