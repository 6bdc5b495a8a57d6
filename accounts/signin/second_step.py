"""The second step of a sign-in: a code, a recovery code or a passkey (docs/decisions/accounts.md#second-factor)."""

import json
from collections.abc import Mapping
from datetime import datetime
from functools import wraps
from typing import Any, Literal

from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.utils.translation import gettext

from accounts.models import Passkey, User
from accounts.second_factor import codes, factors, passkeys, recovery
from accounts.signin import half_in
from accounts.signin.device_cookie import device_of
from accounts.signin.reauthentication import (
    WITHIN_MINUTES,
    give_password,
    is_password_recent,
    is_within,
    password_always_required,
)
from accounts.signin.signin import is_emergency_administrator, is_password_off, let_in, record_failure
from accounts.signin.throttling import Try, count_try
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.bearer import is_by_token
from archive_site.lib.http.client_address import client_address
from archive_site.lib.http.json_views import View, ViewAnswer
from archive_site.lib.stored_message import Message
from audit import log

_ASKED, _GIVEN_AT = "passkey_asked", "second_factor_given_at"
# An answer of a passkey is shorter by far.
_LONGEST = 20_000


def passkey_question(session: SessionBase, user: User | None) -> dict[str, Any]:
    """What the browser is asked to answer with a passkey; the session keeps what makes an answer right, once."""
    from accounts.second_factor import webauthn

    own = user.pk if user else None
    question, asked = webauthn.ask(own)
    session[_ASKED] = {"account": own, "asked": asked}
    return question


def finish_with_code(request: HttpRequest, user: User, code: str) -> bool:
    """Sign the account in if the code is right; it is used up. Raises TooManyFailures before it is checked."""
    attempt = _counted(request, user)
    if not _uses(user, code, client_address(request)):
        _refuse(user, request, Message("code_wrong"))
        return False
    _let_in(request, user, attempt, half_in.proved_at(request.session))
    return True


def finish_with_passkey(request: HttpRequest, user: User | None, text: str) -> bool:
    """Sign in the account whose passkey has answered: the one that has given its password; without one, an account that
    lets passkeys alone sign in. Raises TooManyFailures before the answer is checked."""
    attempt = _counted(request, user)
    passkey = _answers(request.session, user, text)
    if passkey is None:
        _refuse(user, request, Message("passkey_wrong"))
        return False
    if not passkey.user.is_active:
        _refuse(passkey.user, request, Message("account_disabled"))
        return False
    if user is None and is_password_off() and not is_emergency_administrator(passkey.user.username):
        _refuse(passkey.user, request, Message("password_off"))
        return False
    # One that signs in alone proves who is there, whatever else the session waits for.
    _let_in(request, passkey.user, attempt, half_in.proved_at(request.session) if user else clock.now())
    return True


def give_again(request: AccountRequest, password: str, code: str, passkey: str) -> Literal["", "password", "code"]:
    """What is wrong of the password of the signed-in account, and of the code or the answer of a passkey if one is
    given; the session notes what is right. Raises TooManyFailures before either is checked.

    The password may be left out beside a code by who has just proved elsewhere who they are.
    """
    is_proved = bool(code or passkey) and not password and is_password_recent(request.session)
    if not (is_proved or give_password(request, password)):
        return "password"
    if (code or passkey) and not _give_factor(request, code, passkey):
        return "code"
    return ""


def _give_factor(request: AccountRequest, code: str, passkey: str) -> bool:
    user = request.user
    attempt = _counted(request, user)
    if passkey:
        is_right, wrong = _answers(request.session, user, passkey) is not None, Message("passkey_wrong")
    else:
        is_right, wrong = _uses(user, code, client_address(request)), Message("code_wrong")
    if not is_right:
        _refuse(user, request, wrong)
        return False
    attempt.succeeded()
    note_factor(request.session)
    return True


def lacks_recent_factor(request: AccountRequest) -> bool:
    """Whether the account has a second factor that was not given lately; a token needs none."""
    is_asked = request.user.second_factor == User.HAS_FACTOR and not is_by_token(request)
    return is_asked and not is_within(request.session, _GIVEN_AT, WITHIN_MINUTES)


def note_factor(session: SessionBase) -> None:
    """Store in the session that its account has just given its second factor."""
    session[_GIVEN_AT] = int(clock.now().timestamp())


def factor_always_required(view: View) -> View:
    """A JSON view that requires a recent password, and of an account with a second factor that one, too."""

    @wraps(view)
    def guarded(request: AccountRequest, *args: Any, **path: Any) -> ViewAnswer:
        require_recent_factor(request)
        return view(request, *args, **path)

    return password_always_required(guarded)


def require_recent_factor(request: AccountRequest) -> None:
    """Raises ApiError 403 `reauthenticate` for an account with a second factor that was not given lately."""
    if lacks_recent_factor(request):
        words = gettext("Enter your password and a code again to do this.")
        raise ApiError(403, "reauthenticate", words, second_factor=True)


def _answers(session: SessionBase, user: User | None, text: str) -> Passkey | None:
    """The passkey that has answered what the session asked of this account, which is asked once; None where none did.

    Of an account that has given its password the device need not make sure who uses it.
    """
    kept, answer, own = session.pop(_ASKED, None), _json(text), user.pk if user else None
    if kept is None or answer is None or kept["account"] != own:
        return None
    from accounts.second_factor import webauthn

    try:
        return webauthn.use(kept["asked"], answer, own)
    except passkeys.WrongAnswer:
        return None


def _uses(user: User, code: str, ip: str) -> bool:
    if codes.use(user.pk, code):
        return True
    if not recovery.use(user.pk, code):
        return False
    left = Message("recovery_code_used", left=recovery.left(user.pk))
    log.record("second_factor", actor=user.username, user_id=user.pk, ip=ip, detail=left)
    return True


def _let_in(request: HttpRequest, user: User, attempt: Try, proved_at: datetime | None) -> None:
    factors.settled(user)
    let_in(request, user, attempt, proved_at=proved_at)
    note_factor(request.session)


def _counted(request: HttpRequest, user: User | None) -> Try:
    if user is None:
        return count_try("", client_address(request))
    return count_try(user.username, client_address(request), device_of(request, user.username), codes_of=user.pk)


def _refuse(user: User | None, request: HttpRequest, detail: Message) -> None:
    record_failure(user.username if user else "", user, client_address(request), detail)


def _json(text: str) -> Mapping[str, Any] | None:
    try:
        found = json.loads(text[:_LONGEST])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
