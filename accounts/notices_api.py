"""JSON views of notices (docs/api.md#notices)."""

from django.utils.translation import gettext

from accounts.api import actor_of
from accounts.api_schemas import CHANGED_NOTICES, NOTICES, REAUTHENTICATE, SENT_NOTICE, STORED_NOTICES
from accounts.notices import addresses, changes, choices, told
from accounts.notices.events import SUMMARIES, events_of
from accounts.reauthentication import require_recent_password
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.described import ACCOUNTS, described
from archive_site.lib.http.json_views import Body, body_of
from archive_site.lib.http.parameters import as_text
from archive_site.lib.http.schemas import done, list_of, object_of, text, whole
from archive_site.lib.stored_message import Message
from audit.log import record


@described(ACCOUNTS, "Notices", "What the account is told of, and when", answer=NOTICES)
def read_notices(request: AccountRequest) -> Body:
    """GET /api/notices: what the caller is told of and when; of an address, only its name or host."""
    user = request.user
    chosen, stored = choices.of_account(user.pk), addresses.usable(user.pk)
    return {
        "addresses": [one.shown for one in stored],
        "address_ids": [one.id for one in stored],
        "address_names": [one.name for one in stored],
        "addresses_broken": addresses.are_broken(user.pk),
        "events": {event: event not in chosen.off for event in events_of(is_admin=user.is_admin)},
        "quiet_from": chosen.quiet_from,
        "quiet_to": chosen.quiet_to,
        "summaries": {period: period in chosen.summaries for period in SUMMARIES},
        "summary_prompts": chosen.with_prompts,
    }


@described(
    ACCOUNTS,
    "Notices",
    "Change what the account is told of; keys that are left out stay",
    body=CHANGED_NOTICES,
    answer=STORED_NOTICES,
    errors={
        "400 bad_request": "A value or an address is not accepted; nothing is changed.",
        **REAUTHENTICATE,
        "429 too_frequent": "Other addresses are being checked.",
    },
)
def write_notices(request: AccountRequest) -> Body:
    """POST /api/notices: keys that are left out stay as they are. Raises ApiError 400, 403 and 429."""
    body = body_of(request)
    if body.keys() & set(changes.OF_ADDRESSES):
        require_recent_password(request)
    changed = changes.store(request.user, body)
    if changed:
        actor = actor_of(request)
        detail = Message("notices_changed", keys=changed)
        record("notify", actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
    return {"ok": True, "message": gettext("The notices are saved."), **read_notices(request)}


@described(
    ACCOUNTS,
    "Notices",
    "Send a test",
    body=object_of({"id?": text("of an address; all without it")}),
    answer=done({"id": whole("of the notice")}),
    errors={
        "404": "There is no such address.",
        "429 too_frequent": "Three tests wait to be sent, or those of the hour are used up.",
    },
)
def test_notices(request: AccountRequest) -> Body:
    """POST /api/notices/test: a worker sends a test to the address with this `id`, or to all."""
    notice = changes.send_test(request.user, as_text(body_of(request).get("id")))
    return {"ok": True, "id": notice.pk, "message": gettext("The test is on its way.")}


@described(
    ACCOUNTS,
    "Notices",
    "What the account was told: the newest 200, newest first",
    answer=object_of({"items": list_of(SENT_NOTICE)}),
)
def sent_notices(request: AccountRequest) -> Body:
    """GET /api/notices/sent: what the caller was told."""
    return {"items": told.told(request.user.pk)}
