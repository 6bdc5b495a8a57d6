"""What tests of personal tokens use: tokens of accounts, and a client that sends one."""

from typing import Any

from accounts.actor import Actor
from accounts.models import ApiToken, User
from accounts.tokens import personal_tokens
from archive_site.lib.http.bearer import SCOPES
from tests.contract.checked_answers import CheckedClient
from tests.factories import ApiClient


def make_token(user: User, *scopes: str, name: str = "cron", days: int | None = None) -> tuple[ApiToken, str]:
    body = {"name": name, "scopes": list(scopes or SCOPES), "days": days}
    return personal_tokens.create(user, body, Actor(user.username, user.pk))


class TokenClient:
    """Sends a bearer with each request, without the CSRF token of a page; with the cookies of `session`, if given."""

    def __init__(self, text: str, session: ApiClient | None = None) -> None:
        self.text = text
        self.client = (
            session.client if session else CheckedClient(enforce_csrf_checks=True, raise_request_exception=False)
        )

    @classmethod
    def of(cls, user: User, *scopes: str) -> "TokenClient":
        return cls(make_token(user, *scopes)[1])

    def get(self, path: str, **params: Any) -> Any:
        return self.client.get(path, params, headers={"Authorization": f"Bearer {self.text}"})

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.client.post(
            path,
            body if body is not None else {},
            content_type="application/json",
            headers={"Authorization": f"Bearer {self.text}", **headers},
        )
