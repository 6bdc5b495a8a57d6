"""Accounts whose webhooks may be on this machine, and a clock that tests set."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from pytest_django import Settings

from accounts.delivery import to_webhook as delivery
from accounts.models import User
from tests.accounts.page_forms import ApiOf
from tests.accounts.webhooks.hooks import Posted
from tests.factories import ApiClient
from tests.standing_clock import SetClock

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def private(settings: Settings) -> None:
    """As with ARCHIVE_NOTIFY_PRIVATE=1."""
    settings.NOTIFY_PRIVATE = True


@pytest.fixture
def api(alice: User, api_of: ApiOf) -> ApiClient:
    return api_of(alice)


@pytest.fixture
def posted(monkeypatch: pytest.MonkeyPatch) -> Posted:
    posting = Posted()
    monkeypatch.setattr(delivery, "post", posting)
    return posting


@pytest.fixture
def at(time: SetClock) -> Callable[[datetime], None]:
    def set_clock(instant: datetime) -> None:
        time.now = instant

    set_clock(NOW)
    return set_clock
