"""One try to send an event to its webhook (docs/webhooks.md#delivery)."""

from accounts.delivery import bodies, signing, stored_webhooks
from accounts.delivery.sending.send import Outcome, post
from accounts.models import Delivery, Webhook
from archive_site.lib import clock


def send(delivery: Delivery, language: str) -> Outcome | None:
    """Send an event, and note how it went beside its webhook; None where the webhook is gone or cannot be read."""
    webhook = stored_webhooks.at_place(delivery.user_id, delivery.address)
    receiver = stored_webhooks.receiver_of(webhook) if webhook else None
    if webhook is None or receiver is None:
        return None
    identity, body = bodies.of_delivery(delivery, language)
    headers = signing.headers(receiver.secret, body, identity, clock.now())
    outcome = post(receiver.address, headers, body)
    Webhook.objects.filter(pk=webhook.pk).update(tried_at=clock.now(), status=outcome.status, reason=outcome.reason)
    return outcome
