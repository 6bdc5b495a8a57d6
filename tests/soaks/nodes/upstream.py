"""The simulated upstream of many accounts: a process of its own, and the same calls once more for comparison."""

import multiprocessing
import time
from dataclasses import dataclass
from datetime import datetime
from multiprocessing.connection import Connection
from typing import Self

from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.over_http.simulator_server import Reply

DAYS, PER_DAY = 3, 24


@dataclass(frozen=True)
class World:
    """What the upstream serves: the same seed and end always give the same calls."""

    accounts: int
    seed: int
    # In the future: new calls appear meanwhile.
    until: datetime

    def simulator(self) -> "TimedSimulator":
        return TimedSimulator(
            accounts=self.accounts, days=DAYS, per_day=PER_DAY, seed=self.seed, until=self.until
        )  # fmt: skip


class TimedSimulator(Simulator):
    """A simulator that notes when each request came."""

    def start(self) -> None:
        self.times: list[float] = []
        super().start()

    def respond(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> Reply:
        self.times.append(time.monotonic())
        return super().respond(method, path, headers, raw)


class Upstream:
    """The simulator in a process of its own, until the block ends."""

    def __init__(self, world: World) -> None:
        self._pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_serve, args=(theirs, world), daemon=True)

    def __enter__(self) -> Self:
        self._process.start()
        self.base_url: str
        self.cookies: list[str]
        self.base_url, self.cookies = self._pipe.recv()
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        self._process.join()

    def times(self) -> list[float]:
        """When each request came, by a clock that only counts on."""
        self._pipe.send("times")
        return list(self._pipe.recv())


def _serve(pipe: Connection, world: World) -> None:
    simulator = world.simulator()
    with simulator:
        pipe.send((simulator.base_url, [simulator.cookie(place) for place in range(world.accounts)]))
        while True:
            pipe.recv()
            pipe.send([*simulator.times])
