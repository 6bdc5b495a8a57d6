"""Receivers of these tests are on this machine."""

import pytest
from pytest_django import Settings


@pytest.fixture
def private(settings: Settings) -> None:
    """As with ARCHIVE_NOTIFY_PRIVATE=1."""
    settings.NOTIFY_PRIVATE = True
