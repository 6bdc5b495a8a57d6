"""The counters of all limits, exact under many threads and processes.

The rules: docs/decisions/store.md#counters-in-a-small-cache-of-their-own.
"""

import sqlite3
import time
from pathlib import Path

import pytest

from archive_site.lib.storage import spare_counters
from archive_site.lib.storage.counter_cache import CounterCache
from tests.concurrency import processes, together

COUNT = """
import sys
from archive_site.lib.storage.counter_cache import CounterCache
cache, most, passed = CounterCache(sys.argv[1], {}), int(sys.argv[3]), 0
for _ in range(int(sys.argv[2])):
    cache.add("key", 0, 60)
    passed += cache.incr("key") <= most
print(passed)
"""
FORK = """
import os, sys
from archive_site.lib.storage.counter_cache import CounterCache
cache = CounterCache(sys.argv[1], {})
cache.add("key", 0, 60)
inherited = cache._connection()
child = os.fork()
if child == 0:
    os._exit(0 if cache._connection() is not inherited and cache.incr("key") == 1 else 1)
assert os.waitpid(child, 0)[1] == 0
print(cache.get("key"))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "counters.sqlite3"


@pytest.fixture
def cache(path: Path) -> CounterCache:
    return CounterCache(path, {})


@pytest.mark.usefixtures("running_clock")
def test_four_processes_lose_no_count(path: Path, cache: CounterCache) -> None:
    processes(COUNT, path, 250, 0)
    assert cache.get("key") == 1000


def test_a_limit_lets_exactly_so_many_through_whatever_the_processes(path: Path) -> None:
    assert sum(int(passed) for passed in processes(COUNT, path, 250, 240)) == 240


def test_eight_threads_lose_no_count(cache: CounterCache) -> None:
    cache.add("key", 0, 60)

    def count() -> None:
        for _ in range(50):
            cache.incr("key")

    assert together(*[count] * 8) == [None] * 8
    assert cache.get("key") == 400


def test_one_cache_object_for_each_thread_opens_a_new_file_at_once(tmp_path: Path) -> None:
    for attempt in range(20):
        path = tmp_path / f"{attempt}.sqlite3"
        added = together(*[lambda path=path: CounterCache(path, {}).add("key", 1, 60)] * 6)
        assert sorted(added) == [False] * 5 + [True]


def test_a_file_whose_last_connection_is_being_closed_is_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes(COUNT, path, 1, 0, number=1)
    closing = sqlite3.connect(path, isolation_level=None)
    closing.execute("PRAGMA locking_mode=EXCLUSIVE")
    closing.execute("DELETE FROM counter")
    monkeypatch.setattr(time, "sleep", lambda seconds: closing.close())
    assert CounterCache(path, {}).add("key", 1, 60)


def test_a_forked_process_opens_the_file_itself(path: Path) -> None:
    assert processes(FORK, path, number=1) == ["1"]


def test_only_one_of_many_adds_a_key(cache: CounterCache) -> None:
    assert sorted(together(*[lambda: cache.add("key", 1, 60)] * 8)) == [False] * 7 + [True]


def test_a_key_that_is_there_is_not_added_again(cache: CounterCache) -> None:
    cache.add("key", 1, 60)
    assert (cache.add("key", 5, 60), cache.get("key")) == (False, 1)


def test_a_missing_key_cannot_be_counted_up(cache: CounterCache) -> None:
    with pytest.raises(ValueError, match="no such counter"):
        cache.incr("key")


def test_counting_down_takes_back(cache: CounterCache) -> None:
    cache.add("key", 3, 60)
    assert cache.decr("key") == 2


def test_an_expired_key_is_gone(cache: CounterCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.add("key", 3, 60)
    later = time.time() + 61
    monkeypatch.setattr(time, "time", lambda: later)
    assert cache.get("key") is None
    with pytest.raises(ValueError, match="no such counter"):
        cache.incr("key")
    assert cache.add("key", 7, 60)
    assert cache.get("key") == 7


def test_counting_does_not_lengthen_a_window(cache: CounterCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.add("key", 0, 60)
    start = time.time()
    monkeypatch.setattr(time, "time", lambda: start + 50)
    cache.incr("key")
    monkeypatch.setattr(time, "time", lambda: start + 61)
    assert cache.get("key") is None


def test_expired_counters_are_cleaned_away(cache: CounterCache, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(100):
        cache.add(f"key{number}", 1, 60)
    later = time.time() + 61
    monkeypatch.setattr(time, "time", lambda: later)
    for _ in range(500):
        cache.get("other")
    assert cache._connection().execute("SELECT COUNT(*) FROM counter").fetchone() == (0,)


def test_deleting_and_clearing(cache: CounterCache) -> None:
    cache.set("one", 1, None)
    cache.set("two", 2, None)
    assert (cache.delete("one"), cache.delete("one")) == (True, False)
    cache.clear()
    assert cache.get("two") is None


def test_its_file_is_its_owners_alone(path: Path, cache: CounterCache) -> None:
    cache.add("key", 1, 60)
    assert path.stat().st_mode & 0o077 == 0


def test_spare_counters_have_an_end(cache: CounterCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spare_counters, "_MOST", 3)
    cache._connection().execute("PRAGMA max_page_count=1")

    def count_without_end() -> None:
        for number in range(2000):
            cache.set(f"{number:0200}", 1, None)

    with pytest.raises(sqlite3.OperationalError, match="full"):
        count_without_end()
    assert cache._spare.is_used
    assert cache.get("0" * 200) == 1


def test_spare_counters_are_given_back_to_the_file(path: Path, cache: CounterCache) -> None:
    connection = cache._connection()
    [(most,)] = connection.execute("PRAGMA max_page_count").fetchall()
    connection.execute("PRAGMA max_page_count=1")
    number = 0
    while not cache._spare.is_used:
        cache.set(f"{number:0200}", number, None)
        number += 1
    assert cache.get(f"{number - 1:0200}") == number - 1
    connection.execute(f"PRAGMA max_page_count={most}")
    assert cache.get("0" * 200) == 0
    assert not cache._spare.is_used
    assert CounterCache(path, {}).get(f"{number - 1:0200}") == number - 1
