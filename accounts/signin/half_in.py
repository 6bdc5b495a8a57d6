"""A session whose account has given its password, and not yet its second factor. It opens nothing: to all that asks who
is signed in, it is that of a visitor. It has a time of its own: a captcha prolongs the session.
"""

from datetime import datetime
from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from accounts.models import User
from accounts.signin import visitor_sessions
from archive_site.lib import clock

LASTS_SECONDS: Final = 300
# Clocks of nodes differ a little.
_AHEAD: Final = 60
_HALF_IN = "half_in"


def begin(request: HttpRequest, user: User, *, is_proved: bool = True) -> None:
    """Replace the visitor's session by one that waits for the second factor of this account.

    `is_proved`: who is there has just given the password, or proved it elsewhere.
    """
    request.session.flush()
    # The session of whoever was signed in before has ended.
    request.user = AnonymousUser()
    request.session[_HALF_IN] = {
        "account": user.pk,
        "bound": user.get_session_auth_hash(),
        "proved": is_proved,
        "at": clock.now().isoformat(),
    }
    visitor_sessions.begin(request.session)


def is_half_in(session: SessionBase, user: User) -> bool:
    """Whether the session waits for the second factor of this account, in time or not."""
    return bool(session.get(_HALF_IN, {}).get("account") == user.pk)


def proved_at(session: SessionBase) -> datetime | None:
    """When who is half in proved who they are; None where they did not."""
    kept = session[_HALF_IN]
    return datetime.fromisoformat(kept["at"]) if kept["proved"] else None


def account_in(session: SessionBase) -> User | None:
    """The account whose second factor is awaited for some minutes, unless it was disabled or got another password
    since."""
    kept = session.get(_HALF_IN)
    # One of an earlier version has no time.
    if not kept or "at" not in kept:
        return None
    if not -_AHEAD <= (clock.now() - datetime.fromisoformat(kept["at"])).total_seconds() <= LASTS_SECONDS:
        return None
    user = User.objects.filter(pk=kept["account"], status=User.ACTIVE).first()
    return user if user and constant_time_compare(kept["bound"], user.get_session_auth_hash()) else None
