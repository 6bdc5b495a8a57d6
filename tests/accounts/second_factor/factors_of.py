"""Shared by tests of the second factor: setting one up, and signing in with it."""

from typing import Any

import pyotp
from django.conf import settings

from accounts.models import User
from archive_site.lib import clock
from tests.accounts import page_forms
from tests.factories import PASSWORD, ApiClient


def code_of(secret: str, steps: int = 0) -> str:
    """The code of now, or of so many half minutes later."""
    return str(pyotp.TOTP(secret).at(int(clock.now().timestamp()) + 30 * steps))


def sign_in(visitor: ApiClient, username: str, password: str = PASSWORD, **fields: str) -> Any:
    """The answer to the form; the visitor has the token of the new session."""
    answer = page_forms.sign_in(visitor, username, password, **fields)
    _take_token(visitor)
    return answer


def _take_token(visitor: ApiClient) -> None:
    visitor.token = visitor.client.cookies[settings.CSRF_COOKIE_NAME].value


def with_codes(user: User) -> tuple[str, list[str]]:
    """Set codes up in a session of its own; gives the secret and the recovery codes. The code of now is not used."""
    visitor = ApiClient()
    assert sign_in(visitor, user.username).status_code == 302
    secret = visitor.post("/api/second-factor/codes").json()["secret"]
    answer = visitor.post("/api/second-factor/codes/confirm", {"code": code_of(secret, -2)})
    assert answer.status_code == 200, answer.content
    return secret, answer.json()["recovery"]


def half_in(user: User, **fields: str) -> ApiClient:
    """A visitor who has given the password."""
    visitor = ApiClient()
    answer = sign_in(visitor, user.username, **fields)
    assert answer.status_code == 302, answer.content
    assert answer.headers["Location"].startswith("/second-factor")
    return visitor


def give(visitor: ApiClient, code: str, **fields: str) -> Any:
    answer = page_forms.post(visitor, "/second-factor", code=code, **fields)
    _take_token(visitor)
    return answer


def is_in(visitor: ApiClient) -> bool:
    return bool(visitor.get("/api/status").status_code == 200)
