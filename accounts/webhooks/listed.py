"""The webhooks of an account as the API and the page show them (docs/api.md#webhooks)."""

from django.db.models import Count
from django.utils.translation import gettext

from accounts import api_types
from accounts.delivery import stored_webhooks
from accounts.delivery.reasons import reason_in_words
from accounts.models import Delivery, Webhook
from archive_site.lib import clock


def of_account(user_id: int) -> list[api_types.Webhook]:
    """The webhooks as the API shows them: of the address scheme and host, never the secret."""
    waiting = dict(
        Delivery.objects.filter(
            user_id=user_id, state=Delivery.State.WAITING, address__startswith=stored_webhooks.PLACE
        )
        .values_list("address")
        .annotate(Count("pk"))
    )
    return [
        _payload(one, waiting.get(stored_webhooks.place_of(one).id, 0)) for one in stored_webhooks.of_account(user_id)
    ]


def _payload(webhook: Webhook, waiting: int) -> api_types.Webhook:
    return api_types.Webhook(
        id=webhook.pk,
        address=stored_webhooks.place_of(webhook).shown,
        events=stored_webhooks.events_of(webhook),
        broken=stored_webhooks.receiver_of(webhook) is None,
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
