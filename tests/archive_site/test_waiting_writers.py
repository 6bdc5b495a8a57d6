"""Threads that wait for a locked store together: docs/decisions.md#a-locked-store."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic

import pytest

from archive_site.lib.storage import lock_wait, waiting_writers
from archive_site.lib.storage.waiting_writers import PLACES, WaitingWriters
from archive_site.serving.web_server import THREADS
from tests.concurrency import together

WAIT = 2.0


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_wait, "_process", lock_wait.Process(WAIT, is_limited=True))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store"
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA journal_mode=WAL")
        made.execute("CREATE TABLE note (text)")
    return path


@pytest.fixture
def lock(store: Path) -> Iterator[sqlite3.Connection]:
    """Another program that has locked the store."""
    with closing(sqlite3.connect(store, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


def writer(store: Path, writers: WaitingWriters) -> Callable[[], tuple[bool, float]]:
    """A write: whether it worked, and the seconds that it took."""

    def write() -> tuple[bool, float]:
        begun = monotonic()
        with (
            closing(sqlite3.connect(store, timeout=0.05, isolation_level=None)) as own,
            suppress(sqlite3.OperationalError),
        ):
            writers.run(lambda: own.execute("INSERT INTO note VALUES ('x')"))
            return True, monotonic() - begun
        return False, monotonic() - begun

    return write


def test_half_of_the_threads_of_the_web_server_wait_for_long() -> None:
    assert PLACES == THREADS // 2


def test_of_many_at_once_a_few_wait_and_the_others_are_refused_after_a_moment(
    store: Path, lock: sqlite3.Connection
) -> None:
    answers = together(*[writer(store, WaitingWriters(4))] * 8)
    taken = sorted(seconds for _, seconds in answers)
    assert not any(worked for worked, _ in answers)
    assert taken[3] < WAIT / 2 < taken[4]
    assert WAIT <= taken[4] <= taken[7] < 2 * WAIT


def test_once_one_has_waited_in_vain_nobody_waits_while_the_lock_lasts(store: Path, lock: sqlite3.Connection) -> None:
    write = writer(store, WaitingWriters(4))
    write()
    assert write()[1] < WAIT / 2


def test_who_comes_later_waits_for_the_rest_of_the_time(store: Path, lock: sqlite3.Connection) -> None:
    write = writer(store, WaitingWriters(4))
    first = threading.Thread(target=write)
    first.start()
    first.join(WAIT / 2)
    assert write()[1] < 0.9 * WAIT
    first.join()


def test_another_lock_later_is_waited_for_again(
    store: Path, lock: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers = WaitingWriters(4)
    writer(store, writers)()
    monkeypatch.setattr(waiting_writers, "monotonic", lambda: monotonic() + 5)
    assert writer(store, writers)()[1] >= WAIT


def test_all_that_wait_write_once_the_lock_is_free(store: Path, lock: sqlite3.Connection) -> None:
    released = threading.Timer(0.2, lock.execute, ["ROLLBACK"])
    released.start()
    answers = together(*[writer(store, WaitingWriters(4))] * 8)
    released.join()
    assert all(worked for worked, _ in answers)
    assert lock.execute("SELECT COUNT(*) FROM note").fetchone() == (8,)


def test_a_place_is_free_again_after_a_failure(store: Path) -> None:
    writers = WaitingWriters(1)
    with closing(sqlite3.connect(store)) as own, pytest.raises(sqlite3.OperationalError, match="no such table"):
        writers.run(lambda: own.execute("INSERT INTO missing VALUES (1)"))
    with writers._place() as has_place:
        assert has_place


def test_a_write_that_may_be_left_out_is_tried_once() -> None:
    with waiting_writers.tried_once():
        assert not waiting_writers.may_wait()
    assert waiting_writers.may_wait()


def test_tasks_leave_the_wait_to_sqlite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_wait, "_process", lock_wait.Process())
    assert (waiting_writers.may_wait(), lock_wait.of_one_try()) == (False, lock_wait.OF_TASKS)
