"""A clock that tests set, archives of alice, answers to her, and what tests of exports need."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.db import connection

from accounts.models import User
from accounts.store_identity import open_store
from archive_site.lib import clock
from collection.models import Run
from collection.runs import runs
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.conditional_reads import NOON
from tests.usage.record_factories import archive, call


@pytest.fixture
def at(time: SetClock) -> Callable[[datetime], None]:
    """Moves the clock."""

    def move(instant: datetime) -> None:
        time.now = instant

    return move


@pytest.fixture
def noon(db: None, at: Callable[[datetime], None]) -> None:
    at(NOON)
    open_store()


@pytest.fixture
def archived(alice: User) -> User:
    """Two records and a run."""
    archive(alice, call("r1"), call("r2", ts="2026-09-08 08:00:00"))
    runs.begin(alice.pk, Run.Trigger.MANUAL, clock.now(), clock.now())
    return alice


@pytest.fixture
def ask(
    alice: User, api_of: Callable[[User], ApiClient], request: pytest.FixtureRequest
) -> Callable[..., dict[str, Any]]:
    """What the endpoint at the `PATH` of the test module answers alice under some parameters."""

    def answer(**params: object) -> dict[str, Any]:
        response = api_of(alice).get(request.module.PATH, **params)
        assert response.status_code == 200
        body: dict[str, Any] = response.json()
        return body

    return answer


@pytest.fixture
def kept_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing an answer ends its request, which would also end the test's transaction."""
    monkeypatch.setattr(connection, "close_if_unusable_or_obsolete", lambda: None)


@pytest.fixture
def tied_calls(alice: User) -> User:
    """Calls of alice with ties in every column of an order."""
    archive(
        alice,
        call("a", ts="2026-09-01 00:00:00", credits=2, model="kimi", client="ide", prompt="first"),
        call("z", ts="2026-09-01 23:59:59", credits=1, model="glm", client="cli", prompt="second"),
        call("c", ts="2026-09-02 00:00:00", credits=2, model="glm", client="ide"),
        call("d", ts="2026-09-02 00:00:00", credits=2, model="glm", client="ide"),
        call("e", ts="2026-09-03 12:00:00", credits=0, model="kimi", client="cli"),
    )
    return alice


@pytest.fixture
def owner(alice: User) -> int:
    """Nine days of five calls each, from the 1st to the 9th, of two models and two clients."""
    archive(
        alice,
        *(
            call(
                f"{day}-{number}",
                ts=f"2026-09-0{day} 0{number}:00:00",
                model=("glm", "kimi")[number % 2],
                client=("ide", "cli")[number // 3],
                agent_purpose=("chat", "")[number // 4],
                credits=day * 5 + number,
            )
            for day in range(1, 10)
            for number in range(5)
        ),
    )
    return alice.pk
