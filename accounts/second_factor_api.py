"""JSON views of the second factor, for sessions alone (docs/api.md#second-factor)."""

from typing import Annotated, Any

from django.utils.translation import gettext
from msgspec import Meta

from accounts import second_factor_changes as changes
from accounts.actor import actor_of
from accounts.api import throttled
from accounts.api_types import FACTOR_ALWAYS, NO_USER, THROTTLED
from accounts.models import Passkey
from accounts.second_factor import codes, factors, passkeys
from accounts.signin.device_cookie import device_of
from accounts.signin.second_step import factor_always_required, note_factor
from accounts.signin.throttling import TooManyFailures, count_try
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Answer, Count, Done, Given, Timestamp, about
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.client_address import client_address
from archive_site.lib.http.described import ACCOUNTS, described
from archive_site.lib.http.json_views import Body, body_of
from archive_site.lib.http.request_types import read
from audit import known_secrets

_HEADING = "Second factor"
_ASKED = "new_passkey_asked"
_RECOVERY = Annotated[list[str], about("the new recovery codes, which are in no other answer")]
_BAD = {"400 bad_request": "A value is not accepted, or there is nothing to change."}
_NO_PASSKEYS = {"404 not_found": "The instance has no `ARCHIVE_ORIGIN`."}
_NO_PASSKEY = {"404": "There is no such passkey."}


class PasskeyOfAccount(Answer, frozen=True):
    id: int
    name: Annotated[str, Meta(max_length=Passkey.NAME_LENGTH)]
    created_at: Timestamp
    last_used_at: Annotated[Timestamp | None, about("null before the first use")]


class SecondFactorOfAccount(Answer, frozen=True):
    codes: Annotated[bool, about("codes of an authenticator app are asked for")]
    codes_broken: Annotated[bool, about("their secret cannot be decrypted with the instance's key")]
    passkeys: list[PasskeyOfAccount]
    passkeys_alone: Annotated[bool, about("a passkey signs in without the password")]
    passkeys_available: Annotated[bool, about("the instance has an `ARCHIVE_ORIGIN`, which passkeys need")]
    recovery_left: Annotated[Count, about("recovery codes that were not used")]
    required: Annotated[bool, about("the instance requires a second factor of the account")]


class NewSecret(Answer, frozen=True):
    secret: Annotated[str, about("in no other answer; in force once a code of it was confirmed")]
    uri: Annotated[str, about("the same for authenticator apps, `otpauth://…`")]
    picture: Annotated[str, about("the address as a QR code, a `data:` URL of a PNG")]


class Code(Given, frozen=True):
    code: Annotated[str, about("six digits")]


class Renewed(Done, frozen=True):
    recovery: _RECOVERY


class NewPasskey(Given, frozen=True):
    name: Annotated[str, Meta(max_length=Passkey.NAME_LENGTH)]
    answer: Annotated[dict[str, Any], about("what the browser has made, as `PublicKeyCredential.toJSON()` gives it")]


class AddedPasskey(Done, frozen=True):
    id: int
    recovery: Annotated[list[str], about("recovery codes, if the account had none; they are in no other answer")]


class Alone(Given, frozen=True):
    alone: bool


@described(ACCOUNTS, _HEADING, "What the account has as a second factor")
def own_factors(request: AccountRequest) -> SecondFactorOfAccount:
    has = factors.of_account(request.user.pk)
    return SecondFactorOfAccount(
        codes=has.has_codes,
        codes_broken=not has.are_codes_readable,
        passkeys=[_shown(one) for one in has.passkeys],
        passkeys_alone=has.passkeys_alone,
        passkeys_available=passkeys.are_available(),
        recovery_left=has.recovery_left,
        required=factors.is_required_of(request.user),
    )


@described(
    ACCOUNTS,
    _HEADING,
    "Begin new codes, which are in force once one of them is confirmed",
    errors=FACTOR_ALWAYS,
)
@factor_always_required
def begin_codes(request: AccountRequest) -> NewSecret:
    """POST /api/second-factor/codes: the only answer that ever holds the secret."""
    new = codes.begin(request.user)
    return NewSecret(new.secret, new.uri, new.picture)


@described(
    ACCOUNTS,
    _HEADING,
    "Put the new codes in force with one of them",
    body=Code,
    errors={"400 bad_request": "The code is wrong, or no codes were begun.", **THROTTLED, **FACTOR_ALWAYS},
)
@factor_always_required
def confirm_codes(request: AccountRequest) -> Renewed:
    user, ip = request.user, client_address(request)
    try:
        attempt = count_try(user.username, ip, device_of(request, user.username), codes_of=user.pk)
    except TooManyFailures as error:
        raise throttled(error) from None
    new = changes.confirm_codes(user, read(Code, body_of(request)).code, actor_of(request), request.session.session_key)
    if new is None:
        raise ApiError(400, "bad_request", gettext("The code is wrong. Check the clock of your device."))
    attempt.take_back()
    note_factor(request.session)
    return _renewed(gettext("Codes are asked for from the next sign-in on."), new)


