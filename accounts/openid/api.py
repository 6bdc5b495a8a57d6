"""JSON views of the sign-in elsewhere, for sessions alone (docs/api.md#sign-in-elsewhere)."""

from typing import Annotated

from django.http import Http404
from django.utils.translation import gettext
from msgspec import Meta

from accounts.actor import actor_of
from accounts.api_types import FACTOR_ALWAYS, NO_USER
from accounts.openid import identities
from accounts.openid.person import configured
from accounts.signin.second_step import factor_always_required
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Answer, Done, Given, Timestamp, about
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import ACCOUNTS, described
from archive_site.lib.http.json_views import body_of
from archive_site.lib.http.request_types import read

_HEADING = "Sign-in elsewhere"
_NO_PROVIDER = {"404 not_found": "The instance has no provider of sign-ins."}


class OwnIdentity(Answer, frozen=True):
    provider: Annotated[str, about("what the instance calls the provider")]
    issuer: str
    subject: Annotated[str | None, about("names the person there; null where the account has no sign-in elsewhere")]
    linked_at: Timestamp | None
    last_used_at: Annotated[Timestamp | None, about("the last sign-in there")]


class Subject(Given, frozen=True):
    subject: Annotated[
        str, Meta(max_length=identities.SUBJECT_LENGTH), about("as the provider names the person; empty to remove it")
    ]


@described(ACCOUNTS, _HEADING, "Who signs in to the account elsewhere", errors=_NO_PROVIDER)
def own_identity(request: AccountRequest) -> OwnIdentity:
    _require_provider()
    found = identities.of_account(request.user.pk)
    return OwnIdentity(
        provider=configured().name,
        issuer=configured().issuer,
        subject=found.subject if found else None,
        linked_at=clock.local_text(found.created_at) if found else None,
        last_used_at=clock.local_text(found.last_used_at) if found else None,
    )


@described(
    ACCOUNTS,
    _HEADING,
    "Remove the sign-in elsewhere",
    errors={
        "400 bad_request": "It has no sign-in elsewhere, or no password.",
        **_NO_PROVIDER,
        **FACTOR_ALWAYS,
    },
)
@factor_always_required
def remove_own(request: AccountRequest) -> Done:
    _require_provider()
    identities.unlink(request.user, actor_of(request))
    return Done(True, gettext("Your account no longer signs in elsewhere."))


@described(
    ACCOUNTS,
    _HEADING,
    "Let an account belong to a person there",
    body=Subject,
    errors={
        "400 bad_request": "Another account has this sign-in, or this one has none already.",
        **NO_USER,
        **_NO_PROVIDER,
        **FACTOR_ALWAYS,
    },
)
@factor_always_required
def set_of_account(request: AccountRequest, user_id: int) -> Done:
    _require_provider()
    subject = read(Subject, body_of(request)).subject
    user = identities.set_by_administrator(user_id, subject, actor_of(request))
    if user is None:
        raise ApiError(404, None, gettext("There is no such account."))
    words = (
        gettext("%(name)s signs in elsewhere, too.")
        if subject.strip()
        else gettext("%(name)s no longer signs in elsewhere.")
    )
    return Done(True, words % {"name": user.username})


def _require_provider() -> None:
    try:
        configured()
    except Http404:
        raise ApiError(404, "not_found", gettext("This instance has no provider of sign-ins.")) from None
