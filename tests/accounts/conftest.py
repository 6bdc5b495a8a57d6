"""A captcha whose answer is known, who sees and changes accounts, and a link of an invitation."""

import pytest

from accounts.models import User
from accounts.signin import captcha
from tests.accounts.page_forms import ANSWER, ApiOf, invite
from tests.factories import ApiClient


@pytest.fixture
def known_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captcha, "random_answer", lambda length: ANSWER)


@pytest.fixture
def visitor(anonymous: ApiClient, alice: User) -> ApiClient:
    """A visitor who has seen a picture to sign in with."""
    anonymous.get("/captcha.png")
    return anonymous


@pytest.fixture
def admin(root: User, api_of: ApiOf) -> ApiClient:
    return api_of(root)


@pytest.fixture
def link(root: User) -> str:
    """The path of an invitation that is open."""
    return invite(root)
