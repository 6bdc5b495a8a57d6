"""JSON views of notices (docs/api.md#notices)."""

from typing import Annotated, Literal

from django.utils.translation import gettext
from msgspec import UNSET, Meta, UnsetType

from accounts.actor import actor_of
from accounts.api_types import REAUTHENTICATE, Notices, SentNotice, Time
from accounts.delivery import addresses, choices
from accounts.delivery.events import SUMMARIES, events_of
from accounts.notices import changes, sent
from accounts.notices.given_addresses import LONGEST_NAME
from accounts.signin.reauthentication import require_recent_password
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Answer, Done, Given, Items, Together, about
from archive_site.lib.http.described import ACCOUNTS, described
from archive_site.lib.http.json_views import body_of
from archive_site.lib.http.request_types import read
from archive_site.lib.stored_message import Message
from audit.log import record

_ADDRESSES = Meta(
    description="the whole list; an id, a name, or `https://ntfy.sh/…`, keeps the next stored one shown so",
    max_length=10,
)
_EVENTS = about("events and whether they are on, where others stay as they are; or a list of those that are on")


class ChangedName(Answer, frozen=True):
    id: Annotated[str, about("of an address")]
    name: Annotated[str, Meta(description="empty for none", max_length=LONGEST_NAME)]


class ChangedNotices(Given, frozen=True):
    addresses: Annotated[list[str], _ADDRESSES] | UnsetType = UNSET
    add: (
        Annotated[str | dict[str, str], about("one more address; or a map of `service`, its fields and `name`")]
        | UnsetType
    ) = UNSET
    remove: Annotated[str, about("the id of one to leave out")] | UnsetType = UNSET
    rename: ChangedName | UnsetType = UNSET
    events: Annotated[dict[str, bool] | list[str], _EVENTS] | UnsetType = UNSET
    quiet_from: Time | UnsetType = UNSET
    quiet_to: Time | UnsetType = UNSET
    summaries: dict[str, bool] | UnsetType = UNSET
    summary_prompts: bool | UnsetType = UNSET


class OneAddress(Given, frozen=True):
    id: Annotated[str, about("of an address; all without it")] = ""


class SentTest(Answer, frozen=True):
    ok: Literal[True]
    id: Annotated[int, about("of the notice")]
    message: str


@described(ACCOUNTS, "Notices", "The events, addresses and times of the account's notices")
def read_notices(request: AccountRequest) -> Notices:
    """GET /api/notices: events, addresses and times of the caller's notices; of an address, only its name or host."""
    user = request.user
    chosen, stored = choices.of_account(user.pk), addresses.usable(user.pk)
    return Notices(
        addresses=[one.shown for one in stored],
        address_ids=[one.id for one in stored],
        address_names=[one.name for one in stored],
        addresses_broken=addresses.are_broken(user.pk),
        events={event: event not in chosen.off for event in events_of(is_admin=user.is_admin)},
        quiet_from=chosen.quiet_from,
        quiet_to=chosen.quiet_to,
        summaries={period: period in chosen.summaries for period in SUMMARIES},
        summary_prompts=chosen.with_prompts,
    )


@described(
    ACCOUNTS,
    "Notices",
    "Change events, addresses and times of notices; keys that are left out stay",
    body=ChangedNotices,
    answer=Together((Done, Notices), "StoredNotices", "Notices"),
    errors={
        "400 bad_request": "A value or an address is not accepted; nothing is changed.",
        **REAUTHENTICATE,
        "429 too_frequent": "Other addresses are being checked.",
    },
)
def write_notices(request: AccountRequest) -> tuple[Done, Notices]:
    """POST /api/notices: keys that are left out stay as they are. Raises ApiError 400, 403 and 429."""
    body = body_of(request)
    if body.keys() & set(changes.OF_ADDRESSES):
        require_recent_password(request)
    changed = changes.store(request.user, body)
    if changed:
        actor = actor_of(request)
        detail = Message("notices_changed", keys=changed)
        record("notify", actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
    return Done(True, gettext("The notices are saved.")), read_notices(request)


@described(
    ACCOUNTS,
    "Notices",
    "Send a test",
    body=OneAddress,
    errors={
        "404": "There is no such address.",
        "429 too_frequent": "Three tests wait to be sent, or those of the hour are used up.",
    },
)
def test_notices(request: AccountRequest) -> SentTest:
    """POST /api/notices/test: a worker sends a test to the address with this `id`, or to all."""
    notice = changes.send_test(request.user, read(OneAddress, body_of(request)).id)
    return SentTest(True, notice.pk, gettext("The test is on its way."))


@described(
    ACCOUNTS,
    "Notices",
    "The notices that were sent to the account: the newest 200, newest first",
    answer=Items[SentNotice],
)
def sent_notices(request: AccountRequest) -> Items[SentNotice]:
    """GET /api/notices/sent: the notices that were sent to the caller."""
    return Items(sent.of_account(request.user.pk))
