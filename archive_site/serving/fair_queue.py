"""The queue in front of the threads: those who wait take turns (docs/decisions/web.md#turns-of-an-account)."""

from collections import OrderedDict, deque
from typing import Any


class FairQueue:
    """Tasks that wait for a thread: one of each lane in turn. Many of one lane make those of another wait for one.

    Waitress holds a lock at each call.
    """

    def __init__(self) -> None:
        self._lanes: OrderedDict[str, deque[Any]] = OrderedDict()
        self._number = 0

    def __len__(self) -> int:
        return self._number

    def append(self, task: Any) -> None:
        # A question to the store has no request.
        lane = task.requests[0].lane if hasattr(task, "requests") else ""
        self._lanes.setdefault(lane, deque()).append(task)
        self._number += 1

    def popleft(self) -> Any:
        lane, tasks = self._lanes.popitem(last=False)
        task = tasks.popleft()
        self._number -= 1
        if tasks:
            self._lanes[lane] = tasks
        return task
