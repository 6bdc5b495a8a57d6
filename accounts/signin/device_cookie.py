"""The device cookie: a signed mark of a browser that has signed in to an account.

The rules: docs/decisions/accounts.md#device-cookies.
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.models import Store, User

AGE = 365 * 86400
_SALT = "accounts.device"


def remember(response: HttpResponse, user: User) -> None:
    """Mark the browser that gets the response as a device of the account."""
    mark = {"account": user.pk, "device": secrets.token_urlsafe(16), "bound": _bound_to(user)}
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps(mark, salt=_SALT),
        max_age=AGE,
        path=settings.COOKIE_PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def device_of(request: HttpRequest, username: str) -> str:
    """The id of the browser if it has signed in to the account of that name, else an empty text."""
    cookie = request.COOKIES.get(settings.DEVICE_COOKIE_NAME)
    if not cookie:
        return ""
    try:
        mark = signing.loads(cookie, salt=_SALT, max_age=AGE)
    except signing.BadSignature:
        return ""
    user = User.objects.named(username)
    known = user and user.pk == mark["account"] and constant_time_compare(mark["bound"], _bound_to(user))
    return str(mark["device"]) if known else ""


def _bound_to(user: User) -> str:
    """Changes with the password, with the session version, and with a restore, which gives the store a new id."""
    store_id = Store.objects.values_list("store_id", flat=True).first()
    return salted_hmac(_SALT, f"{user.get_session_auth_hash()}:{store_id}", algorithm="sha256").hexdigest()
