"""Signing in and out, with the audit entries (docs/api.md#sign-in)."""

from datetime import datetime

from django.conf import settings
from django.contrib import auth
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest

from accounts.models import User, username_key
from accounts.second_factor import factors
from accounts.signin import half_in
from accounts.signin.device_cookie import device_of
from accounts.signin.reauthentication import note_password
from accounts.signin.sessions import note_beginning
from accounts.signin.throttling import Try, count_try, count_wrong_captcha
from archive_site.lib import clock
from archive_site.lib.environment import PASSWORD_MOST
from archive_site.lib.http.client_address import client_address
from archive_site.lib.storage import disk_space
from archive_site.lib.stored_message import Message
from audit import log

# People type passwords into the name field, so the audit keeps only the beginning of an unknown name.
NAME_KEPT = 32
# Where the session keeps the address at which that of the provider ends, too.
END_SESSION = "end_session"


def sign_in(request: HttpRequest, username: str, password: str) -> User | None:
    """Sign the account in with a new session and CSRF token; None if name or password is wrong.

    One with a second factor is not signed in yet: its session waits for that (`half_in`). An unknown name costs one
    hash, like a wrong password, and so does one that may not sign in with a password. Raises TooManyFailures before
    either is checked.
    """
    ip = client_address(request)
    attempt = count_try(username, ip, device_of(request, username))
    is_off = is_password_off() and not is_emergency_administrator(username)
    user = auth.authenticate(request, username="" if is_off else username, password=password[: PASSWORD_MOST + 1])
    if not isinstance(user, User):
        known = User.objects.named(username)
        record_failure(username, known, ip, Message("password_off") if is_off else _reason(known))
        return None
    if factors.settled(user) == User.HAS_FACTOR:
        # What failed before still counts: who knows the password could otherwise guess codes without end.
        attempt.take_back()
        half_in.begin(request, user)
    else:
        let_in(request, user, attempt, proved_at=clock.now())
    return user


def is_password_off() -> bool:
    """Whether nobody signs in with a password but the one administrator whom the environment names."""
    return settings.OPENID is not None and bool(settings.OPENID.only)


def is_emergency_administrator(username: str) -> bool:
    """Whether the environment names this account as the one that always signs in with its password."""
    return settings.OPENID is not None and username_key(username) == username_key(settings.OPENID.only)


def let_in(request: HttpRequest, user: User, attempt: Try, *, proved_at: datetime | None) -> None:
    """Sign in an account that has given all that it is asked for; `proved_at` as in `half_in`."""
    ip = client_address(request)
    attempt.succeeded()
    # Of a sign-in of the same account, which goes on here; any other may be somebody else's.
    end = request.session.get(END_SESSION) if half_in.is_half_in(request.session, user) else None
    # Django would keep the session of a second sign-in, and the content of a visitor's session.
    request.session.flush()
    auth.login(request, user, settings.AUTHENTICATION_BACKENDS[0])
    if end:
        request.session[END_SESSION] = end
    # The captcha gave the session a short expiry.
    request.session.set_expiry(None)
    if proved_at is not None:
        note_password(request.session, proved_at)
    note_beginning(request.session, ip, request.headers.get("User-Agent", ""))
    _record_success(user, ip)


def refuse_captcha(request: HttpRequest, username: str) -> None:
    """Count a wrong captcha for the device or the address, with an audit entry. Raises TooManyFailures."""
    ip = client_address(request)
    count_wrong_captcha(ip, device_of(request, username))
    record_failure(username, User.objects.named(username), ip, Message("captcha_wrong"))


def sign_out(request: HttpRequest) -> str:
    """Sign out; gives the address at which the session of the provider ends, empty where there is none."""
    end = str(request.session.get(END_SESSION, ""))
    with transaction.atomic():
        if isinstance(request.user, User):
            log.record("logout", actor=request.user.username, user_id=request.user.pk, ip=client_address(request))
        auth.logout(request)
    return end


def _record_success(user: User, ip: str) -> None:
    lacking = log.lacking_if_full("login", actor=user.username, user_id=user.pk, ip=ip)
    with lacking, transaction.atomic():
        User.objects.filter(pk=user.pk).update(
            last_login_at=clock.now(), last_login_ip=ip or None, login_count=F("login_count") + 1
        )
        log.record("login", actor=user.username, user_id=user.pk, ip=ip)


def record_failure(username: str, known: User | None, ip: str, detail: Message) -> None:
    """Note in the audit log why a sign-in failed."""
    name = known.username if known else username.strip()[:NAME_KEPT]
    # Names are no part of the log's line: people type passwords there.
    with disk_space.left_out_if_full("the audit entry of a failed sign-in"):
        log.record("login_failed", actor=name, user_id=known.pk if known else None, ip=ip, detail=detail)


def _reason(known: User | None) -> Message:
    if known is None:
        return Message("name_unknown")
    return Message("password_wrong") if known.is_active else Message("account_disabled")
