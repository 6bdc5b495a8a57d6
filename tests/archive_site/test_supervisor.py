"""The supervisor of `up`: it ends its children, and finds workers that are wedged."""

import multiprocessing
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import OperationalError, connections
from django_q.models import Success

from archive_site.lib import clock
from archive_site.lib.locks.write_freeze import frozen
from archive_site.serving import schedules, supervisor
from archive_site.serving.bind_address import Address
from archive_site.serving.child_processes import Child
from archive_site.serving.supervisor import Supervisor
from archive_site.tasks import tick
from collection import nodes
from collection.models import Heartbeat
from collection.runs import lease, run_start
from tests.archive_site.commands import wait_until
from tests.backups.filled_instance import backed_up, restored, settle_in
from tests.standing_clock import SetClock

# That a process is deaf by now.
DEAF = multiprocessing.get_context("fork").Event()


def deaf() -> None:
    """The work of a process that ignores SIGTERM, and says so."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    DEAF.set()
    sleep(60)


@pytest.fixture
def supervised(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Supervisor]:
    """A supervisor whose web server does not listen to SIGTERM, and whose patience is short."""
    monkeypatch.setattr(supervisor, "PATIENCE", 0.3)
    DEAF.clear()
    # What is done once the children are started.
    monkeypatch.setattr(supervisor, "remember", lambda path, children: DEAF.wait(60))
    # With its connection a test would lose its transaction.
    monkeypatch.setattr(connections, "close_all", lambda: None)
    said: list[str] = []
    with Address("127.0.0.1", 0).bound() as listener:
        made = Supervisor(listener, worker=False, say=said.append)
        made.web.work = deaf
        yield made
        made.web.kill()


@pytest.mark.django_db
def test_a_child_that_will_not_stop_is_killed(supervised: Supervisor) -> None:
    supervised.stopping = True
    supervised.run()
    assert supervised.web.process is not None
    assert supervised.web.process.exitcode == -signal.SIGKILL


@pytest.mark.django_db
def test_a_store_that_fails_does_not_keep_the_children_alive(
    supervised: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(run_ids: list[int]) -> int:
        raise OperationalError("the store is gone")

    monkeypatch.setattr("archive_site.serving.supervisor.runs.request_stop", fail)
    supervised.stopping = True
    supervised.run()
    assert not supervised.web.is_running()


@pytest.mark.django_db
def test_a_store_that_is_locked_when_the_first_tick_is_queued_does_not_end_it(
    supervised: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[bool] = []

    def fail(task: str) -> None:
        raise OperationalError("database is locked")

    def look() -> None:
        looked.append(supervised.cluster.is_running())
        supervised.stopping = True

    monkeypatch.setattr(supervisor, "async_task", fail)
    monkeypatch.setattr(supervisor, "_load", lambda *, worker: None)
    monkeypatch.setattr(supervised, "_look_after_children", look)
    supervised.cluster.work = deaf
    supervised.children.append(supervised.cluster)
    supervised.run()
    assert looked == [True]


@pytest.mark.django_db
def test_whatever_goes_wrong_here_the_children_end(supervised: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError

    monkeypatch.setattr(supervised, "_look_after_children", fail)
    with pytest.raises(RuntimeError):
        supervised.run()
    assert not supervised.web.is_running()


@pytest.mark.django_db
def test_nobody_can_connect_while_a_web_server_ends(supervised: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    listener = supervised.listener
    assert listener is not None
    listener.listen()
    address = listener.getsockname()

    def closing() -> None:
        listener.close()
        deaf()

    def refuses(children: list[Child], seconds: float) -> None:
        wait_until(lambda: not connects(address))

    supervised.web.work = closing
    monkeypatch.setattr(supervisor, "wait_for_end", refuses)
    supervised.stopping = True
    supervised.run()


def connects(address: tuple[str, int]) -> bool:
    try:
        socket.create_connection(address, timeout=30).close()
    except ConnectionRefusedError:
        return False
    return True


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("beats", "recorded", "collecting", "wedged"),
    [
        (True, True, False, False),
        (False, True, False, True),
        (True, False, False, True),
        (True, False, True, False),
        (False, False, True, True),
    ],
)
def test_workers_that_are_silent_or_keep_no_results_are_wedged(
    beats: bool, recorded: bool, collecting: bool, wedged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock.now()
    if beats:
        Heartbeat.objects.create(name=run_start.HEARTBEAT, at=now)
        nodes.beat()
    if recorded:
        Success.objects.create(id="1", name="tick", func=schedules.TICK_TASK, started=now, stopped=now, success=True)
    if collecting:
        assert lease.take()
    monkeypatch.setattr(supervisor, "close_old_connections", lambda: None)
    assert long_running()._seem_wedged() == wedged


@pytest.mark.django_db
def test_workers_that_are_silent_for_a_moment_after_a_jump_of_the_clock_stay(
    time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the sleep of a laptop would kill each run under way."""
    works(clock.now())
    time.pass_by(hours=8)
    running = long_running()
    assert not running._are_wedged()
    works(clock.now())
    assert not running._are_wedged()
    time.pass_by(hours=8)
    assert not running._are_wedged()
    since = running._seem_wedged_since
    assert since
    running._seem_wedged_since = since - supervisor._WEDGED_FOR
    assert running._are_wedged()


def long_running() -> Supervisor:
    """One whose workers were started more than three minutes ago, at a moment in which it looks after them."""
    running = Supervisor(None, say=print)
    running.cluster.started_at = monotonic() - run_start.HEARTBEAT_SILENT_AFTER.total_seconds() - 1
    running._looked_at = monotonic() - 60
    return running


@pytest.fixture
def old_backup() -> Iterator[Path]:
    """A backup from before the workers' first tick."""
    settle_in()
    yield backed_up()
    for path in settings.DATA_FOLDER.backups.glob("*.zip*"):
        path.unlink()


def works(at: datetime) -> None:
    """What the workers leave behind each minute."""
    tick()
    nodes.beat()
    Success.objects.create(id=uuid4().hex, name="tick", func=schedules.TICK_TASK, started=at, stopped=at, success=True)


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_restore_leaves_the_workers_in_peace(old_backup: Path) -> None:
    """A restore replaces accounts, data and settings, but no process: `scheduler.running` stays true."""
    works(clock.now())
    restored(old_backup, include_instance=False)
    assert not long_running()._seem_wedged()
    assert run_start.workers_are_alive()


@pytest.mark.django_db(transaction=True)
def test_workers_that_wait_for_a_long_restore_are_not_wedged(old_backup: Path, time: SetClock) -> None:
    """`scheduler.running` stays true while a restore replaces the store."""
    works(clock.now())
    time.pass_by(minutes=10)
    with frozen(), ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(works, time.now).result()
        elsewhere.submit(connections.close_all).result()
        assert not long_running()._seem_wedged()


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("beats", [True, False])
def test_workers_that_are_wedged_after_a_restore_are_found(beats: bool, old_backup: Path, time: SetClock) -> None:
    works(clock.now())
    restored(old_backup, include_instance=False)
    time.now += run_start.HEARTBEAT_SILENT_AFTER + timedelta(seconds=1)
    if beats:
        tick()
        nodes.beat()
    assert long_running()._seem_wedged()
