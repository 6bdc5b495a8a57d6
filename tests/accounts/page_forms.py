"""Shared by tests of account pages: links of invitations, forms with the token, and reading answers."""

import json
from collections.abc import Callable
from typing import Any

from accounts import config
from accounts.actor import Actor
from accounts.api_types import Invited
from accounts.models import INSTANCE, User
from accounts.signin import invitations
from tests.factories import PASSWORD, ApiClient

ApiOf = Callable[[User], ApiClient]
ANSWER = "AB34"
# What an invited person enters.
GOOD = {"username": "Carol", "password": PASSWORD, "password2": PASSWORD}


def post(visitor: ApiClient, path: str, address: str = "127.0.0.1", **fields: str) -> Any:
    return visitor.client.post(path, {"_csrf": visitor.token, **fields}, REMOTE_ADDR=address)


def sign_in(visitor: ApiClient, username: str = "alice", password: str = PASSWORD, **fields: str) -> Any:
    return post(visitor, "/login", username=username, password=password, **fields)


def register(visitor: ApiClient, username: str, address: str = "127.0.0.1", **fields: str) -> Any:
    passwords = {"password": PASSWORD, "password2": PASSWORD}
    return post(visitor, "/register", address, **{"username": username, **passwords, **fields})


def invite(root: User, **body: str) -> str:
    """The path of a new link."""
    return f"/invitation/{invitations.create(Invited(**body), Actor(root.username, root.pk)).token}"


def accept(visitor: ApiClient, link: str, address: str = "127.0.0.1", **changes: str) -> Any:
    return visitor.client.post(link, {"_csrf": visitor.token, **GOOD, **changes}, REMOTE_ADDR=address)


def instance(**values: str) -> None:
    """Write settings of the instance."""
    assert not config.write(values, archive_id=INSTANCE, may_edit_instance=True).errors


def answer_of(response: Any) -> Any:
    return json.loads(response.content)


def page(response: Any) -> str:
    return str(response.content.decode())
