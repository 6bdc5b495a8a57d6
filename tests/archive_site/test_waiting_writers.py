"""Threads that wait for a locked store together: docs/decisions/store.md#a-locked-store."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from archive_site.lib.storage import lock_wait, waiting_writers
from archive_site.lib.storage.lock_wait import PLACES
from archive_site.lib.storage.waiting_writers import WaitingWriters
from archive_site.serving.web_server import THREADS
from tests.archive_site.commands import wait_until
from tests.concurrency import together

WAIT = 2.0
# What a try at the locked store takes on the clock of these tests.
TRY = 0.1


class Clock:
    """A time that passes only where a test or a write lets it pass."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(waiting_writers, "monotonic", made)
    monkeypatch.setattr(lock_wait, "_process", lock_wait.Process(WAIT, is_limited=True))
    return made


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


def insert(store: Path) -> None:
    with closing(sqlite3.connect(store, timeout=0.01, isolation_level=None)) as own:
        own.execute("INSERT INTO note VALUES ('x')")


@pytest.fixture
def refused_after(store: Path, lock: sqlite3.Connection, clock: Clock) -> Callable[[WaitingWriters], float]:
    """A write that finds the store locked at each try: the seconds after which it is refused."""

    def write() -> None:
        clock.now += TRY
        insert(store)

    def seconds(writers: WaitingWriters) -> float:
        begun = clock.now
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            writers.run(write)
        return clock.now - begun

    return seconds


def test_half_of_the_threads_of_the_web_server_wait_for_long() -> None:
    assert PLACES == THREADS // 2


def test_of_many_at_once_a_few_wait_and_the_others_are_refused_after_a_moment(
    store: Path, lock: sqlite3.Connection, clock: Clock
) -> None:
    writers, have_begun, may_try = WaitingWriters(4), threading.Barrier(9, timeout=60), threading.Event()
    trying: list[int] = []

    def write(number: int) -> None:
        # The first try is under way when the time passes by: by then all have looked at the clock, and for a place.
        is_first = iter([True])

        def statement() -> None:
            if next(is_first, False):
                have_begun.wait()
                assert may_try.wait(60)
            trying.append(number)
            insert(store)

        with pytest.raises(sqlite3.OperationalError, match="locked"):
            writers.run(statement)

    with ThreadPoolExecutor(8) as pool:
        writes = [pool.submit(write, number) for number in range(8)]
        try:
            have_begun.wait()
            clock.now += WAIT / 2
            may_try.set()
            wait_until(lambda: sum(one.done() for one in writes) == 4)
            trying.clear()
            # The others go on.
            wait_until(lambda: len(set(trying)) == 4)
            assert sum(one.done() for one in writes) == 4
        finally:
            clock.now += WAIT
    assert [one.result() for one in writes] == [None] * 8


def test_one_with_a_place_waits_as_long_as_it_may(refused_after: Callable[[WaitingWriters], float]) -> None:
    assert WAIT <= refused_after(WaitingWriters(4)) < WAIT + 2 * TRY


def test_once_one_has_waited_in_vain_nobody_waits_while_the_lock_lasts(
    refused_after: Callable[[WaitingWriters], float],
) -> None:
    writers = WaitingWriters(4)
    refused_after(writers)
    assert refused_after(writers) < 2 * TRY


def test_who_comes_later_waits_for_the_rest_of_the_time(
    store: Path, clock: Clock, refused_after: Callable[[WaitingWriters], float]
) -> None:
    writers, seconds = WaitingWriters(4), []

    def first() -> None:
        # Another thread comes half a time after this one, which was locked out and still waits.
        clock.now += WAIT / 2
        seconds.append(refused_after(writers))
        insert(store)

    with pytest.raises(sqlite3.OperationalError, match="locked"):
        writers.run(first)
    assert WAIT / 2 <= seconds[0] < WAIT / 2 + 2 * TRY


def test_another_lock_later_is_waited_for_again(clock: Clock, refused_after: Callable[[WaitingWriters], float]) -> None:
    writers = WaitingWriters(4)
    refused_after(writers)
    clock.now += 5
    assert refused_after(writers) >= WAIT


def test_all_that_wait_write_once_the_lock_is_free(store: Path, lock: sqlite3.Connection) -> None:
    def release() -> None:
        lock.execute("ROLLBACK")

    writers, have_tried = WaitingWriters(4), threading.Barrier(8, release, timeout=60)

    def write() -> None:
        is_second = iter([False, True])

        def statement() -> None:
            if next(is_second, False):
                have_tried.wait()
            insert(store)

        writers.run(statement)

    assert together(*[write] * 8) == [None] * 8
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
