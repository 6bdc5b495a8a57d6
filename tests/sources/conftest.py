"""A running source of each kind, for the kit."""

from collections.abc import Iterator

import pytest

from accounts.models import User
from tests.sources.played import PLAYERS
from tests.sources.player import WAITS, Played
from tests.standing_clock import SetClock


@pytest.fixture(params=PLAYERS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def played(kind: str, alice: User, time: SetClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    """A source with nine days, at noon; alice has its credential."""
    for module, name, value in WAITS:
        monkeypatch.setattr(module, name, value)
    with PLAYERS[kind].open(alice, lambda: time.now) as running:
        yield running
