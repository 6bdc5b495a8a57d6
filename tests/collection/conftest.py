"""A clock that tests set, accounts at the simulator, and data folders whose commands run in processes of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from archive_site.lib import clock
from collection.simulator.simulator import Simulator
from tests.collection.collector_run import SetClock
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import Instance
from tests.collection.simulator_client import simulator_at


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """The time of the archive and of the `upstream`; stands still but for `pass_by`."""
    clock_of_test = SetClock()
    monkeypatch.setattr(clock, "now", lambda: clock_of_test.now)
    return clock_of_test


@pytest.fixture
def upstream(time: SetClock) -> Iterator[Simulator]:
    """Two accounts with about 20 calls a day over the last ten days, at the time of the test."""
    with simulator_at(accounts=2, now=time.now) as running:
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
def instance(made_once: Path, tmp_path: Path) -> Iterator[Instance]:
    """A separate data folder with the account alice; processes that the test left there are ended."""
    with Instance.copied(made_once, tmp_path / "home") as copy:
        yield copy
