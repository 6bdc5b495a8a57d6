"""JSON views of webhooks, for sessions alone (docs/api.md#webhooks)."""

from typing import Annotated

from django.utils.translation import gettext
from msgspec import UNSET, Meta, UnsetType

from accounts.actor import actor_of
from accounts.api_types import REAUTHENTICATE, Webhook, WebhookEvents
from accounts.signin.reauthentication import recent_password_required
from accounts.webhooks import changes, listed, sent_events
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Done, Given, Items, about
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import ACCOUNTS, described
from archive_site.lib.http.json_views import body_of

_NONE = {"404": "There is no such webhook."}


class NewWebhook(Given, frozen=True):
    address: Annotated[str, Meta(description="of a receiver, with `https://` or `http://`", max_length=1000)]
    events: Annotated[WebhookEvents, about("what it is sent, `collection` alone without them")] | UnsetType = UNSET


class ChangedWebhook(Given, frozen=True):
    events: Annotated[WebhookEvents, about("what it is sent from now on")]


class CreatedWebhook(Done, frozen=True):
    id: int
    secret: Annotated[str, about("signs its events, and is in no other answer")]


class WebhookTest(Done, frozen=True):
    event: Annotated[str, Meta(description="the id of the event", extra_json_schema={"format": "uuid"})]


@described(ACCOUNTS, "Webhooks", "The webhooks of the account, the newest first", answer=Items[Webhook])
def own_webhooks(request: AccountRequest) -> Items[Webhook]:
    return Items(listed.of_account(request.user.pk))


@described(
    ACCOUNTS,
    "Webhooks",
    "Create a webhook",
    body=NewWebhook,
    errors={
        "400 bad_request": "The address is not accepted, or there are 5 webhooks.",
        **REAUTHENTICATE,
        "429 too_frequent": "Other addresses are being checked.",
    },
)
@recent_password_required
def create_webhook(request: AccountRequest) -> CreatedWebhook:
    """POST /api/webhooks: the only answer that ever holds the secret. Raises ApiError 400, 401 and 429."""
    webhook, secret = changes.create(request.user, body_of(request), actor_of(request))
    words = gettext("The webhook is created. Its secret is shown only once.")
    return CreatedWebhook(True, words, webhook.pk, secret)


@described(
    ACCOUNTS,
    "Webhooks",
    "Choose what a webhook is sent",
    body=ChangedWebhook,
    errors={"400 bad_request": "It is sent nothing, or an event is not known.", **_NONE, **REAUTHENTICATE},
)
@recent_password_required
def change_webhook(request: AccountRequest, webhook_id: int) -> Done:
    """POST /api/webhooks/<id>: what is sent from now on. Raises ApiError 400 and 404."""
    if not changes.change(request.user.pk, webhook_id, body_of(request), actor_of(request)):
        raise ApiError(404, None, gettext("There is no such webhook."))
    return Done(True, gettext("The webhook is saved."))


@described(ACCOUNTS, "Webhooks", "Delete a webhook", errors={**_NONE, **REAUTHENTICATE})
@recent_password_required
def delete_webhook(request: AccountRequest, webhook_id: int) -> Done:
    """POST /api/webhooks/<id>/delete: also ends what waits for it. Raises ApiError 404."""
    if changes.delete(request.user.pk, webhook_id, actor_of(request)) is None:
        raise ApiError(404, None, gettext("There is no such webhook."))
    return Done(True, gettext("The webhook is deleted."))


@described(
    ACCOUNTS,
    "Webhooks",
    "Send a test event",
    errors={**_NONE, "429 too_frequent": "Three tests of it wait to be sent, or those of the hour are used up."},
)
def test_webhook(request: AccountRequest, webhook_id: int) -> WebhookTest:
    """POST /api/webhooks/<id>/test: a worker sends it. Raises ApiError 404 and 429."""
    event = sent_events.send_test(request.user.pk, webhook_id)
    return WebhookTest(True, gettext("The test is on its way."), event)
