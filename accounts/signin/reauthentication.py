"""Asking for the password again before what does the most harm (docs/decisions/accounts.md#reauthentication).

It is off unless ARCHIVE_REAUTHENTICATE_MINUTES is set. The session keeps the time of the last password.
"""

from datetime import datetime
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.utils.translation import gettext

from accounts.models import User
from accounts.passwords import password_notice
from accounts.signin.device_cookie import device_of
from accounts.signin.throttling import count_try
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.client_address import client_address
from archive_site.lib.http.json_views import View, ViewAnswer
from archive_site.lib.stored_message import Message
from audit import log

_GIVEN_AT = "password_given_at"
# How long a password counts as just given where it is always asked for.
WITHIN_MINUTES = 10


def note_password(session: SessionBase, at: datetime | None = None) -> None:
    """Store in the session that its account has just given its password, or when it did."""
    session[_GIVEN_AT] = int((at or clock.now()).timestamp())


def password_given_at(session: SessionBase | dict[str, Any]) -> int:
    """When the account gave its password in this session, in seconds; 0 for a session of an earlier version."""
    return int(session.get(_GIVEN_AT, 0))


def is_needed(session: SessionBase) -> bool:
    """Whether the instance asks for the password again before the next protected change."""
    minutes = settings.REAUTHENTICATE_MINUTES
    return bool(minutes) and not is_within(session, _GIVEN_AT, minutes)


def is_within(session: SessionBase, name: str, minutes: int) -> bool:
    """Whether a moment that the session has under this name, in seconds, is at most so long ago."""
    # A time in the future comes from a clock that was wrong.
    return 0 <= clock.now().timestamp() - int(session.get(name, 0)) < minutes * 60


def require_recent_password(request: HttpRequest) -> None:
    """Raises ApiError 403 `reauthenticate` if the password was given too long ago."""
    if is_needed(request.session):
        raise _asks_again()


def _asks_again() -> ApiError:
    return ApiError(403, "reauthenticate", gettext("Enter your password again to do this."))


def is_password_recent(session: SessionBase) -> bool:
    """Whether the password was given lately, whatever the instance is set to."""
    return is_within(session, _GIVEN_AT, settings.REAUTHENTICATE_MINUTES or WITHIN_MINUTES)


def require_proof(request: HttpRequest) -> None:
    """Raises ApiError 403 `reauthenticate` if the password was not given lately, whatever the instance is set to."""
    if not is_password_recent(request.session):
        raise _asks_again()


def password_always_required(view: View) -> View:
    """A JSON view that requires a recent password whatever the instance is set to."""

    @wraps(view)
    def guarded(request: AccountRequest, *args: Any, **path: Any) -> ViewAnswer:
        require_proof(request)
        return view(request, *args, **path)

    return guarded


def recent_password_required(view: View) -> View:
    """A JSON view that requires a recent password, after sign-in, role and method, before anything is done."""

    @wraps(view)
    def guarded(request: AccountRequest, *args: Any, **path: Any) -> ViewAnswer:
        require_recent_password(request)
        return view(request, *args, **path)

    return guarded


def give_password(request: AccountRequest, password: str) -> bool:
    """Whether the password is that of the account; if so, the session notes it.

    Wrong ones are audited, and count as failed sign-ins: raises TooManyFailures before the password is checked.
    """
    user, ip = request.user, client_address(request)
    attempt = count_try(user.username, ip, device_of(request, user.username))
    if not user.has_password(password):
        detail = Message("password_wrong")
        failed = password_notice.REAUTHENTICATION_FAILED
        entry = log.record(failed, actor=user.username, user_id=user.pk, ip=ip, detail=detail)
        password_notice.note_wrong(request.session, entry)
        return False
    if user.second_factor == User.HAS_FACTOR:
        # What failed before still counts, also codes: who knows the password could otherwise guess them without end.
        attempt.take_back()
    else:
        attempt.succeeded()
    password_notice.note_right(user.pk, request.session, actor=user.username, ip=ip)
    note_password(request.session)
    return True
