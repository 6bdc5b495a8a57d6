"""A clock that tests set, and an archive with two records and a run."""

from collections.abc import Callable
from datetime import datetime

import pytest

from accounts.models import User
from accounts.store_identity import open_store
from archive_site.lib import clock
from collection import runs
from collection.models import Run
from tests.usage.conditional_reads import NOON
from tests.usage.record_factories import archive, call


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Moves the clock."""
    return lambda instant: monkeypatch.setattr(clock, "now", lambda: instant)


@pytest.fixture
def noon(db: None, at: Callable[[datetime], None]) -> None:
    at(NOON)
    open_store()


@pytest.fixture
def archived(alice: User) -> User:
    archive(alice, call("r1"), call("r2", ts="2026-09-08 08:00:00"))
    runs.begin(alice.pk, Run.Trigger.MANUAL, clock.now(), clock.now())
    return alice
