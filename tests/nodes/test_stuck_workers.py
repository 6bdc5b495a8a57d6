"""Workers that are stuck have no heartbeat, so that their node starts them again.

Another node goes on with the ticks meanwhile, so those do not show it
(docs/decisions/scheduling.md#stopping-and-wedging).
"""

import signal
from collections.abc import Iterator
from multiprocessing import Event, Value
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django_q.cluster import Sentinel

from archive_site.serving.workers import Beats, Stop
from collection import nodes
from collection.runs import lease
from tests.archive_site.commands import wait_until

pytestmark = [pytest.mark.postgres_only, pytest.mark.django_db]
FREE, BUSY = -1, 60


@pytest.fixture
def sentinel() -> Iterator[Sentinel]:
    """One that was not started, with a worker that is free."""
    signals = (signal.SIGINT, signal.SIGTERM)
    handlers = [signal.getsignal(number) for number in signals]
    made = Sentinel(Stop(), Event(), uuid4(), start=False)
    # It sets handlers of its own.
    for number, handler in zip(signals, handlers, strict=True):
        signal.signal(number, handler)
    made.pool = [SimpleNamespace(timer=Value("f", FREE))]
    yield made
    for queue in (made.task_queue, made.result_queue):
        queue.cancel_join_thread()
        queue.close()


def beats(sentinel: Sentinel) -> bool:
    """Whether the node gives a sign of life."""
    nodes.leave()
    Beats(sentinel)()
    return bool(nodes.known())


def test_idle_workers_have_one(sentinel: Sentinel) -> None:
    assert beats(sentinel)


def test_free_workers_that_leave_a_task_have_none(sentinel: Sentinel) -> None:
    sentinel.task_queue.put("a task")
    wait_until(lambda: not sentinel.task_queue.empty())
    assert not beats(sentinel)


def test_a_task_may_wait_for_busy_workers(sentinel: Sentinel) -> None:
    sentinel.pool[0].timer.value = BUSY
    sentinel.task_queue.put("a task")
    wait_until(lambda: not sentinel.task_queue.empty())
    assert beats(sentinel)


def test_results_that_nobody_records_end_it(sentinel: Sentinel) -> None:
    sentinel.result_queue.put("a result")
    wait_until(lambda: not sentinel.result_queue.empty())
    assert not beats(sentinel)


def test_a_collection_goes_on_while_results_are_not_recorded(sentinel: Sentinel) -> None:
    sentinel.result_queue.put("a result")
    wait_until(lambda: not sentinel.result_queue.empty())
    token = lease.take(archive_id=1)
    assert token
    lease.assign(token, 1)
    assert beats(sentinel)