@described(ACCOUNTS, _HEADING, "Remove the codes", errors={**_BAD, **FACTOR_ALWAYS})
@factor_always_required
def remove_codes(request: AccountRequest) -> Done:
    changes.remove_codes(request.user, actor_of(request))
    return Done(True, gettext("Codes are no longer asked for."))


@described(
    ACCOUNTS,
    _HEADING,
    "New recovery codes instead of all others",
    errors={**_BAD, **FACTOR_ALWAYS},
)
@factor_always_required
def renew_recovery(request: AccountRequest) -> Renewed:
    new = changes.renew_recovery(request.user, actor_of(request))
    return _renewed(gettext("These are your new recovery codes. They are shown only once."), new)


@described(
    ACCOUNTS,
    _HEADING,
    "What to ask the browser for a new passkey",
    answer={"type": "object", "description": "what `PublicKeyCredential.parseCreationOptionsFromJSON()` takes"},
    errors={**_NO_PASSKEYS, **FACTOR_ALWAYS},
)
@factor_always_required
def passkey_options(request: AccountRequest) -> Body:
    _require_passkeys()
    from accounts.second_factor import webauthn

    question, request.session[_ASKED] = webauthn.ask_for_new(request.user)
    return dict(question)


@described(
    ACCOUNTS,
    _HEADING,
    "Store the passkey that the browser has made",
    body=NewPasskey,
    errors={**_BAD, **_NO_PASSKEYS, **FACTOR_ALWAYS},
)
@factor_always_required
def add_passkey(request: AccountRequest) -> AddedPasskey:
    _require_passkeys()
    body = body_of(request)
    passkey, new = changes.add_passkey(
        request.user,
        body.get("name"),
        request.session.pop(_ASKED, None),
        body.get("answer"),
        actor_of(request),
        request.session.session_key,
    )
    _guard(new)
    note_factor(request.session)
    return AddedPasskey(True, gettext("The passkey “%(name)s” is stored.") % {"name": passkey.name}, passkey.pk, new)


@described(ACCOUNTS, _HEADING, "Remove a passkey", errors={**_BAD, **_NO_PASSKEY, **FACTOR_ALWAYS})
@factor_always_required
def remove_passkey(request: AccountRequest, passkey_id: int) -> Done:
    passkey = changes.remove_passkey(request.user, passkey_id, actor_of(request))
    if passkey is None:
        raise ApiError(404, None, gettext("There is no such passkey."))
    return Done(True, gettext("The passkey “%(name)s” is removed.") % {"name": passkey.name})


@described(
    ACCOUNTS,
    _HEADING,
    "Choose whether a passkey signs in without the password",
    body=Alone,
    errors={**_BAD, **FACTOR_ALWAYS},
)
@factor_always_required
def let_passkeys_alone(request: AccountRequest) -> Done:
    is_on = read(Alone, body_of(request)).alone
    changes.let_passkeys_alone(request.user, is_on, actor_of(request))
    words = gettext("A passkey signs in alone.") if is_on else gettext("A passkey signs in after the password.")
    return Done(True, words)


@described(
    ACCOUNTS,
    _HEADING,
    "Remove all factors of an account whose owner has lost them",
    errors={"400 bad_request": "The account has no second factor.", **NO_USER, **FACTOR_ALWAYS},
)
@factor_always_required
def reset(request: AccountRequest, user_id: int) -> Done:
    user = changes.reset(user_id, actor_of(request))
    if user is None:
        raise ApiError(404, None, gettext("There is no such account."))
    return Done(True, gettext("%(name)s signs in with the password alone.") % {"name": user.username})


def _renewed(words: str, new: list[str]) -> Renewed:
    _guard(new)
    return Renewed(True, words, new)


def _guard(new: list[str]) -> None:
    for one in new:
        known_secrets.guard_in_request(one)


def _require_passkeys() -> None:
    if not passkeys.are_available():
        raise ApiError(404, "not_found", gettext("This instance has no passkeys: it has no ARCHIVE_ORIGIN."))


def _shown(passkey: Passkey) -> PasskeyOfAccount:
    return PasskeyOfAccount(
        id=passkey.pk,
        name=passkey.name,
        created_at=clock.local_text(passkey.created_at),
        last_used_at=clock.local_text(passkey.last_used_at),
    )
