"""Long writes in parts, between which other writers get the store: docs/decisions/store.md#long-writes-in-parts."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import TypeVar

from django.conf import settings
from django.db import OperationalError, connection, transaction

from archive_site.lib.locks import file_lock
from archive_site.lib.storage import busy_errors, engine, lock_wait

T = TypeVar("T")
# Seconds that a part aims at: one that takes longer than expected still ends within half a second.
AIM = 0.3
# SQLite's writers have no queue. Those who wait ask again after a tenth of a second at the latest.
GAP = 0.1
# Then another long write asks for its turn before this one asks again.
_GAP_OF_LONG_WRITES = 0.005
_LOCK = "long-writes.lock"


class Parts:
    """The parts of one long write. `size` is how much the next one may hold, in what the caller counts (rows, bytes).

    The size follows from how long parts took, within `least` and `most`.
    """

    def __init__(self, size: int, *, least: int = 1, most: int):
        self.size = size
        self._least, self._most = least, most

    @contextmanager
    def part(self, amount: int | None = None) -> Iterator[None]:
        """One part in a transaction of its own, then a gap for other writers; it holds `amount`, or `size`.

        Long writes take turns, so that none begins in the gap of another one. Raises OperationalError where the store
        stays locked for 20 seconds, and RuntimeError within another part or transaction, which would hold it meanwhile.
        """
        _require_outermost()
        with _turn():
            with ExitStack() as block:
                _begin(block)
                begun = time.monotonic()
                yield
            seconds = time.monotonic() - begun
            self._adapt(self.size if amount is None else amount, seconds)
            if engine.IS_SQLITE:
                time.sleep(min(seconds, GAP))
        if engine.IS_SQLITE:
            time.sleep(min(seconds, _GAP_OF_LONG_WRITES))

    def _adapt(self, amount: int, seconds: float) -> None:
        # A small part says nothing of the time that a full one would take.
        if seconds < AIM and amount < self.size:
            return
        fitting = int(amount * AIM / max(seconds, 0.001))
        self.size = max(self._least, min(fitting, 2 * self.size, self._most))


def _require_outermost() -> None:
    """Raise before the turn is awaited: who waits for a turn that it has itself waits for ever."""
    # Django asks the same at the begin of a durable block; the transaction around a test is none.
    if connection.atomic_blocks and not connection.atomic_blocks[-1]._from_testcase:  # type: ignore[attr-defined]
        raise RuntimeError("A part of a long write must not begin within another part or within a transaction.")


def _turn() -> AbstractContextManager[None]:
    # PostgreSQL locks rows only, so others need no gap there.
    return file_lock.held(settings.DATA_FOLDER.home / _LOCK, wait=None) if engine.IS_SQLITE else nullcontext()


def _begin(block: ExitStack) -> None:
    """Begin a transaction that lasts as long as `block`; a thread of the web server waits for it as a task does."""
    until = time.monotonic() + lock_wait.OF_TASKS
    while True:
        try:
            block.enter_context(transaction.atomic(durable=True))
        except OperationalError as error:
            if not busy_errors.is_busy(error) or time.monotonic() > until:
                raise
        else:
            return


def next_part(items: Iterator[T], size: int, weight: Callable[[T], int]) -> list[T]:
    """The next items, until their weights reach the size; none where there are no more."""
    part: list[T] = []
    while size > 0 and (item := next(items, None)) is not None:
        part.append(item)
        size -= weight(item)
    return part
