"""The author of a change, as the audit log names it."""

from dataclasses import dataclass

from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.client_address import client_address


@dataclass(frozen=True)
class Actor:
    """The author of a change; `user_id` is None for the command line."""

    name: str
    user_id: int | None
    ip: str = ""


def actor_of(request: AccountRequest) -> Actor:
    """The account that makes a request."""
    return Actor(request.user.username, request.user.pk, client_address(request))
