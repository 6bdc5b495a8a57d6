"""What tests make: accounts, clients, records."""

from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest
from django.middleware.csrf import _get_new_csrf_string

from accounts.models import FIRST_ARCHIVE, Archive, User
from accounts.session_stores.session_store import SessionStore
from accounts.signin.reauthentication import note_password
from tests.contract.checked_answers import CheckedClient

PASSWORD = "correct Horse 7"


def make_user(username: str, **fields: Any) -> User:
    return User.objects.create(username=username, password=_hashed(), **fields)


def further_archive(
    user: User, label: str = "At work", unit: str = FIRST_ARCHIVE["unit"], kind: str = FIRST_ARCHIVE["kind"]
) -> int:
    return Archive.objects.create(user_id=user.pk, kind=kind, label=label, unit=unit).pk


@cache
def _hashed() -> str:
    """The hash of the shared password, computed once: hashing took two fifths of the time of the tests."""
    return make_password(PASSWORD)


class ApiClient:
    """Django's test client with CSRF enforced, failures answered as in production, and JSON bodies.

    An answer that the description of the API does not have fails the test.
    """

    def __init__(self) -> None:
        self.client = CheckedClient(enforce_csrf_checks=True, raise_request_exception=False)
        self.token = _get_new_csrf_string()
        self.client.cookies[settings.CSRF_COOKIE_NAME] = self.token

    @classmethod
    def signed_in(cls, user: User) -> "ApiClient":
        """Like `force_login`, which saves a session of nobody first."""
        api = cls()
        request = HttpRequest()
        request.session = SessionStore()
        login(request, user, settings.AUTHENTICATION_BACKENDS[0])
        request.session.save()
        api.client._set_login_cookies(request)  # type: ignore[attr-defined]  # missing in the stubs
        return api

    def entered(self) -> "ApiClient":
        """The same after the password was entered just now, which some changes need."""
        session = self.client.session
        note_password(session)
        session.save()
        return self

    def get(self, path: str, **params: Any) -> Any:
        return self.client.get(path, params)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.client.post(
            path,
            body if body is not None else {},
            content_type="application/json",
            headers={"X-CSRF-Token": self.token, **headers},
        )
