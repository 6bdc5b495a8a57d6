"""A file of counters that SQLite cannot use is made again, and no request fails for it.

The rules: docs/decisions/store.md#counters-in-a-small-cache-of-their-own.
"""

import logging
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches

from accounts.models import User
from archive_site.lib import seldom_log
from archive_site.lib.storage import counter_file
from archive_site.lib.storage.counter_cache import CounterCache
from tests.accounts.page_forms import sign_in
from tests.concurrency import processes, together
from tests.factories import ApiClient

COUNT = """
import sys
from pathlib import Path
from types import SimpleNamespace
from django.conf import settings
settings.configure(DATA_FOLDER=SimpleNamespace(home=Path(sys.argv[1]).parent))
from archive_site.lib.storage.counter_cache import CounterCache
cache = CounterCache(sys.argv[1], {})
for _ in range(100):
    cache.add("key", 0, 60)
    cache.incr("key")
"""
Damage = Callable[[Path], None]


def random_bytes(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(9000))


def truncated(path: Path) -> None:
    os.truncate(path, 5000)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def full_folder(path: Path) -> None:
    folder(path)
    (path / "file").touch()


def folders_of_the_log(path: Path) -> None:
    for ending in ("-wal", "-shm"):
        place = path.with_name(path.name + ending)
        place.unlink(missing_ok=True)
        place.mkdir()


def another_form(path: Path) -> None:
    removed(path)
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE counter (name TEXT)")
    other.close()


def removed(path: Path) -> None:
    for place in path.parent.glob(f"{path.name}*"):
        place.unlink()


DAMAGES = [random_bytes, truncated, empty, folder, full_folder, folders_of_the_log, another_form, removed]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "counters.sqlite3"


@pytest.fixture
def cache(path: Path) -> CounterCache:
    return CounterCache(path, {})


