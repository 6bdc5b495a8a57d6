"""The parts of `up`: the lock of the folder, children and how they are ended."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from archive_site.lib.environment import ConfigurationError
from archive_site.serving.child_processes import Child, end_leftovers, remember, wait_for_end
from archive_site.serving.supervisor import FolderLock
from tests import processes
from tests.archive_site.commands import wait_until


def sleep() -> None:
    time.sleep(60)


def sleep_beside_another() -> None:
    subprocess.Popen(["sleep", "60"])
    sleep()


@pytest.fixture
def child() -> Iterator[Child]:
    running = Child("sleeper", sleep)
    running.start()
    yield running
    running.kill()


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
    pid = child.process.pid
    assert pid is not None
    assert os.getpgid(pid) == os.getsid(pid) == pid != os.getpgid(0)


def test_a_child_does_not_inherit_the_handlers_of_signals() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        child = Child("sleeper", sleep)
        child.start()
        child.ask_to_stop()
        wait_for_end([child], 60)
        assert child.process is not None
        assert child.process.exitcode == -signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="this system shows no names of processes")
def test_a_child_shows_its_name(child: Child) -> None:
    assert child.process is not None
    shown = psutil.Process(child.process.pid)
    wait_until(lambda: shown.name() == "sleeper")


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
    remember(tmp_path / "lock", [child, Child("never started", sleep)])
    assert json.loads((tmp_path / "lock").read_text())["groups"] == []


def test_a_child_that_dies_soon_waits_longer_each_time() -> None:
    child = Child("sleeper", sleep)
    child.started_at = time.monotonic()
    waits = [child.seconds_to_wait() for _ in range(8)]
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_a_child_that_ran_for_long_starts_again_at_once() -> None:
    child = Child("sleeper", sleep)
    child.failures, child.started_at = 5, time.monotonic() - 61
    assert child.seconds_to_wait() == 0.5


def test_waiting_ends_with_the_last_child(child: Child) -> None:
    began = time.monotonic()
    child.ask_to_stop()
    wait_for_end([child], 60)
    assert (child.is_running(), time.monotonic() - began < 60) == (False, True)


def test_waiting_has_an_end_though_a_child_has_none(child: Child) -> None:
    began = time.monotonic()
    wait_for_end([child], 0.2)
    assert child.is_running()
    assert time.monotonic() - began < 15


def test_a_kill_ends_what_the_child_started_too() -> None:
    child = Child("parent", sleep_beside_another)
    child.start()
    assert child.process is not None
    leader = psutil.Process(child.process.pid)
    while not leader.children():
        time.sleep(0.02)
    grandchild = leader.children()[0]
    child.kill()
    deadline = time.monotonic() + 60
    while processes.run(grandchild):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_lock_is_not_handed_to_children(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "lock")
    lock.take()
    process = subprocess.Popen(["sleep", "60"])
    forked = Child("sleeper", sleep)
    forked.start()
    lock._file.close()
    try:
        FolderLock(tmp_path / "lock").take()
    finally:
        forked.kill()
        process.kill()
        process.wait()
