"""The token that a request sends as `Authorization: Bearer`, and what it opens: docs/api.md#tokens.

The app of accounts looks tokens up; views only see their scopes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest

READ, COLLECT, EXPORT = "read", "collect", "export"
SCOPES = (READ, COLLECT, EXPORT)
# The scopes of a route by method; a method that is not there is for sessions alone.
Scopes = Mapping[str, tuple[str, ...]]
_ATTRIBUTE = "bearer"
_SCHEME = "bearer"


@dataclass(frozen=True)
class Bearer:
    """The token of a request by its id; `WRONG` where the text is no token in force."""

    token_id: int | None
    scopes: frozenset[str] = frozenset()

    @property
    def is_valid(self) -> bool:
        return self.token_id is not None


WRONG = Bearer(None)


def bearer_text(request: HttpRequest) -> str | None:
    """What follows the word Bearer in a request's `Authorization`; None without it."""
    return bearer_text_in(request.headers.get("Authorization", ""))


def bearer_text_in(authorization: str) -> str | None:
    """What follows the word Bearer; None without it."""
    scheme, *text = authorization.split(maxsplit=1) or [""]
    return "".join(text).strip() if scheme.lower() == _SCHEME else None


def set_bearer(request: HttpRequest, bearer: Bearer) -> None:
    setattr(request, _ATTRIBUTE, bearer)


def bearer_of(request: HttpRequest) -> Bearer | None:
    """The token that decides about the request; None where a session does, or nobody is signed in."""
    found: Bearer | None = getattr(request, _ATTRIBUTE, None)
    return found


def is_by_token(request: HttpRequest) -> bool:
    """Whether the request is that of an account by its token."""
    bearer = bearer_of(request)
    return bearer is not None and bearer.is_valid