@pytest.fixture
def cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The folder takes no changes, until what this gives is undone."""

    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(counter_file, "_remove", refuse)
    monkeypatch.setattr(seldom_log, "_last", {})
    return monkeypatch


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [line.getMessage() for line in caplog.records if line.levelno >= logging.WARNING]


def filled(path: Path) -> None:
    """A file as a service leaves it that was stopped."""
    cache = CounterCache(path, {})
    for number in range(100):
        cache.set(f"key{number}", number, 60)
    cache._connection().close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_was_damaged_before_the_start_is_made_again(path: Path, damage: Damage) -> None:
    filled(path)
    damage(path)
    cache = CounterCache(path, {})
    cache.add("key", 0, 60)
    assert [cache.incr("key") for _ in range(3)] == [1, 2, 3]
    assert CounterCache(path, {}).get("key") == 3


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_is_damaged_while_it_is_used_is_made_again(path: Path, cache: CounterCache, damage: Damage) -> None:
    for number in range(100):
        cache.set(f"key{number}", number, 60)
    damage(path)
    cache.add("key", 0, 60)
    assert cache.incr("key") == 1
    assert not cache._spare.is_used


def test_a_part_that_cannot_be_read_is_enough(path: Path) -> None:
    filled(path)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)
    cache = CounterCache(path, {})
    cache.add("key99", 0, 60)
    assert cache.incr("key99") == 1


@pytest.mark.parametrize("damage", [random_bytes, folder])
def test_the_log_has_one_line_about_it(path: Path, damage: Damage, caplog: pytest.LogCaptureFixture) -> None:
    filled(path)
    damage(path)
    for cache in (CounterCache(path, {}), CounterCache(path, {})):
        cache.set("key", 1, 60)
    [line] = lines(caplog)
    assert line.startswith("counters.sqlite3 could not be used and was made again: ")


def test_a_folder_that_holds_something_is_set_aside(path: Path, cache: CounterCache) -> None:
    path.mkdir()
    (path / "file").write_text("mine")
    cache.set("key", 1, 60)
    [aside] = path.parent.glob("set-aside-*")
    assert (aside / "file").read_text() == "mine"


@pytest.mark.usefixtures("running_clock")
@pytest.mark.parametrize("damage", [random_bytes, full_folder])
def test_processes_that_meet_it_at_once_lose_no_count(path: Path, damage: Damage) -> None:
    filled(path)
    damage(path)
    processes(COUNT, path)
    assert CounterCache(path, {}).get("key") == 400


def test_threads_that_meet_it_at_once_lose_no_count(path: Path, cache: CounterCache) -> None:
    cache.set("other", 1, 60)
    random_bytes(path)

    def count() -> None:
        for _ in range(50):
            cache.add("key", 0, 60)
            cache.incr("key")

    assert together(*[count] * 8) == [None] * 8
    assert cache.get("key") == 400


def test_who_had_the_old_file_open_counts_in_the_new_one(path: Path, cache: CounterCache) -> None:
    cache.set("key", 5, 60)
    removed(path)
    other = CounterCache(path, {})
    other.set("key", 1, 60)
    assert cache.incr("key") == 2
    assert CounterCache(path, {}).get("key") == 2


@pytest.mark.landing
@pytest.mark.parametrize("damage", DAMAGES)
def test_who_comes_while_others_use_a_damaged_file_counts_with_them(
    path: Path, cache: CounterCache, damage: Damage
) -> None:
    for number in range(100):
        cache.set(f"key{number}", number, 60)
    damage(path)
    other = CounterCache(path, {})
    other.add("key", 0, 60)
    other.incr("key")
    cache.add("key", 0, 60)
    assert (cache.incr("key"), other.incr("key")) == (2, 3)


def test_one_that_cannot_be_made_again_is_counted_in_memory(
    path: Path, cache: CounterCache, cannot_be_made: Any, caplog: pytest.LogCaptureFixture
) -> None:
    random_bytes(path)
    cache.add("key", 0, 60)
    assert [cache.incr("key") for _ in range(3)] == [1, 2, 3]
    assert lines(caplog) == ["counters.sqlite3 cannot be made again (Permission denied): limits are counted in memory"]


def test_what_was_counted_in_memory_goes_to_the_file_once_it_can_be_made(
    path: Path, cache: CounterCache, cannot_be_made: pytest.MonkeyPatch
) -> None:
    random_bytes(path)
    cache.set("key", 7, 60)
    cannot_be_made.undo()
    cache._not_before = 0.0
    assert (cache.get("key"), cache._spare.is_used) == (7, False)
    assert CounterCache(path, {}).get("key") == 7


def test_a_folder_that_is_gone_is_none_for_requests(tmp_path: Path) -> None:
    cache = CounterCache(tmp_path / "gone" / "counters.sqlite3", {})
    cache.set("key", 1, 60)
    assert cache.get("key") == 1


@pytest.fixture
def own_counters() -> Any:
    """The counters of this process; afterwards they have a file again."""
    counters: Any = caches["counters"]
    path = Path(counters._path)
    yield path
    shutil.rmtree(path, ignore_errors=True)
    # A connection may not have met the damage yet: what it wrote itself it reads from the log.
    removed(path)
    counters._not_before = 0.0
    counters.clear()


@pytest.mark.django_db
@pytest.mark.file_counters
@pytest.mark.parametrize("damage", [random_bytes, folder, truncated])
def test_people_sign_in_all_the_same(
    damage: Damage, own_counters: Path, alice: User, no_captcha: None, anonymous: ApiClient
) -> None:
    caches["counters"].set("key", 1, 60)
    damage(own_counters)
    assert sign_in(anonymous).status_code == 302
    assert anonymous.get("/captcha.png").status_code == 200


@pytest.mark.django_db
@pytest.mark.file_counters
def test_they_do_where_it_cannot_be_made_again(
    own_counters: Path, cannot_be_made: Any, alice: User, no_captcha: None, anonymous: ApiClient
) -> None:
    caches["counters"].set("key", 1, 60)
    random_bytes(own_counters)
    assert sign_in(anonymous).status_code == 302
    assert [anonymous.get(path).status_code for path in ("/captcha.png", "/readyz")] == [200, 200]
