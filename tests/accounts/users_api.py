"""Shared by tests of /api/users: requests, refusals, and what they leave in the store."""

from typing import Any

from accounts.models import User
from audit.models import Entry
from tests.accounts.page_forms import answer_of
from tests.factories import PASSWORD, ApiClient

PATH = "/api/users"
NEW = {"username": "carol", "password": PASSWORD, "password2": PASSWORD}


def change(admin: ApiClient, user: User, **body: object) -> Any:
    return admin.post(f"{PATH}/{user.pk}", body)


def refusal(response: Any, status: int = 400) -> str:
    """The message of a refusal, which has no error code."""
    answer = answer_of(response)
    assert response.status_code == status
    assert set(answer) == {"ok", "message"}
    assert answer["ok"] is False
    return str(answer["message"])


def fresh(user: User) -> User:
    return User.objects.get(pk=user.pk)


def audited() -> Entry:
    return Entry.objects.latest("pk")
