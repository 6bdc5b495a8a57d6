"""A simulator that holds one answer back, so that a test can do something in the middle of a run."""

from threading import Event
from typing import Any

from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.over_http.simulator_server import Reply


class GatedSimulator(Simulator):
    """After `hold_at(n)` the n-th request from now on waits for `release`; `reached` is set when it arrives."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.reached, self._released = Event(), Event()
        self._held = 0

    def hold_at(self, number: int) -> None:
        self.reached.clear()
        self._released.clear()
        self._held = self.request_count + number

    def release(self) -> None:
        self._released.set()

    def respond(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> Reply:
        if self._held and not self.is_beside_calls(path) and self.request_count + 1 == self._held:
            self._held = 0
            self.reached.set()
            self._released.wait(60)
        return super().respond(method, path, headers, raw)
