"""A session whose account has given its password, and not yet its second factor. It opens nothing: to all that asks who
is signed in, it is that of a visitor.
"""

from typing import Final

from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from accounts.models import User

LASTS_SECONDS: Final = 300
_HALF_IN = "half_in"


def begin(request: HttpRequest, user: User, *, is_proved: bool = True) -> None:
    """Replace the visitor's session by one that waits for the second factor of this account.

    `is_proved`: who is there has just given the password, or proved it elsewhere.
    """
    request.session.flush()
    request.session[_HALF_IN] = {"account": user.pk, "bound": user.get_session_auth_hash(), "proved": is_proved}
    request.session.set_expiry(LASTS_SECONDS)


def is_proved(session: SessionBase) -> bool:
    """Whether who is there has just proved who they are, also without an account half in: a passkey does."""
    return bool(session.get(_HALF_IN, {}).get("proved", True))


def account_in(session: SessionBase) -> User | None:
    """The account whose second factor is awaited, unless it was disabled or got another password since."""
    kept = session.get(_HALF_IN)
    if not kept:
        return None
    user = User.objects.filter(pk=kept["account"], status=User.ACTIVE).first()
    return user if user and constant_time_compare(kept["bound"], user.get_session_auth_hash()) else None
