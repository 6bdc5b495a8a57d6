"""The workers of `manage.py up`: the cluster of django-q2, with one process less (docs/decisions.md#small-machines)."""

import logging
import os
import signal
import time
from collections.abc import Callable
from select import select
from threading import Event
from types import FrameType
from uuid import uuid4

from django.db import DatabaseError, connection
from django_q.cluster import Sentinel

from archive_site.lib.storage import engine
from collection import nodes

log = logging.getLogger(__name__)


def load() -> None:
    """Load the tasks that the workers run."""
    from archive_site import tasks

    assert tasks


def run() -> None:
    """Work until SIGTERM; tasks that run are finished.

    `manage.py qcluster` has one more process in front of the sentinel, which only waits for this signal.
    """
    stop = Stop(Beats() if engine.MAY_HAVE_SEVERAL_NODES else lambda: None)

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    sentinel = Sentinel(stop, Event(), uuid4(), start=False)
    signal.signal(signal.SIGTERM, end)
    # The queue ends a process by SIGTERM, so those that the sentinel starts must not inherit the handler.
    os.register_at_fork(after_in_child=_die_of_sigterm)
    sentinel.start()


class Stop:
    """The event that ends the sentinel; a signal handler may set it at any time, since it has no lock.

    The sentinel waits for it once a second, after it has looked after its processes: `each_turn` is called then.
    """

    def __init__(self, each_turn: Callable[[], None]) -> None:
        self._read, self._write = os.pipe()
        self._each_turn = each_turn

    def set(self) -> None:
        os.write(self._write, b".")

    def is_set(self) -> bool:
        return self._is_set_within(0)

    def wait(self, seconds: float) -> bool:
        self._each_turn()
        return self._is_set_within(seconds)

    def _is_set_within(self, seconds: float) -> bool:
        return bool(select([self._read], [], [], seconds)[0])


class Beats:
    """The heartbeats of this node's workers, which are due only now and then."""

    def __init__(self) -> None:
        self._due_at = 0.0

    def __call__(self) -> None:
        if time.monotonic() < self._due_at:
            return
        self._due_at = time.monotonic() + nodes.BEATS_EVERY.total_seconds()
        try:
            nodes.beat()
        except DatabaseError:
            log.warning("the heartbeat of this node could not be stored", exc_info=True)
            connection.close()


def _die_of_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
