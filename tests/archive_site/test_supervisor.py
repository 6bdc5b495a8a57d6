"""The parts of `up`: addresses, the lock of the folder, children and how they are ended."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest
from django.conf import settings
from django.db import OperationalError, connections
from django_q.models import Success

from archive_site.lib import clock
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.locks.write_freeze import frozen
from archive_site.serving import supervisor
from archive_site.serving.child_processes import Child, end_leftovers, remember, wait_for_end
from archive_site.serving.supervisor import Address, FolderLock, Supervisor
from archive_site.tasks import tick
from collection import lease, run_start
from collection.models import Heartbeat
from tests.backups.filled_instance import backed_up, restored, settle_in

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
DEAF = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(60)",
]
PARENT = "import subprocess, time; subprocess.Popen(['sleep', '60']); time.sleep(60)"


@pytest.fixture
def child() -> Iterator[Child]:
    running = Child("sleeper", SLEEP)
    running.start()
    yield running
    running.kill()


@pytest.mark.parametrize(
    ("text", "host", "port", "url"),
    [
        ("127.0.0.1:8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        (":8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        ("8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
        ("0.0.0.0:80", "0.0.0.0", 80, "http://127.0.0.1:80"),
        ("[::1]:8000", "::1", 8000, "http://[::1]:8000"),
        ("[::]:8000", "::", 8000, "http://[::1]:8000"),
        ("localhost:8000", "127.0.0.1", 8000, "http://127.0.0.1:8000"),
    ],
)
def test_an_address_is_read_and_shown_as_one_can_open_it(text: str, host: str, port: int, url: str) -> None:
    address = Address.parse(text)
    assert (address.host, address.port, address.url) == (host, port, url)


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:http", "host:-1", "", "127.0.0.1:\u0668\u0660"]
)
def test_an_address_without_a_port_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"\A--bind .*\Z"):
        Address.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0:80",
        "192.0.2.1:80",
        "[::]:80",
        "[::1234]:80",
        "example.org:80",
        "localhost.example.org:80",
        "127.evil:80",
    ],
)
def test_debug_mode_refuses_all_but_this_machine(text: str, settings: Any) -> None:
    settings.DEBUG = True
    with pytest.raises(ConfigurationError, match="this machine only"):
        Address.parse(text)


@pytest.mark.parametrize("text", ["127.0.0.1:80", "127.8.8.8:80", "[::1]:80", "localhost:80", ":80"])
def test_debug_mode_serves_this_machine(text: str, settings: Any) -> None:
    settings.DEBUG = True
    assert Address.parse(text).port == 80


@pytest.mark.parametrize("host", ["no..host", "192.0.2.1", "name.invalid"])
def test_an_address_of_elsewhere_is_one_line(host: str) -> None:
    with pytest.raises(ConfigurationError, match=r"\ACannot listen on .*\Z"):
        Address.parse(f"{host}:8000").require_free()


def test_of_two_that_want_the_folder_one_has_it(tmp_path: Path) -> None:
    first = FolderLock(tmp_path / "lock")
    first.take()
    with pytest.raises(ConfigurationError, match="Another 'manage.py up'"):
        FolderLock(tmp_path / "lock").take()


def test_the_folder_is_free_again_with_the_end_of_who_had_it(tmp_path: Path) -> None:
    holder = FolderLock(tmp_path / "lock")
    holder.take()
    holder._file.close()
    FolderLock(tmp_path / "lock").take()


def test_a_child_leads_a_group_of_its_own(child: Child) -> None:
    assert child.process is not None
    assert os.getpgid(child.process.pid) == child.process.pid != os.getpgid(0)


def test_what_a_killed_start_left_is_ended(child: Child, tmp_path: Path) -> None:
    remember(tmp_path / "lock", [child])
    assert end_leftovers(tmp_path / "lock") == 1
    assert not child.is_running()


def test_a_number_that_belongs_to_another_by_now_is_left_alone(child: Child, tmp_path: Path) -> None:
    assert child.process is not None
    remember(tmp_path / "lock", [child])
    noted = json.loads((tmp_path / "lock").read_text())
    noted["groups"] = [[child.process.pid, child_created(child) - 100]]
    (tmp_path / "lock").write_text(json.dumps(noted))
    assert end_leftovers(tmp_path / "lock") == 0
    assert child.is_running()


def test_in_a_copy_of_the_folder_the_originals_are_left_alone(child: Child, tmp_path: Path) -> None:
    remember(tmp_path / "lock", [child])
    shutil.copy2(tmp_path / "lock", tmp_path / "copy")
    assert end_leftovers(tmp_path / "copy") == 0
    assert child.is_running()
    assert end_leftovers(tmp_path / "lock") == 1


def child_created(child: Child) -> float:
    assert child.process is not None
    return psutil.Process(child.process.pid).create_time()


@pytest.mark.parametrize("content", ["", "nonsense", "[]", "[[", "[[1]]", '{"a": 1}', '["x"]', '[["x", "y"]]'])
def test_a_lock_file_of_another_kind_ends_nothing(content: str, tmp_path: Path) -> None:
    (tmp_path / "lock").write_text(content)
    assert end_leftovers(tmp_path / "lock") == 0


def test_ended_children_are_not_remembered(child: Child, tmp_path: Path) -> None:
    child.kill()
    remember(tmp_path / "lock", [child, Child("never started", SLEEP)])
    assert json.loads((tmp_path / "lock").read_text())["groups"] == []


def test_a_child_that_dies_soon_waits_longer_each_time() -> None:
    child = Child("sleeper", SLEEP)
    child.started_at = time.monotonic()
    waits = [child.seconds_to_wait() for _ in range(8)]
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_a_child_that_ran_for_long_starts_again_at_once() -> None:
    child = Child("sleeper", SLEEP)
    child.failures, child.started_at = 5, time.monotonic() - 61
    assert child.seconds_to_wait() == 0.5


def test_waiting_ends_with_the_last_child(child: Child) -> None:
    began = time.monotonic()
    child.ask_to_stop()
    wait_for_end([child], 10)
    assert (child.is_running(), time.monotonic() - began < 5) == (False, True)


def test_waiting_has_an_end_though_a_child_has_none(child: Child) -> None:
    began = time.monotonic()
    wait_for_end([child], 0.2)
    assert child.is_running()
    assert time.monotonic() - began < 2


def test_a_kill_ends_what_the_child_started_too() -> None:
    child = Child("parent", [sys.executable, "-c", PARENT])
    child.start()
    assert child.process is not None
    leader = psutil.Process(child.process.pid)
    while not leader.children():
        time.sleep(0.02)
    grandchild = leader.children()[0]
    child.kill()
    deadline = time.monotonic() + 5
    while grandchild.is_running() and grandchild.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def supervised(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Supervisor]:
    """A supervisor whose web server does not listen to SIGTERM, and whose patience is short."""
    monkeypatch.setattr(supervisor, "PATIENCE", 0.3)
    monkeypatch.setattr(supervisor, "remember", lambda path, children: None)
    said: list[str] = []
    made = Supervisor(Address("127.0.0.1", 1), worker=False, say=said.append)
    made.web.command = DEAF
    yield made
    made.web.kill()


@pytest.mark.django_db
def test_a_child_that_will_not_stop_is_killed(supervised: Supervisor) -> None:
    supervised.stopping = True
    supervised.run()
    assert supervised.web.process is not None
    assert supervised.web.process.returncode in (-signal.SIGTERM, -signal.SIGKILL)


@pytest.mark.django_db
def test_a_store_that_fails_does_not_keep_the_children_alive(
    supervised: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> int:
        raise OperationalError("the store is gone")

    monkeypatch.setattr("archive_site.serving.supervisor.runs.request_stop", fail)
    supervised.stopping = True
    supervised.run()
    assert not supervised.web.is_running()


@pytest.mark.django_db
def test_whatever_goes_wrong_here_the_children_end(supervised: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError

    monkeypatch.setattr(supervised, "_look_after_children", fail)
    with pytest.raises(RuntimeError):
        supervised.run()
    assert not supervised.web.is_running()


def test_the_lock_is_not_handed_to_children(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "lock")
    lock.take()
    process = subprocess.Popen(SLEEP)
    lock._file.close()
    try:
        FolderLock(tmp_path / "lock").take()
    finally:
        process.kill()
        process.wait()


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
    if recorded:
        Success.objects.create(id="1", name="tick", func=supervisor.TICK_TASK, started=now, stopped=now, success=True)
    if collecting:
        assert lease.take()
    monkeypatch.setattr(supervisor, "close_old_connections", lambda: None)
    assert long_running()._is_wedged() == wedged


def long_running() -> Supervisor:
    """One whose workers were started more than three minutes ago, at a moment in which it looks after them."""
    running = Supervisor(Address("127.0.0.1", 8000), worker=True, say=print)
    running.cluster.started_at = time.monotonic() - run_start.HEARTBEAT_SILENT_AFTER.total_seconds() - 1
    running._looked_at = time.monotonic() - 60
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
    Success.objects.create(id=uuid4().hex, name="tick", func=supervisor.TICK_TASK, started=at, stopped=at, success=True)


@pytest.mark.django_db(transaction=True)
def test_a_restore_leaves_the_workers_in_peace(old_backup: Path) -> None:
    """A restore replaces accounts, data and settings, but no process: `scheduler.running` stays true."""
    works(clock.now())
    restored(old_backup, include_instance=False)
    assert not long_running()._is_wedged()
    assert run_start.workers_are_alive()


@pytest.mark.django_db(transaction=True)
def test_workers_that_wait_for_a_long_restore_are_not_wedged(old_backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`scheduler.running` stays true while a restore replaces the store."""
    works(clock.now())
    later = clock.now() + timedelta(minutes=10)
    monkeypatch.setattr(clock, "now", lambda: later)
    with frozen(), ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(works, later).result()
        elsewhere.submit(connections.close_all).result()
        assert not long_running()._is_wedged()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("beats", [True, False])
def test_workers_that_are_wedged_after_a_restore_are_found(
    beats: bool, old_backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    works(clock.now())
    restored(old_backup, include_instance=False)
    later = clock.now() + run_start.HEARTBEAT_SILENT_AFTER + timedelta(seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    if beats:
        tick()
    assert long_running()._is_wedged()
