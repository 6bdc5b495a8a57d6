"""The workers of `manage.py up`: the cluster of django-q2, with one process less.

The rules: docs/decisions/instance.md#small-machines.
"""

import logging
import os
import signal
import time
from collections.abc import Callable
from functools import partial
from select import select
from threading import Event
from types import FrameType
from typing import Any
from uuid import uuid4

from django.db import DatabaseError, connection
from django_q.cluster import Sentinel
from django_q.worker import worker

from archive_site.lib.storage import engine, store_damage
from collection import nodes
from collection.runs import lease

log = logging.getLogger(__name__)

# The timer of a worker that waits for a task.
_FREE = -1


def load() -> None:
    """Load the tasks that the workers run."""
    from archive_site import tasks

    assert tasks


def run() -> None:
    """Work until SIGTERM; tasks that run are finished.

    `manage.py qcluster` has one more process in front of the sentinel, which only waits for this signal.
    """
    stop = Stop()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    sentinel = Workers(stop, Event(), uuid4(), start=False)
    if engine.MAY_HAVE_SEVERAL_NODES:
        stop.each_turn = Beats(sentinel)
    signal.signal(signal.SIGTERM, end)
    # The queue ends a process by SIGTERM, so those that the sentinel starts must not inherit the handler.
    os.register_at_fork(after_in_child=_die_of_sigterm)
    sentinel.start()


class Workers(Sentinel):  # type: ignore[misc]  # django-q2 has no types
    """The sentinel, whose processes end without a traceback where the store is damaged or missing."""

    def spawn_process(self, target: Callable[..., None], *args: object) -> Any:
        # django-q2 recognises workers by their function, and they log what their tasks raise.
        return super().spawn_process(target if target == worker else partial(_until_unusable, target), *args)


class Stop:
    """The event that ends the sentinel; a signal handler may set it at any time, since it has no lock.

    The sentinel waits for it once a second, after it has looked after its processes: `each_turn` is called then.
    """

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        self.each_turn: Callable[[], None] = lambda: None

    def set(self) -> None:
        os.write(self._write, b".")

    def is_set(self) -> bool:
        return self._is_set_within(0)

    def wait(self, seconds: float) -> bool:
        self.each_turn()
        return self._is_set_within(seconds)

    def _is_set_within(self, seconds: float) -> bool:
        return bool(select([self._read], [], [], seconds)[0])


class Beats:
    """The heartbeats of this node's workers, which are due only now and then.

    Workers that are stuck have none, so that `up` starts them again: ticks of another node hide that they do nothing.
    """

    def __init__(self, sentinel: Sentinel) -> None:
        self._sentinel = sentinel
        self._due_at = 0.0

    def __call__(self) -> None:
        if time.monotonic() < self._due_at:
            return
        self._due_at = time.monotonic() + nodes.BEATS_EVERY.total_seconds()
        try:
            if not self._is_stuck():
                nodes.beat()
        except DatabaseError:
            log.warning("the heartbeat of this node could not be stored", exc_info=True)
            connection.close()

    def _is_stuck(self) -> bool:
        """Whether tasks wait for workers that are free, or results for being recorded: a process that was killed held
        the lock of their queue, and its successor waits for it for ever."""
        if not self._sentinel.task_queue.empty() and any(one.timer.value == _FREE for one in self._sentinel.pool):
            return True
        # Missing results do not justify a restart that would interrupt a collection.
        return not self._sentinel.result_queue.empty() and not lease.runs_here()


def _until_unusable(target: Callable[..., None], *args: object) -> None:
    try:
        target(*args)
    except DatabaseError as error:
        if not store_damage.is_unusable(error):
            raise
        log.warning("a process of the queue starts again", exc_info=True)


def _die_of_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
