"""A clock and a tick that tests set, accounts at the simulator, and data folders with processes of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from accounts.models import User
from collection import compaction
from collection.schedule import scheduler
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import set_up
from tests.collection.credential_endpoint import AGENT, set_agent
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import Instance
from tests.collection.scheduling import At, berlin
from tests.collection.simulator_client import NOW, simulator_at
from tests.factories import ApiClient
from tests.standing_clock import SetClock


@pytest.fixture
def time(time: SetClock) -> SetClock:
    """The time of the archive and of the `upstream`: the end of a day in Shanghai."""
    time.now = NOW
    return time


@pytest.fixture
def upstream(time: SetClock) -> Iterator[Simulator]:
    """Two accounts with about 20 calls a day over the last ten days, at the time of the test."""
    with simulator_at(accounts=2, now=time.now) as running:
        running.now = lambda: time.now
        yield running


@pytest.fixture
def upstream_of_60_days(time: SetClock) -> Iterator[Simulator]:
    """Two accounts with calls of 60 days, the oldest of 2026-07-10."""
    with simulator_at(days=60, per_day=3, accounts=2, now=time.now) as running:
        running.now = lambda: time.now
        yield running


@pytest.fixture
def gated() -> Iterator[GatedSimulator]:
    """A simulator in real time that can hold an answer back."""
    simulator = GatedSimulator(accounts=2, days=3, per_day=40)
    with simulator:
        yield simulator
        simulator.release()


@pytest.fixture
def instance(made_once: Path, tmp_path: Path, running_clock: None) -> Iterator[Instance]:
    """A separate data folder with the account alice; processes that the test left there are ended."""
    with Instance.copied(made_once, tmp_path / "home") as copy:
        yield copy


@pytest.fixture
def at(time: SetClock) -> At:
    """Run the tick at a time by the wall clock of Berlin; return the number of runs that it queued."""

    def tick_at(text: str, fold: int = 0) -> int:
        time.now = berlin(text, fold)
        return scheduler.queue_due_runs()

    return tick_at


@pytest.fixture
def api(alice: User, upstream: Simulator) -> ApiClient:
    """Alice, signed in and with a cookie."""
    set_up(alice, upstream)
    return ApiClient.signed_in(alice)


@pytest.fixture
def agent(alice: User) -> None:
    """Alice has a User-Agent."""
    set_agent(alice, AGENT)


@pytest.fixture
def quick_vacuum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compacting needs a store that is in no transaction; where only its conditions are tested it does nothing."""
    monkeypatch.setattr(compaction, "compact", lambda: None)
