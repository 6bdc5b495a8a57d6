"""Creating, changing and deleting webhooks, with their audit entries (docs/api.md#webhooks)."""

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext

from accounts.actor import Actor
from accounts.delivery import outbox, stored_webhooks
from accounts.delivery.checking import place, why_refused
from accounts.delivery.events import COLLECTION, TO_WEBHOOKS
from accounts.delivery.sending.addresses import Address, AddressError, check_url
from accounts.delivery.signing import new_secret
from accounts.delivery.stored_webhooks import MOST, Receiver
from accounts.models import User, Webhook
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from audit import log
from audit.known_secrets import guard_in_request


def create(user: User, body: Mapping[str, object], actor: Actor) -> tuple[Webhook, str]:
    """Create a webhook from a request's body, with its audit entry: the webhook and its secret.

    Raises ApiError 400, 429, and 401 if the account was disabled or got another password meanwhile. The address is
    looked up, which takes seconds.
    """
    _require_room(user.pk)
    chosen = _events(body.get("events", [COLLECTION]))
    address, secret = _checked(user.pk, body.get("address")), new_secret()
    guard_in_request(secret)
    sealed = stored_webhooks.sealed(Receiver(address.text, secret))
    with transaction.atomic():
        # As with tokens. The lock also lets one request at a time count.
        in_force = User.objects.filter(status=User.ACTIVE, session_version=user.session_version)
        if not in_force.select_for_update().filter(pk=user.pk).first():
            raise ApiError(401, "unauthorized", gettext("Sign in first."))
        _require_room(user.pk)
        webhook = Webhook.objects.create(
            user_id=user.pk, sealed=sealed, shown=address.shown, created_at=clock.now(), **chosen
        )
        _record("webhook_create", webhook, actor)
    return webhook, secret


def change(user_id: int, webhook_id: int, body: Mapping[str, object], actor: Actor) -> bool:
    """Choose what a webhook is sent, with an audit entry; whether it exists. Raises ApiError 400."""
    chosen = _events(body.get("events"))
    with transaction.atomic():
        webhook = Webhook.objects.select_for_update().filter(user_id=user_id, pk=webhook_id).first()
        if webhook is None:
            return False
        Webhook.objects.filter(pk=webhook.pk).update(**chosen)
        _record("webhook_change", webhook, actor)
    return True


def delete(user_id: int, webhook_id: int, actor: Actor) -> Webhook | None:
    """Delete a webhook, with its audit entry, so that waiting events are not sent; None if it does not exist."""
    with transaction.atomic():
        webhook = Webhook.objects.select_for_update().filter(user_id=user_id, pk=webhook_id).first()
        if webhook is None:
            return None
        Webhook.objects.filter(pk=webhook.pk).delete()
        outbox.drop_waiting(user_id, stored_webhooks.place_of(webhook))
        _record("webhook_delete", webhook, actor)
    return webhook


def _require_room(user_id: int) -> None:
    if Webhook.objects.filter(user_id=user_id).count() >= MOST:
        words = gettext("An account can have at most %(most)s webhooks. Delete one first.")
        raise _refused(words % {"most": MOST})


def _events(given: object) -> dict[str, bool]:
    """The fields of a webhook that is sent events of these types."""
    if (
        not isinstance(given, list)
        or not given
        or not all(isinstance(event, str) and event in TO_WEBHOOKS for event in given)
    ):
        words = gettext("'events' must be a list of at least one of: %(names)s.")
        raise _refused(words % {"names": ", ".join(TO_WEBHOOKS)})
    return {name: event in given for event, name in TO_WEBHOOKS.items()}


def _checked(user_id: int, text: object) -> Address:
    if not isinstance(text, str) or not text.strip():
        raise _refused(gettext("A webhook needs an address."))
    guard_in_request(text)
    try:
        with place(user_id):
            return check_url(text)
    except AddressError as error:
        if error.reason in ("form", "scheme"):
            raise _refused(gettext("The address must begin with https:// or http:// and name a host.")) from None
        words = gettext("The address is refused: %(why)s")
        raise _refused(words % {"why": why_refused(error)}) from None


def _refused(words: str) -> ApiError:
    return ApiError(400, "bad_request", words)


def _record(action: str, webhook: Webhook, actor: Actor) -> None:
    detail = Message("webhook", id=webhook.pk)
    log.record(action, actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
